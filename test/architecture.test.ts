/**
 * Who may import whom, as data, and a check that the sources keep to it. To change a table is a decision: write it down
 * in docs/decisions/.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, expect, it } from 'vitest';

const ROOT = new URL('../src/', import.meta.url).pathname;

/** What is open to everything that is built on stores. */
const PORTS = ['stores', 'core', 'lib'];
const ENGINES = [
  'stores/sql',
  'stores/sqlite',
  'stores/postgres',
  'stores/duckdb',
  'stores/clickhouse',
  'stores/embedded',
];
const PLATFORM = ['features/feature.ts', 'http', 'access', 'query', 'ingest', ...PORTS, 'config.ts', 'version.ts'];
const EVERYTHING = [...PLATFORM, 'features/*', 'ingest/cluster', 'stores/cluster', ...ENGINES];

/** Room → the rooms it may import from, besides itself. The longest name that fits a path is its room. */
const ROOMS: Record<string, readonly string[]> = {
  core: [],
  // Failures cross from thread to thread (lib/rpc.ts), so lib knows what a failure is.
  lib: ['core'],
  stores: ['core', 'lib'],
  'stores/cluster': PORTS,
  'stores/sql': PORTS,
  'stores/sqlite': [...PORTS, 'stores/sql'],
  'stores/postgres': [...PORTS, 'stores/sql', 'stores/cluster'],
  'stores/duckdb': PORTS,
  'stores/clickhouse': [...PORTS, 'stores/cluster'],
  // What lies in one folder, as a whole: copied, looked through.
  'stores/embedded': [...PORTS, 'stores/sqlite', 'stores/duckdb'],
  access: PORTS,
  query: PORTS,
  ingest: PORTS,
  'ingest/cluster': [...PORTS, 'ingest', 'stores/cluster'],
  http: ['access', ...PORTS, 'config.ts', 'version.ts'],
  // The type of a manifest.
  'features/feature.ts': ['http', 'lib', 'stores/sql'],
  operate: [...PLATFORM, 'features/*'],
  // It copies from one backend to the other, table by table, so it knows both.
  'operate/move': ['operate', 'ingest/cluster', 'stores/cluster', ...PORTS, ...ENGINES, 'version.ts'],
  // Only runtime opens engines, and each backend only its own.
  runtime: [...EVERYTHING, 'operate', 'runtime/embedded', 'runtime/cluster'],
  'runtime/embedded': [
    'runtime',
    ...PLATFORM,
    'features/*',
    'stores/sql',
    'stores/sqlite',
    'stores/duckdb',
    'stores/embedded',
  ],
  'runtime/cluster': [
    'runtime',
    ...PLATFORM,
    'features/*',
    'ingest/cluster',
    'stores/cluster',
    'stores/sql',
    'stores/postgres',
    'stores/clickhouse',
  ],
  // The command line works through `operate`; only it opens the app without a server, and restores a folder that nobody uses.
  cli: ['operate', 'operate/move', 'runtime', ...PORTS, 'stores/sqlite', 'stores/embedded', 'config.ts', 'version.ts'],
  'main.ts': ['runtime', 'lib', 'config.ts', 'version.ts'],
  'cli.ts': ['cli', 'config.ts'],
  'config.ts': [],
  'version.ts': [],
};

/** Feature → the features it may import from. The platform is open to all of them. */
const FEATURES: Record<string, readonly string[]> = {
  accounts: [],
  actions: ['cohorts'],
  capture: [],
  cohorts: ['persons'],
  dashboards: ['insights'],
  definitions: [],
  demo: ['cohorts', 'dashboards', 'flags'],
  events: [],
  flags: ['accounts'],
  groups: [],
  insights: ['persons'],
  persons: [],
  sdk: ['flags'],
  webhooks: [],
};

/** `core` and every `rules/` are pure: of packages they may use hashing, a matcher of patterns and the calendar. */
const PURE_PACKAGES = ['node:crypto', 're2js', 'temporal-polyfill'];
const WEB_PACKAGES = /^(?:fastify|@fastify\/|@sinclair\/typebox)/;

interface Rule {
  name: string;
  /** Where it is allowed all the same. */
  in: readonly string[];
  pattern: RegExp;
  instead: string;
}

const RULES: readonly Rule[] = [
  {
    name: 'reads the environment',
    in: ['config.ts', 'main.ts', 'cli.ts'],
    pattern: /\bprocess\.env\b/,
    instead: 'declare a setting in config.ts and receive it',
  },
  {
    name: 'reads the clock',
    in: ['lib'],
    pattern: /\bDate\.now\b|\bnew Date\(\s*\)|\bDate\(\s*\)/,
    instead: 'receive a Clock (lib/clock.ts), in core a plain number',
  },
  {
    name: 'takes chances',
    in: ['lib'],
    pattern: /\bMath\.random\b|\brandomUUID\b|\brandomBytes\b|\bgetRandomValues\b|\brandomInt\b/,
    instead: 'receive Ids (lib/ids.ts)',
  },
  {
    name: 'has a default export',
    in: [],
    pattern: /^export default\b|\bexport\s*\{[^}]*\bas default\b/m,
    instead: 'export it by its name',
  },
];

const NAMES = Object.keys(ROOMS).sort((a, b) => b.length - a.length);

function roomOf(path: string): string {
  const feature = /^features\/([^/]+)\//.exec(path)?.[1];
  if (feature !== undefined) return `features/${feature}`;
  return NAMES.find((name) => path === name || path.startsWith(`${name}/`)) ?? path.split('/', 1)[0] ?? path;
}

/** A feature's own tables: it may use the words of queries, and nobody else may use it. */
const isStore = (path: string): boolean => /^features\/[^/]+\/store\//.test(path);

function isAllowed(path: string, other: string): boolean {
  const room = roomOf(path);
  if (room === other) return true;
  const feature = /^features\/([^.]+)$/.exec(other)?.[1];
  const own = /^features\/([^.]+)$/.exec(room)?.[1];
  if (own !== undefined && other === 'stores/sql') return isStore(path);
  if (own !== undefined)
    return feature === undefined ? PLATFORM.includes(other) : (FEATURES[own] ?? []).includes(feature);
  return (ROOMS[room] ?? []).some((name) => name === other || (name === 'features/*' && feature !== undefined));
}

/** The edge of a feature is all of it that knows HTTP. */
const isEdge = (path: string): boolean => /^features\/[^/]+\/(?:api|public)\//.test(path);
const isManifest = (path: string): boolean => /^features\/[^/]+\/index\.ts$/.test(path);
const isRoutes = (path: string): boolean => /^features\/.*-routes\.ts$/.test(path);
const isPure = (path: string): boolean =>
  path.startsWith('core/') || /^features\/[^/]+\/(?:[^/]+\/)?rules\//.test(path);

const withoutComments = (text: string): string =>
  text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/(^|\s)\/\/.*$/gm, '$1');

/** Everything a file imports or re-exports, types too: a type is a dependency like any other. */
const importsOf = (text: string): string[] =>
  [...text.matchAll(/(?:\bfrom\s*|\bimport\s*\(?\s*)['"]([^'"]+)['"]/g)].map(([, specifier = '']) => specifier);
const relativeOf = (path: string, text: string): string[] =>
  importsOf(withoutComments(text))
    .filter((specifier) => specifier.startsWith('.'))
    .map((specifier) => normalize(join(dirname(path), specifier)));

interface Source {
  /** From src/: `features/accounts/api/role-routes.ts`. */
  path: string;
  text: string;
}

function packageProblem(path: string, specifier: string): string | undefined {
  if (isPure(path) && !PURE_PACKAGES.includes(specifier))
    return `pure code may import only ${PURE_PACKAGES.join(', ')} from outside`;
  const isInside = /^features\/[^/]+\//.test(path) && !isEdge(path) && !isManifest(path);
  return isInside && WEB_PACKAGES.test(specifier)
    ? 'only api/ and public/ of a feature know the web framework'
    : undefined;
}

function importProblem(path: string, target: string): string | undefined {
  const [room, other] = [roomOf(path), roomOf(target)];
  if (target.startsWith('..')) return 'sources import nothing outside of src/';
  if (!isAllowed(path, other)) return `${room} may not import from ${other}`;
  if (isStore(target) && room !== other && room !== 'runtime')
    return 'the tables of a feature are its own: what two read belongs into stores/';
  if (isPure(path) && !isPure(target)) return 'pure code imports only pure code';
  const isInside = /^features\/[^/]+\//.test(path) && !isEdge(path) && !isManifest(path);
  if (isInside && (other === 'http' || isEdge(target)))
    return 'only api/ and public/ of a feature import http/, and nothing else of it imports them';
  const isGatherer = room === 'runtime' || isManifest(path);
  if (isRoutes(target) && !isGatherer) return 'routes do not import each other: share through a file without routes';
  return isManifest(target) && room !== 'runtime' ? 'only runtime reads the manifest of a feature' : undefined;
}

function problemsOf({ path, text: whole }: Source): string[] {
  const text = withoutComments(whole);
  const room = roomOf(path);
  const feature = /^features\/([^.]+)$/.exec(room)?.[1];
  if (feature === undefined ? ROOMS[room] === undefined : FEATURES[feature] === undefined) {
    return [`${path}: the tables have no room called ${room}`];
  }
  const imports = importsOf(text).flatMap((specifier) => {
    const target = specifier.startsWith('.') ? normalize(join(dirname(path), specifier)) : specifier;
    const problem = specifier.startsWith('.') ? importProblem(path, target) : packageProblem(path, specifier);
    return problem === undefined ? [] : [`${path} imports ${target}; ${problem}`];
  });
  const lines = RULES.filter((rule) => !rule.in.includes(room) && rule.pattern.test(text));
  return [...imports, ...lines.map((rule) => `${path} ${rule.name}; ${rule.instead}`)];
}

/** Files that import each other in a circle. */
function circlesOf(edges: ReadonlyMap<string, readonly string[]>): string[][] {
  const circles: string[][] = [];
  const index = new Map<string, number>();
  const low = new Map<string, number>();
  const stack: string[] = [];
  const visit = (node: string): number => {
    const own = index.size;
    let least = own;
    index.set(node, own);
    stack.push(node);
    for (const next of edges.get(node) ?? []) {
      if (!index.has(next)) least = Math.min(least, visit(next));
      else if (stack.includes(next)) least = Math.min(least, index.get(next) ?? least);
    }
    low.set(node, least);
    if (least === own) {
      const circle = stack.splice(stack.indexOf(node));
      if (circle.length > 1) circles.push(circle);
    }
    return least;
  };
  for (const node of edges.keys()) if (!index.has(node)) visit(node);
  return circles;
}

const sources: Source[] = readdirSync(ROOT, { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts'))
  .map((path) => ({ path, text: readFileSync(join(ROOT, path), 'utf8') }));

describe('the sources', () => {
  it('are where the test looks for them', () => {
    expect(sources.length).toBeGreaterThan(700);
  });

  it('keep to the tables', () => {
    expect(sources.flatMap(problemsOf)).toEqual([]);
  });

  it('import files that exist', () => {
    const known = new Set(sources.map(({ path }) => path));
    const missing = sources.flatMap(({ path, text }) =>
      relativeOf(path, text)
        .filter((target) => !known.has(target))
        .map((target) => `${path} imports ${target}, which is not there`),
    );
    expect(missing).toEqual([]);
  });

  it('do not import each other in a circle', () => {
    expect(circlesOf(new Map(sources.map(({ path, text }) => [path, relativeOf(path, text)])))).toEqual([]);
  });
});

/** The console is a client like any other: of the server it knows the shapes on the wire, and those as types only. */
const SHAPES = /^src\/(?:http\/schemas\/.+|(?:features|operate)\/.+-schemas)\.ts$/;
const isTypeOnly = (text: string, specifier: string): boolean =>
  new RegExp(`import type \\{[^}]*\\} from ['"]${specifier.replaceAll('.', '\\.')}['"]`).test(text);

function consoleProblems(path: string, text: string): string[] {
  const bare = withoutComments(text);
  return importsOf(bare)
    .filter((specifier) => specifier.startsWith('.'))
    .map((specifier) => ({ specifier, target: normalize(join('console/src', dirname(path), specifier)) }))
    .filter(({ target }) => !target.startsWith('console/'))
    .filter(({ specifier, target }) => !SHAPES.test(target) || !isTypeOnly(bare, specifier))
    .map(({ target }) => `console/src/${path} imports ${target}; it may import only types, from files of schemas`);
}

describe('the console', () => {
  const folder = new URL('../console/src/', import.meta.url).pathname;
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((path) => /\.tsx?$/.test(path));

  it('imports nothing of the server but types of what is on the wire', () => {
    expect(files.length).toBeGreaterThan(40);
    expect(files.flatMap((path) => consoleProblems(path, readFileSync(join(folder, path), 'utf8')))).toEqual([]);
  });

  it('never turns a text into HTML', () => {
    const pattern = /dangerouslySetInnerHTML|\.innerHTML|\.outerHTML|insertAdjacentHTML|document\.write/;
    expect(files.filter((path) => pattern.test(readFileSync(join(folder, path), 'utf8')))).toEqual([]);
  });

  it.each([
    ['api/a.ts', "import { UserSchema } from '../../../src/features/accounts/api/user-schemas.ts';"],
    ['api/a.ts', "import type { Caller } from '../../../src/access/callers.ts';"],
    ['main.tsx', "import { VERSION } from '../../src/version.ts';"],
  ])('would be caught: %s: %s', (path, text) => {
    expect(consoleProblems(path, text)).toHaveLength(1);
  });
});

describe('the check itself', () => {
  const check = (path: string, text: string): string => problemsOf({ path, text }).join('\n');

  it.each([
    ['core/events/a.ts', "import { readFileSync } from 'node:fs';", 'pure code may import only node:crypto'],
    ['core/events/a.ts', "import type { Clock } from '../../lib/clock.ts';", 'core may not import from lib'],
    ['features/flags/rules/a.ts', "import { b } from '../decide/decide.ts';", 'pure code imports only pure code'],
    ['features/flags/manage/a.ts', "import { x } from '../../../http/errors.ts';", 'only api/ and public/'],
    ['features/flags/manage/a.ts', "import { x } from '../api/flag-body.ts';", 'only api/ and public/'],
    ['features/flags/manage/a.ts', "import type { FastifyReply } from 'fastify';", 'know the web framework'],
    [
      'features/flags/manage/a.ts',
      "import { x } from '../../../stores/sqlite/driver.ts';",
      'may not import from stores/sqlite',
    ],
    ['features/persons/a.ts', "import { x } from '../cohorts/cohorts.ts';", 'may not import from features/cohorts'],
    ['features/flags/a.ts', "import type { Sql } from '../../stores/sql/tables.ts';", 'may not import from stores/sql'],
    [
      'features/demo/a.ts',
      "import { x } from '../dashboards/store/dashboard-store.ts';",
      'the tables of a feature are its own',
    ],
    ['features/flags/api/a.ts', "import { x } from '../../../runtime/app.ts';", 'may not import from runtime'],
    ['features/accounts/api/a.ts', "import { userRoutes } from './user-routes.ts';", 'routes do not import each other'],
    ['ingest/process/a.ts', "import { x } from '../cluster/shipper.ts';", 'ingest may not import from ingest/cluster'],
    [
      'runtime/embedded/a.ts',
      "import { x } from '../../stores/postgres/pool.ts';",
      'may not import from stores/postgres',
    ],
    ['http/a.ts', "export * from '../features/flags/index.ts';", 'http may not import from features/flags'],
    ['stores/a.ts', "const x = await import('./sqlite/driver.ts');", 'stores may not import from stores/sqlite'],
    ['lib/a.ts', "import { x } from '../../test/support/server.ts';", 'nothing outside of src/'],
    ['ingest/a.ts', 'const port = process.env.PORT;', 'reads the environment'],
    ['access/a.ts', 'const now = Date.now();', 'reads the clock'],
    ['access/a.ts', 'const now = new Date( );', 'reads the clock'],
    ['access/a.ts', "import { randomUUID } from 'node:crypto';", 'takes chances'],
    ['lib/a.ts', 'export default function a() {}', 'has a default export'],
    ['cellar/a.ts', '', 'the tables have no room called cellar'],
    ['features/surveys/a.ts', '', 'the tables have no room called features/surveys'],
  ])('finds what is wrong in %s: %s', (path, text, problem) => {
    expect(check(path, text)).toContain(problem);
  });

  it.each([
    ['core/events/a.ts', "import { createHash } from 'node:crypto';\nimport { b } from '../json/b.ts';"],
    ['features/actions/store/a.ts', "import type { Sql } from '../../../stores/sql/tables.ts';"],
    ['features/demo/rules/a.ts', "import { bucket } from '../../flags/rules/bucket.ts';"],
    ['features/insights/funnel/rules/a.ts', "import { x } from '../../rules/question.ts';"],
    ['features/flags/index.ts', "import { flagRoutes } from './api/flag-routes.ts';"],
    ['runtime/features.ts', "import { flags } from '../features/flags/index.ts';"],
    ['http/a.ts', 'const shown = new Date(createdAt).toISOString();'],
    ['access/a.ts', '// Date.now() would be wrong here\n/* and so would\n process.env */'],
    ['lib/a.ts', 'export const now = () => Date.now();'],
  ])('finds nothing wrong in %s: %s', (path, text) => {
    expect(check(path, text)).toBe('');
  });

  it('finds circles', () => {
    const edges = new Map([
      ['a.ts', ['b.ts']],
      ['b.ts', ['c.ts']],
      ['c.ts', ['b.ts', 'd.ts']],
      ['d.ts', []],
    ]);
    expect(circlesOf(edges)).toEqual([['b.ts', 'c.ts']]);
  });
});
