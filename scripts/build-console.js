// Builds the console into dist/console/, compressed in advance.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { buildIfChanged } from './build-if-changed.js';

const root = new URL('..', import.meta.url).pathname;
const output = join(root, 'dist/console');
const OWN = 'scripts/build-console.js';

/** Smaller files are not worth compressing. */
const PACK_FROM_BYTES = 700;

export const buildConsole = () =>
  buildIfChanged('console', { sources: ['console', 'docs/guides', OWN], outputs: ['console/index.html'] }, async () => {
    // Imported here, because loading Vite takes longer than finding out that nothing has changed.
    const { build } = await import('vite');
    await build({ configFile: join(root, 'console/vite.config.ts'), logLevel: 'warn' });
    packAll();
  });

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
