import { expect, it } from 'vitest';
import { describeFlagStores } from '../../../test/contract/flags.ts';
import { describeMetadataStore } from '../../../test/contract/metadata-store.ts';
import { describeWithPostgres, freshDatabase, openPostgresSetup } from '../../../test/support/postgres.ts';
import type { MetadataStore } from '../metadata/metadata-store.ts';
import { openPostgresMetadataStore } from './metadata-store.ts';

describeWithPostgres(() => {
  /** Closing it drops its database. */
  async function open(): Promise<MetadataStore> {
    const { metadata, remove } = await openPostgresSetup();
    return { ...metadata, close: remove };
  }

  describeMetadataStore('PostgreSQL', open);
  describeFlagStores('PostgreSQL', open);

  it('keeps its data when reopened, and can be created by two nodes at once', async () => {
    const database = await freshDatabase({ empty: true });
    const nodes = await Promise.all([1, 2, 3].map((now) => openPostgresMetadataStore(database.url, now, { size: 2 })));
    const [first, second] = nodes.map(({ metadata }) => metadata);
    await first?.installation.set('a', '1');
    expect(await second?.installation.get('a')).toBe('1');
    for (const { metadata } of nodes) await metadata.close();
    const again = await openPostgresMetadataStore(database.url, 4);
    expect(await again.metadata.installation.get('a')).toBe('1');
    await again.metadata.close();
    await expect(again.metadata.check()).rejects.toThrow();
    await database.drop();
  });
});
