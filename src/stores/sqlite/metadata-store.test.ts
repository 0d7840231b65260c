import { afterAll, expect, it } from 'vitest';
import { describeMetadataStore } from '../../../test/contract/metadata-store.ts';
import { makeTempDir } from '../../../test/contract/temp-dir.ts';
import { openMigratedStore } from '../../../test/support/migrated-store.ts';

const folder = makeTempDir();
afterAll(() => folder.remove());

let files = 0;
const open = async (file: string) => (await openMigratedStore(folder.path(file))).metadata;

describeMetadataStore('SQLite', () => open(`${++files}.sqlite`));

it('keeps its data when reopened, and can be opened twice at once', async () => {
  const first = await open('shared.sqlite');
  const second = await open('shared.sqlite');
  await first.installation.set('a', '1');
  expect(await second.installation.get('a')).toBe('1');
  await first.close();
  await second.close();
  const again = await open('shared.sqlite');
  expect(await again.installation.get('a')).toBe('1');
  await again.close();
  await expect(again.check()).rejects.toThrow();
});
