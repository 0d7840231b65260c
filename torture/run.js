// `npm run torture`: builds the server and the crash tests, and runs them. See `--help`.
import { build as bundle } from 'esbuild';
import { build } from '../scripts/build.js';

const root = new URL('..', import.meta.url).pathname;

// `npm run torture:scale` is the same for a cluster.
const name = process.argv[2] === 'scale' ? 'scale-main' : 'main';

await build();
await bundle({
  entryPoints: [`${root}torture/${name}.ts`],
  outfile: `${root}dist/torture-${name}.js`,
  bundle: true,
  packages: 'external',
  platform: 'node',
  target: 'node20.19',
  format: 'esm',
  logLevel: 'warning',
});
await import(`../dist/torture-${name}.js`);
