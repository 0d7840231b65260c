import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { describeMetadataStore } from '../contract/metadata-store.ts';
import { openRelationalShelf } from './metadata-store.ts';

const folder = mkdtempSync(join(tmpdir(), 'cairn-metadata-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const openMetadataStore = async (path: string) => (await openRelationalShelf(path, 0)).metadata;

// Not in memory: the driver opens several connections, and each would have a memory of its own.
let opened = 0;
describeMetadataStore('SQLite', () => openMetadataStore(join(folder, `${++opened}.sqlite`)));

it('keeps what it was given when it is opened again, also by two threads of work', async () => {
  const path = join(folder, 'metadata.sqlite');
  const first = await openMetadataStore(path);
  const second = await openMetadataStore(path);
  await first.installation.set('a', '1');
  expect(await second.installation.get('a')).toBe('1');
  await first.close();
  await second.close();
  const again = await openMetadataStore(path);
  expect(await again.installation.get('a')).toBe('1');
  await again.close();
  await expect(again.check()).rejects.toThrow();
});
