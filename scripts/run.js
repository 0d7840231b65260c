// Runs a TypeScript program: `node scripts/run.js bench/capture.ts --flags`. Node 20 cannot run TypeScript itself.
import { build } from 'esbuild';

const root = new URL('..', import.meta.url).pathname;
const [entry = '', ...args] = process.argv.slice(2);
const outfile = `${root}dist/tools/${entry.replace(/\W+/g, '-')}.mjs`;
await build({
  entryPoints: [entry],
  outfile,
  bundle: true,
  packages: 'external',
  platform: 'node',
  target: 'node20.19',
  format: 'esm',
  sourcemap: 'inline',
  logLevel: 'warning',
});
process.argv.splice(1, process.argv.length - 1, outfile, ...args);
await import(outfile);
