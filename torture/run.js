// `npm run torture`: builds the server and the torturer, then runs it. `--help` says what it can do.
import { build as bundle } from 'esbuild';
import { build } from '../scripts/build.js';

const root = new URL('..', import.meta.url).pathname;

await build();
await bundle({
  entryPoints: [`${root}torture/main.ts`],
  outfile: `${root}dist/torture.js`,
  bundle: true,
  packages: 'external',
  platform: 'node',
  target: 'node20.19',
  format: 'esm',
  logLevel: 'warning',
});
await import('../dist/torture.js');
