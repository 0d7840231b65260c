// Builds the server: TypeScript in src/ to JavaScript in dist/.
// Takes a fraction of a second, so it runs at every `npm start` and before the tests; types are checked elsewhere.
import { copyFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { build as bundle, stop } from 'esbuild';
import { buildConsole } from './build-console.js';

const root = new URL('..', import.meta.url).pathname;
const { dependencies } = JSON.parse(readFileSync(`${root}package.json`, 'utf8'));

// Packages of many small files load ten times as fast when bundled (measured: 500 ms of a start). Packages with native
// code or with files that they read at run time are not bundled.
export const BUNDLED = [
  'kysely',
  '@sinclair/typebox',
  '@duckdb/node-api',
  'prom-client',
  'cookie',
  'fastify',
  '@fastify/swagger',
];

export async function build() {
  const { metafile } = await bundle({
    entryPoints: {
      main: `${root}src/main.ts`,
      serve: `${root}src/serve.ts`,
      relay: `${root}src/relay.ts`,
      cli: `${root}src/cli.ts`,
      worker: `${root}src/runtime/embedded/worker.ts`,
      'large-worker': `${root}src/runtime/cluster/worker.ts`,
      'sequence-worker': `${root}src/runtime/sequence-worker.ts`,
      'sql-child': `${root}src/features/sql/child/sql-child.ts`,
      'sql-launcher': `${root}src/features/sql/child/sql-launcher.ts`,
    },
    absWorkingDir: root,
    outdir: `${root}dist`,
    bundle: true,
    external: Object.keys(dependencies).filter((name) => !BUNDLED.includes(name)),
    // Bundled CommonJS code loads Node's own modules with `require`.
    banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
    platform: 'node',
    target: 'node20.19',
    format: 'esm',
    sourcemap: true,
    metafile: true,
    logLevel: 'warning',
  });
  for (const file of Object.keys(metafile.outputs)) if (file.endsWith('.js')) toLatin1(root + file);
  await bundle({
    entryPoints: { cairn: `${root}src/features/sdk/browser/cairn.js` },
    outdir: `${root}dist`,
    bundle: true,
    minify: true,
    format: 'iife',
    // Browsers of the last five years.
    target: 'es2020',
    legalComments: 'none',
    logLevel: 'warning',
  });
  writeFileSync(`${root}dist/guides.json`, JSON.stringify(readGuides()));
  copyFileSync(`${root}src/features/geoip/data/countries.br`, `${root}dist/countries.br`);
  // Ends esbuild's helper process, which would otherwise use memory as long as the server runs.
  await stop();
}

/** V8 keeps a source at two bytes a character for a single arrow in a comment. esbuild escapes those in code. */
function toLatin1(file) {
  const source = readFileSync(file, 'utf8');
  const replaced = source.replace(/^\s*(\/\*\*|\*|\/\/).*$/gm, (comment) => comment.replace(/[\u0100-\uffff]/g, '?'));
  if (replaced !== source) writeFileSync(file, replaced);
}

/** Name → Markdown. */
function readGuides() {
  const folder = `${root}docs/guides/`;
  const names = readdirSync(folder).filter((name) => name.endsWith('.md'));
  return Object.fromEntries(names.map((name) => [name.slice(0, -3), readFileSync(folder + name, 'utf8')]));
}

if (process.argv[1] === import.meta.filename) {
  await build();
  await buildConsole();
}
