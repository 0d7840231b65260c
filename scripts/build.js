// Builds the server: TypeScript in src/ to two plain files in dist/, with packages left outside.
// Takes a fraction of a second, so it runs at every `npm start` and before the tests; types are checked elsewhere.
import { existsSync } from 'node:fs';
import { build as bundle, stop } from 'esbuild';

const root = new URL('..', import.meta.url).pathname;

export async function build() {
  const entries = ['src/main.ts', 'src/worker.ts'].map((file) => root + file);
  await bundle({
    entryPoints: entries.filter((file) => existsSync(file)),
    outdir: `${root}dist`,
    bundle: true,
    packages: 'external',
    platform: 'node',
    target: 'node20.19',
    format: 'esm',
    sourcemap: true,
    logLevel: 'warning',
  });
  // Its helper process would otherwise stay, and keep its memory, for as long as the server runs.
  await stop();
}

if (process.argv[1] === import.meta.filename) await build();
