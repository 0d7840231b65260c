import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { checkFlagKeys, listCode } from './check-flag-keys.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'cairn-code-'));
  for (const path of ['src/a.ts', 'src/deep/b.tsx', 'src/deep/c.md', 'src/node_modules/d.ts', 'other/e.py']) {
    mkdirSync(join(folder, path, '..'), { recursive: true });
    writeFileSync(join(folder, path), `\nposthog.getFeatureFlag('gone')`);
  }
});
afterAll(() => rmSync(folder, { recursive: true }));

const listed = async (...paths: string[]): Promise<string[]> =>
  (await listCode(paths.map((path) => join(folder, path)))).map((file) => relative(folder, file));

it.each<[string, string[]]>([
  ['src', ['src/a.ts', 'src/deep/b.tsx']],
  ['src/deep/c.md', ['src/deep/c.md']],
  ['src/*.ts', ['src/a.ts']],
  ['src/**/*.ts', ['src/a.ts']],
  ['src/**/*.{ts,tsx}', ['src/a.ts', 'src/deep/b.tsx']],
  ['**/?.py', ['other/e.py']],
  ['src/**', ['src/a.ts', 'src/deep/b.tsx', 'src/deep/c.md']],
  ['{src,other}/*', ['other/e.py', 'src/a.ts']],
  ['src/*.+', []],
])('finds the code of %s', async (path, expected) => {
  expect(await listed(path)).toEqual(expected);
});

it('lists a file once, and says where a key is asked for that does not exist', async () => {
  const files = await listCode([join(folder, 'src'), join(folder, 'src/*.ts')]);
  expect(files).toHaveLength(2);
  const [first] = await checkFlagKeys(files, [{ key: 'there', state: 'active' }]);
  expect(first).toEqual({ file: join(folder, 'src/a.ts'), line: 2, key: 'gone', problem: 'does not exist' });
});
