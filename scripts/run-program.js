// Runs a bundled program (see build.js) with the code that V8 made of it at the build: compiling it again would be a
// third of each start, of the process and of every thread. Copied to dist/.
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Script } from 'node:vm';

export function runProgram(file) {
  const path = fileURLToPath(file);
  const module = { exports: {} };
  compileProgram(file).runInThisContext()(module.exports, createRequire(file), module, path, dirname(path));
}

/** Writes the code beside the program, after the digest of both; a second of a build, unless it is there already. */
export function cacheProgram(file) {
  const source = readFileSync(file);
  if (readCode(file, source) !== undefined) return;
  const code = compile(file, source).createCachedData();
  writeFileSync(cacheOf(file), Buffer.concat([digestOf(source, code), code]));
}

/** V8 itself refuses code of another version of Node, or with other flags, and compiles the source. */
export function compileProgram(file) {
  const source = readFileSync(file);
  return compile(file, source, readCode(file, source));
}

function compile(file, source, cachedData) {
  return new Script(`(function (exports, require, module, __filename, __dirname) {${source.toString()}\n})`, {
    filename: file.href,
    cachedData,
  });
}

/** V8 compares only the length of the source, and would run damaged code. */
function readCode(file, source) {
  let cache;
  try {
    cache = readFileSync(cacheOf(file));
  } catch {
    return undefined;
  }
  const code = cache.subarray(DIGEST_BYTES);
  return cache.subarray(0, DIGEST_BYTES).equals(digestOf(source, code)) ? code : undefined;
}

const DIGEST_BYTES = 32;
const digestOf = (source, code) => createHash('sha256').update(process.version).update(source).update(code).digest();

const cacheOf = (file) => new URL(`${file.href}.cache`);
