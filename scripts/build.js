// Builds the server: TypeScript in src/ to JavaScript in dist/.
// Runs at every `npm start` and before the tests, if something has changed; types are checked elsewhere.
import { copyFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { buildConsole } from './build-console.js';
import { buildIfChanged } from './build-if-changed.js';
import { cacheProgram } from './run-program.js';

const root = new URL('..', import.meta.url).pathname;

// Packages with native code, or with files that they read at run time. All others are bundled: many small files load ten
// times as slowly (measured: 500 ms of a start), and packages of ES modules alone could not be loaded by what we make.
export const NOT_BUNDLED = [
  '@duckdb/node-bindings',
  '@resvg/resvg-js',
  '@simplewebauthn/server',
  'better-sqlite3',
  'esbuild',
  'pino',
  'posthog-js',
  'vite',
];

/** What dependencies load only where nobody says what to use instead (`new-server.ts`), or if it is there. */
const NEVER_LOADED = ['@fastify/ajv-compiler', '@fastify/fast-json-stringify-compiler', 'pg-native'];

/** Each becomes `dist/<name>.js`. */
const PROGRAMS = {
  serve: 'src/serve.ts',
  relay: 'src/relay.ts',
  cli: 'src/cli.ts',
  worker: 'src/runtime/embedded/worker.ts',
  'large-worker': 'src/runtime/cluster/worker.ts',
  'sequence-worker': 'src/runtime/sequence-worker.ts',
  'sql-child': 'src/features/sql/child/sql-child.ts',
  'sql-launcher': 'src/features/sql/child/sql-launcher.ts',
};

const COMMON = { absWorkingDir: root, outdir: `${root}dist`, bundle: true, logLevel: 'warning' };
const FOR_NODE = { ...COMMON, platform: 'node', target: 'node20.19' };

const SOURCES = [
  'src',
  'docs/guides',
  'package.json',
  'scripts/build.js',
  'scripts/no-yaml.js',
  'scripts/run-program.js',
];
const OUTPUTS = ['main.js', 'cairn.js', 'guides.json', 'countries.br', 'run-program.js'];
const outputsOf = (name) => [`${name}.cjs`, `${name}.cjs.cache`, `${name}.js`];

export function build() {
  const outputs = [...OUTPUTS, ...Object.keys(PROGRAMS).flatMap(outputsOf)];
  return buildIfChanged('server', { sources: SOURCES, outputs }, buildAll);
}

async function buildAll() {
  // Imported here, because loading it takes as long as finding out that nothing has changed.
  const { build: bundle, stop } = await import('esbuild');
  await bundle({ ...FOR_NODE, entryPoints: ['src/main.ts'], format: 'esm' });
  await buildPrograms(bundle);
  await bundle({
    ...COMMON,
    entryPoints: { cairn: 'src/features/sdk/browser/cairn.js' },
    minify: true,
    format: 'iife',
    // Browsers of the last five years.
    target: 'es2020',
    legalComments: 'none',
  });
  writeFileSync(`${root}dist/guides.json`, JSON.stringify(readGuides()));
  copyFileSync(`${root}src/features/geoip/data/countries.br`, `${root}dist/countries.br`);
  // Ends esbuild's helper process, which would otherwise use memory as long as the server runs.
  await stop();
}

/** A script, whose compiled code can be kept, and a module that runs it. */
async function buildPrograms(bundle) {
  const { metafile } = await bundle({
    ...FOR_NODE,
    entryPoints: PROGRAMS,
    external: [...NOT_BUNDLED, ...NEVER_LOADED],
    alias: { yaml: './scripts/no-yaml.js' },
    format: 'cjs',
    outExtension: { '.js': '.cjs' },
    banner: { js: "'use strict';const MODULE_URL = require('node:url').pathToFileURL(__filename).href;" },
    define: { 'import.meta.url': 'MODULE_URL' },
    // A script that is run with kept code cannot import; packages that are loaded when they are needed are required.
    supported: { 'dynamic-import': false },
    // 7 MB less memory. Names stay, for stack traces; the source map has the lines.
    minifyWhitespace: true,
    lineLimit: 160,
    sourcemap: true,
    metafile: true,
  });
  for (const file of Object.keys(metafile.outputs)) if (file.endsWith('.cjs')) toLatin1(root + file);
  copyFileSync(`${root}scripts/run-program.js`, `${root}dist/run-program.js`);
  for (const name of Object.keys(PROGRAMS)) {
    cacheProgram(pathToFileURL(`${root}dist/${name}.cjs`));
    writeFileSync(`${root}dist/${name}.js`, startOf(name));
  }
}

const startOf = (name) =>
  `import { runProgram } from './run-program.js';\nrunProgram(new URL('./${name}.cjs', import.meta.url));\n`;

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
