import { mkdirSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { makeTempDir, type TempDir } from '../../test/contract/temp-dir.ts';
import { scanFiles } from './scan-files.ts';

let dir: TempDir;
beforeEach(() => {
  dir = makeTempDir();
});
afterEach(() => dir.remove());

it('finds texts in files of any size and depth, also across chunks', async () => {
  const chunk = 256 * 1024;
  writeFileSync(dir.path('a'), `${'x'.repeat(chunk - 3)}needle${'x'.repeat(chunk)}`);
  writeFileSync(dir.path('b'), `${'x'.repeat(3 * chunk)}häy`);
  mkdirSync(dir.path('deep'));
  writeFileSync(dir.path('deep/c'), 'needle and häy');
  const scan = await scanFiles(dir.path('.'), ['needle', 'häy', 'neither', '']);
  expect(scan.found).toEqual(
    new Map([
      ['needle', ['a', 'deep/c']],
      ['häy', ['b', 'deep/c']],
    ]),
  );
  expect([scan.files, scan.bytes]).toEqual([3, 2 * chunk + 3 + 3 * chunk + 4 + 15]);
});

it('counts files when there is nothing to search for', async () => {
  writeFileSync(dir.path('a'), 'text');
  expect(await scanFiles(dir.path('.'), [])).toEqual({ files: 1, bytes: 4, found: new Map() });
});
