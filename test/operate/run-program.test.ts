import { execFileSync } from 'node:child_process';
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { cacheProgram, compileProgram } from '../../scripts/run-program.js';

const folder = mkdtempSync(join(tmpdir(), 'cairn-program-'));
const file = pathToFileURL(join(folder, 'sum.cjs'));
const cache = join(folder, 'sum.cjs.cache');
afterAll(() => rmSync(folder, { recursive: true, force: true }));

beforeEach(() => {
  copyFileSync('scripts/run-program.js', join(folder, 'run-program.mjs'));
  const start = "import { runProgram } from './run-program.mjs'; runProgram(new URL('./sum.cjs', import.meta.url));";
  writeFileSync(join(folder, 'sum.mjs'), start);
  writeFileSync(file, "'use strict';const { sep } = require('node:path'); console.log(1 + 2, sep, __filename);");
  rmSync(cache, { force: true });
});

const run = (...flags: string[]): string =>
  execFileSync(process.execPath, [...flags, join(folder, 'sum.mjs')], { encoding: 'utf8' });
const OUTPUT = `3 / ${join(folder, 'sum.cjs')}\n`;

describe('a program', () => {
  it('runs without code of the build', () => {
    expect(run()).toBe(OUTPUT);
  });

  it('runs with it, with other flags, and from another folder', () => {
    cacheProgram(file);
    expect(run()).toBe(OUTPUT);
    expect(run('--max-old-space-size=256')).toBe(OUTPUT);
    const moved = join(folder, 'moved');
    mkdirSync(moved);
    for (const name of ['run-program.mjs', 'sum.mjs', 'sum.cjs', 'sum.cjs.cache'])
      copyFileSync(join(folder, name), join(moved, name));
    expect(execFileSync(process.execPath, [join(moved, 'sum.mjs')], { encoding: 'utf8' })).toContain('3 /');
  });

  it.each([
    ['damaged', (bytes: Buffer) => bytes.fill(7, bytes.length / 2)],
    ['cut off', (bytes: Buffer) => bytes.subarray(0, 40)],
    ['empty', () => Buffer.alloc(0)],
  ])('runs where the code is %s', (_name, change) => {
    cacheProgram(file);
    writeFileSync(cache, change(readFileSync(cache)));
    expect(run()).toBe(OUTPUT);
  });

  it('that is the same keeps its code at the next build', () => {
    cacheProgram(file);
    const { mtimeMs } = statSync(cache);
    cacheProgram(file);
    expect(statSync(cache).mtimeMs).toBe(mtimeMs);
    expect(run()).toBe(OUTPUT);
  });

  it('that was changed does not run the code of before', () => {
    writeFileSync(file, "console.log('first!')");
    cacheProgram(file);
    writeFileSync(file, "console.log('second')");
    expect(run()).toBe('second\n');
  });

  it('passes on what it throws', () => {
    writeFileSync(file, "throw new Error('on purpose')");
    cacheProgram(file);
    expect(() => execFileSync(process.execPath, [join(folder, 'sum.mjs')], { stdio: 'pipe' })).toThrow('on purpose');
  });
});

it.each(['serve', 'worker', 'large-worker', 'sequence-worker', 'cli'])(
  'dist/%s starts with the code of the build',
  (name) => {
    const built = pathToFileURL(join('dist', `${name}.cjs`));
    // Undefined if there was none, or it did not fit the source.
    expect(compileProgram(built).cachedDataRejected).toBe(false);
  },
);

it('programs require packages, since scripts with kept code cannot import', () => {
  const programs = readdirSync('dist').filter((name) => name.endsWith('.cjs'));
  expect(programs).toContain('serve.cjs');
  expect(programs.filter((name) => /[^.\w]import\(/.test(readFileSync(join('dist', name), 'utf8')))).toEqual([]);
});
