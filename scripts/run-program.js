// Runs a bundled program (see build.js) with the code that V8 made of it at the build: compiling it again would be a
// third of each start, of the process and of every thread. Copied to dist/.
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Script } from 'node:vm';
import { crc32 } from 'node:zlib';

export function runProgram(file) {
  const path = fileURLToPath(file);
  const module = { exports: {} };
  compileProgram(file).runInThisContext()(module.exports, createRequire(file), module, path, dirname(path));
}

/** Writes the code beside the program, after the checksum of both; a second of a build, unless it is there already. */
export function cacheProgram(file) {
  const source = readFileSync(file);
  if (readCode(file, source) !== undefined) return;
  const code = compile(file, source).createCachedData();
  writeFileSync(cacheOf(file), Buffer.concat([checksumOf(source, code), code]));
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
  const code = cache.subarray(CHECKSUM_BYTES);
  return cache.subarray(0, CHECKSUM_BYTES).equals(checksumOf(source, code)) ? code : undefined;
}

const CHECKSUM_BYTES = 4;

/** A hash that withstands attackers would take ten times as long, at each start; who can write here can do anything. */
function checksumOf(source, code) {
  const checksum = Buffer.alloc(CHECKSUM_BYTES);
  checksum.writeUInt32LE(crc32(code, crc32(source, crc32(process.version))));
  return checksum;
}

const cacheOf = (file) => new URL(`${file.href}.cache`);
