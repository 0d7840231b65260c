import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A folder of its own for one test. */
export interface TempDir {
  path(file: string): string;
  /** Another folder with what this one holds right now: what a power cut at this instant would leave behind. */
  copy(): TempDir;
  remove(): void;
}

export function makeTempDir(): TempDir {
  const root = mkdtempSync(join(tmpdir(), 'cairn-'));
  const copies: TempDir[] = [];
  return {
    path: (file) => join(root, file),
    copy() {
      const copy = makeTempDir();
      cpSync(root, copy.path('.'), { recursive: true });
      copies.push(copy);
      return copy;
    },
    remove() {
      for (const copy of copies) copy.remove();
      rmSync(root, { recursive: true, force: true });
    },
  };
}
