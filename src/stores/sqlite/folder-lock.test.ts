import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { scanFiles } from '../../lib/scan-files.ts';
import { FolderInUse, lockFolder } from './folder-lock.ts';

const root = new URL('../../../', import.meta.url).pathname;
const built = join(root, 'dist/test/folder-lock.js');
const HOLD = `
  const { lockFolder } = await import(process.argv[1]);
  try { lockFolder(process.argv[2]); process.stdout.write('locked'); setInterval(() => {}, 1000); }
  catch (error) { process.stdout.write(error.message); }
`;

let folder: string;
let children: ChildProcess[];
beforeAll(async () => {
  await build({
    entryPoints: [join(root, 'src/stores/sqlite/folder-lock.ts')],
    outfile: built,
    bundle: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
  });
});
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'cairn-lock-'));
  children = [];
});
afterEach(() => {
  for (const child of children) child.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

/** Another process that tries to lock the folder; what it said. */
async function anotherProcess(): Promise<{ child: ChildProcess; said: string }> {
  const child = spawn(process.execPath, ['--input-type=module', '-e', HOLD, built, folder], { cwd: root });
  children.push(child);
  const [chunk] = await once(child.stdout, 'data');
  return { child, said: String(chunk) };
}

const REFUSED = () =>
  `Another Cairn process is using ${folder}. Stop it first, or give this one a folder of its own with DATA_DIR.`;

describe('a data folder', () => {
  it('is locked for a second process while the first one runs', async () => {
    const lock = lockFolder(folder);
    expect((await anotherProcess()).said).toBe(REFUSED());
    lock.release();
    expect((await anotherProcess()).said).toBe('locked');
    expect(() => lockFolder(folder)).toThrow(new FolderInUse(folder));
  });

  it('stays locked when its files are scanned', async () => {
    const lock = lockFolder(folder);
    await scanFiles(folder, ['text']);
    expect((await anotherProcess()).said).toBe(REFUSED());
    lock.release();
  });

  it('is locked within one process too', () => {
    const lock = lockFolder(folder);
    expect(() => lockFolder(folder)).toThrow(REFUSED());
    lock.release();
    lockFolder(folder).release();
  });

  it('is unlocked after its process was killed', async () => {
    const { child, said } = await anotherProcess();
    expect(said).toBe('locked');
    child.kill('SIGKILL');
    await once(child, 'exit');
    lockFolder(folder).release();
  });
});
