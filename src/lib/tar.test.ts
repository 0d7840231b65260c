import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { packFiles, unpackFiles } from './tar.ts';

const folder = mkdtempSync(join(tmpdir(), 'cairn-tar-'));
afterAll(() => rmSync(folder, { recursive: true }));
writeFileSync(join(folder, 'large'), Buffer.alloc(4_000_000, 'x'));
writeFileSync(join(folder, 'small'), 'y');
const archive = () => packFiles(folder, ['large', 'small'], (files) => ({ name: 'list', text: JSON.stringify(files) }));

it('lets its reader stop in the middle', async () => {
  let bytes = 0;
  for await (const chunk of archive() as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > 1_000_000) break;
  }
  expect(bytes).toBeLessThan(4_000_000);
});

it('unpacks what it packed, with sizes and hashes', async () => {
  const target = mkdtempSync(join(tmpdir(), 'cairn-tar-'));
  const files = await unpackFiles(archive(), target, () => true);
  rmSync(target, { recursive: true });
  expect(files.map(({ name, size }) => [name, size])).toEqual([
    ['large', 4_000_000],
    ['small', 1],
    ['list', expect.any(Number)],
  ]);
  // sha256 of "y"
  expect(files[1]?.sha256).toBe('a1fce4363854ff888cff4b8e7875d600c2682390412a8cf79b37d0b11148b0fa');
});

it('fails for a file that is not there', async () => {
  const read = async () => {
    for await (const _ of packFiles(folder, ['absent'], () => ({ name: 'list', text: '' })));
  };
  await expect(read()).rejects.toThrow('ENOENT');
});
