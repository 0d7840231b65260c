import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { protectFolder } from './protect-folder.ts';

let outer: string;
beforeEach(() => {
  outer = mkdtempSync(join(tmpdir(), 'cairn-modes-'));
});
afterEach(() => rmSync(outer, { recursive: true, force: true }));

const modeOf = (...parts: string[]): string => (statSync(join(outer, ...parts)).mode & 0o777).toString(8);

it('takes the folder of an earlier version away from others, with all that Cairn wrote in it', () => {
  const folder = join(outer, 'data');
  mkdirSync(join(folder, 'work'), { recursive: true });
  for (const name of ['metadata.sqlite', 'metadata.sqlite-wal', 'work/copy']) {
    writeFileSync(join(folder, name), '');
    chmodSync(join(folder, name), 0o644);
  }
  for (const path of [folder, join(folder, 'work')]) chmodSync(path, 0o755);
  writeFileSync(join(folder, 'notes.txt'), '');
  chmodSync(join(folder, 'notes.txt'), 0o644);
  writeFileSync(join(outer, 'elsewhere'), '');
  chmodSync(join(outer, 'elsewhere'), 0o644);
  symlinkSync(join(outer, 'elsewhere'), join(folder, 'work', 'link'));

  protectFolder(folder);

  expect([modeOf('data'), modeOf('data', 'work')]).toEqual(['700', '700']);
  expect(modeOf('data', 'metadata.sqlite')).toBe('600');
  expect(modeOf('data', 'metadata.sqlite-wal')).toBe('600');
  expect(modeOf('data', 'work', 'copy')).toBe('600');
  expect(modeOf('elsewhere')).toBe('644');
  expect(modeOf('data', 'notes.txt')).toBe('644');
});
