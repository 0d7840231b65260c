// Builds the console into dist/console/, compressed in advance.
// Only if something changed since the last build: a build takes a second or two, the check a few milliseconds.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';

const root = new URL('..', import.meta.url).pathname;
const output = join(root, 'dist/console');
const stamp = join(root, 'dist/console.built');

/** Smaller files are not worth compressing. */
const PACK_FROM_BYTES = 700;

export async function buildConsole() {
  const wanted = digestSources();
  if (existsSync(join(output, 'index.html')) && existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return;
  rmSync(stamp, { force: true });
  // Imported here, because loading Vite takes longer than the check above.
  const { build } = await import('vite');
  await build({ configFile: join(root, 'console/vite.config.ts'), logLevel: 'warn' });
  packAll();
  writeFileSync(stamp, wanted);
}

/** A hash of everything the build depends on. */
function digestSources() {
  const hash = createHash('sha256');
  const files = ['console', 'docs/guides']
    .flatMap((folder) => readdirSync(join(root, folder), { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile() && !entry.name.includes('.test.'))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
  for (const file of [...files, join(root, 'package-lock.json'), import.meta.filename]) {
    hash.update(file.slice(root.length)).update('\0').update(readFileSync(file)).update('\0');
  }
  return hash.digest('hex');
}

/** index.html is not compressed: the server inserts its own address. */
function packAll() {
  for (const entry of readdirSync(join(output, 'assets'), { withFileTypes: true })) {
    const file = join(output, 'assets', entry.name);
    const plain = readFileSync(file);
    if (entry.name.endsWith('.woff2')) continue;
    if (plain.length < PACK_FROM_BYTES) continue;
    writeFileSync(`${file}.gz`, gzipSync(plain, { level: 9 }));
    const quality = { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: plain.length };
    writeFileSync(`${file}.br`, brotliCompressSync(plain, { params: quality }));
  }
}

if (process.argv[1] === import.meta.filename) await buildConsole();
