import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { diskSpace } from './disk-space.ts';

it('adds up the files of a folder and of those within, and tells the room beside them', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'cairn-disk-'));
  writeFileSync(join(folder, 'a'), Buffer.alloc(1000));
  mkdirSync(join(folder, 'b'));
  writeFileSync(join(folder, 'b', 'c'), Buffer.alloc(234));
  const { dataBytes, freeBytes, totalBytes } = await diskSpace(folder);
  rmSync(folder, { recursive: true });
  expect(dataBytes).toBe(1234);
  expect(freeBytes).toBeGreaterThan(0);
  expect(totalBytes).toBeGreaterThanOrEqual(freeBytes);
});
