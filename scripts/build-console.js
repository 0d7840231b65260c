// Builds the console into dist/console/, packed beforehand so that the server only has to send it.
// Only when something changed since the last build: then `npm start` waits a second or two, else a few milliseconds.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';

const root = new URL('..', import.meta.url).pathname;
const output = join(root, 'dist/console');
const stamp = join(root, 'dist/console.built');

/** Too small to gain anything. */
const PACK_FROM_BYTES = 700;

export async function buildConsole() {
  const wanted = digestSources();
  if (existsSync(join(output, 'index.html')) && existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return;
  rmSync(stamp, { force: true });
  // Here, since to load it takes longer than to see that there is nothing to do.
  const { build } = await import('vite');
  await build({ configFile: join(root, 'console/vite.config.ts'), logLevel: 'warn' });
  packAll();
  writeFileSync(stamp, wanted);
}

/** Everything that the result depends on. */
function digestSources() {
  const hash = createHash('sha256');
  const files = readdirSync(join(root, 'console'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.includes('.test.'))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
  for (const file of [...files, join(root, 'package-lock.json'), import.meta.filename]) {
    hash.update(file.slice(root.length)).update('\0').update(readFileSync(file)).update('\0');
  }
  return hash.digest('hex');
}

/** index.html is not packed: the server puts its own address into it. */
function packAll() {
  for (const entry of readdirSync(join(output, 'assets'), { withFileTypes: true })) {
    const file = join(output, 'assets', entry.name);
    const plain = readFileSync(file);
    if (plain.length < PACK_FROM_BYTES) continue;
    writeFileSync(`${file}.gz`, gzipSync(plain, { level: 9 }));
    const quality = { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: plain.length };
    writeFileSync(`${file}.br`, brotliCompressSync(plain, { params: quality }));
  }
}

if (process.argv[1] === import.meta.filename) await buildConsole();
