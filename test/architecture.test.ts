/**
 * Which module may import which, as tables, and a check that the sources keep to them. A new feature adds a row to
 * FEATURES. Any other change of a table is a decision: write it down in docs/decisions/.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, expect, it } from 'vitest';

const ROOT = new URL('../src/', import.meta.url).pathname;

/** The interfaces of the stores, and what they are made of. */
const INTERFACES = ['stores', 'core', 'lib'];
const ENGINES = [
  'stores/sql',
  'stores/sqlite',
  'stores/postgres',
  'stores/segment-log',
  'stores/duckdb',
  'stores/clickhouse',
  'stores/embedded',
];
const PLATFORM = ['features/feature.ts', 'http', 'access', 'query', 'ingest', ...INTERFACES, 'config.ts', 'version.ts'];
const EVERYTHING = [...PLATFORM, 'features/*', 'ingest/cluster', 'stores/cluster', ...ENGINES];

/** Module → what it may import, besides itself. The longest name that matches a path is its module. */
const MODULES: Record<string, readonly string[]> = {
  core: [],
  // lib/rpc.ts passes failures between threads.
  lib: ['core'],
  stores: ['core', 'lib'],
  'stores/cluster': INTERFACES,
  'stores/sql': INTERFACES,
  'stores/sqlite': [...INTERFACES, 'stores/sql'],
  'stores/postgres': [...INTERFACES, 'stores/sql', 'stores/cluster'],
  'stores/segment-log': INTERFACES,
  'stores/duckdb': INTERFACES,
  'stores/clickhouse': [...INTERFACES, 'stores/cluster'],
  // The data folder as a whole: snapshots and checks.
  'stores/embedded': [...INTERFACES, 'stores/sqlite', 'stores/segment-log', 'stores/duckdb'],
  access: INTERFACES,
  query: INTERFACES,
  ingest: INTERFACES,
  'ingest/cluster': [...INTERFACES, 'ingest', 'stores/cluster'],
  http: ['access', ...INTERFACES, 'config.ts', 'version.ts'],
  // The type of a manifest.
  'features/feature.ts': ['http', 'lib', 'stores/sql'],
  operate: [...PLATFORM, 'features/*'],
  // Copies from one backend to the other, so it knows both.
  'operate/move': ['operate', 'ingest/cluster', 'stores/cluster', ...INTERFACES, ...ENGINES, 'version.ts'],
  // Only runtime opens engines; each backend only its own.
  runtime: [...EVERYTHING, 'operate', 'runtime/embedded', 'runtime/cluster'],
  'runtime/embedded': [
    'runtime',
    ...PLATFORM,
    'features/*',
    'stores/sql',
    'stores/sqlite',
    'stores/segment-log',
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
  // Has no stores but a log of what it forwards.
  'runtime/relay': ['runtime', ...PLATFORM, 'features/*', 'stores/segment-log'],
  // Works through `operate`. It also opens the app without a server, and restores data folders.
  cli: [
    'operate',
    'operate/move',
    'runtime',
    ...INTERFACES,
    'stores/sqlite',
    'stores/embedded',
    'config.ts',
    'version.ts',
  ],
  'main.ts': [],
  'serve.ts': ['runtime', 'lib', 'config.ts', 'version.ts'],
  'relay.ts': ['runtime', 'runtime/relay', 'lib', 'config.ts', 'version.ts'],
  'cli.ts': ['cli', 'config.ts'],
  'config.ts': [],
  'version.ts': [],
};

/** Feature → the features it may import. All of them may import the platform. */
const FEATURES: Record<string, readonly string[]> = {
  accounts: [],
  actions: ['cohorts'],
  alerts: ['accounts', 'dashboards', 'deliveries', 'insights', 'sql'],
  annotations: [],
  approvals: ['deliveries'],
  audit: ['deliveries'],
  'batch-exports': ['deliveries', 'destinations', 'persons', 'webhooks'],
  capture: [],
  cohorts: ['persons'],
  dashboards: ['insights', 'sql'],
  definitions: [],
  deliveries: ['webhooks'],
  destinations: ['deliveries', 'insights', 'webhooks'],
  demo: ['cohorts', 'dashboards', 'experiments', 'flags'],
  'early-access': ['flags'],
  events: [],
  experiments: ['cohorts', 'deliveries', 'flags', 'insights'],
  flags: ['accounts', 'approvals'],
  geoip: [],
  groups: [],
  insights: ['persons'],
  persons: [],
  promotion: ['approvals', 'cohorts', 'definitions', 'flags'],
  'scheduled-changes': ['approvals', 'deliveries', 'flags'],
  sdk: ['flags'],
  sharing: ['accounts', 'dashboards', 'insights', 'sql', 'web-analytics'],
  sql: ['experiments', 'insights'],
  subscriptions: ['accounts', 'dashboards', 'deliveries', 'insights', 'sharing', 'sql'],
  'web-analytics': ['insights'],
  mcp: ['flags'],
  webhooks: [],
};

/** The only packages that pure code (`core` and every `rules/`) may import. */
const PURE_PACKAGES = ['node:crypto', 'croner', 'isbot', 're2js', 'temporal-polyfill'];
const WEB_PACKAGES = /^(?:fastify|@fastify\/|@sinclair\/typebox)/;

interface Rule {
  name: string;
  /** Modules where it is allowed. */
  in: readonly string[];
  pattern: RegExp;
  instead: string;
}

const RULES: readonly Rule[] = [
  {
    name: 'reads the environment',
    in: ['config.ts', 'main.ts', 'serve.ts', 'relay.ts', 'cli.ts'],
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
    name: 'uses random values',
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

const NAMES = Object.keys(MODULES).sort((a, b) => b.length - a.length);

function moduleOf(path: string): string {
  const feature = /^features\/([^/]+)\//.exec(path)?.[1];
  if (feature !== undefined) return `features/${feature}`;
  return NAMES.find((name) => path === name || path.startsWith(`${name}/`)) ?? path.split('/', 1)[0] ?? path;
}

/** A feature's own tables: may import `stores/sql`, and is closed to other features. */
const isStore = (path: string): boolean => /^features\/[^/]+\/store\//.test(path);

function isAllowed(path: string, other: string): boolean {
  const module = moduleOf(path);
  if (module === other) return true;
  const feature = /^features\/([^.]+)$/.exec(other)?.[1];
  const own = /^features\/([^.]+)$/.exec(module)?.[1];
  if (own !== undefined && other === 'stores/sql') return isStore(path);
  if (own !== undefined)
    return feature === undefined ? PLATFORM.includes(other) : (FEATURES[own] ?? []).includes(feature);
  return (MODULES[module] ?? []).some((name) => name === other || (name === 'features/*' && feature !== undefined));
}

/** The part of a feature that knows HTTP. */
const isEdge = (path: string): boolean => /^features\/[^/]+\/(?:api|public)\//.test(path);
const isManifest = (path: string): boolean => /^features\/[^/]+\/index\.ts$/.test(path);
const isRoutes = (path: string): boolean => /^features\/.*-routes\.ts$/.test(path);
const isPure = (path: string): boolean =>
  path.startsWith('core/') || /^features\/[^/]+\/(?:[^/]+\/)?rules\//.test(path);

const withoutComments = (text: string): string =>
  text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/(^|\s)\/\/.*$/gm, '$1');

/** Everything a file imports or re-exports, types too. */
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
  const [module, other] = [moduleOf(path), moduleOf(target)];
  if (target.startsWith('..')) return 'sources import nothing outside of src/';
  if (!isAllowed(path, other)) return `${module} may not import from ${other}`;
  const isRuntime = module === 'runtime' || module === 'runtime/relay';
  if (isStore(target) && module !== other && !isRuntime)
    return 'the tables of a feature are its own: tables that two features read belong in stores/';
  if (isPure(path) && !isPure(target)) return 'pure code imports only pure code';
  const isInside = /^features\/[^/]+\//.test(path) && !isEdge(path) && !isManifest(path);
  if (isInside && (other === 'http' || isEdge(target)))
    return 'only api/ and public/ of a feature import http/, and nothing else of it imports them';
  const isGatherer = isRuntime || isManifest(path);
  if (isRoutes(target) && !isGatherer) return 'routes do not import each other: share through a file without routes';
  return isManifest(target) && module !== 'runtime' ? 'only runtime reads the manifest of a feature' : undefined;
}

function problemsOf({ path, text: source }: Source): string[] {
  const text = withoutComments(source);
  const module = moduleOf(path);
  const feature = /^features\/([^.]+)$/.exec(module)?.[1];
  if (feature === undefined ? MODULES[module] === undefined : FEATURES[feature] === undefined) {
    return [`${path}: the tables have no module called ${module}`];
  }
  const imports = importsOf(text).flatMap((specifier) => {
    const target = specifier.startsWith('.') ? normalize(join(dirname(path), specifier)) : specifier;
    const problem = specifier.startsWith('.') ? importProblem(path, target) : packageProblem(path, specifier);
    return problem === undefined ? [] : [`${path} imports ${target}; ${problem}`];
  });
  const lines = RULES.filter((rule) => !rule.in.includes(module) && rule.pattern.test(text));
  return [...imports, ...lines.map((rule) => `${path} ${rule.name}; ${rule.instead}`)];
}

/** Files that import each other in a cycle. */
function cyclesOf(edges: ReadonlyMap<string, readonly string[]>): string[][] {
  const cycles: string[][] = [];
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
      const cycle = stack.splice(stack.indexOf(node));
      if (cycle.length > 1) cycles.push(cycle);
    }
    return least;
  };
  for (const node of edges.keys()) if (!index.has(node)) visit(node);
  return cycles;
}

const sources: Source[] = readdirSync(ROOT, { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts'))
  .map((path) => ({ path, text: readFileSync(join(ROOT, path), 'utf8') }));

describe('the sources', () => {
  it('are found', () => {
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
        .map((target) => `${path} imports ${target}, which does not exist`),
    );
    expect(missing).toEqual([]);
  });

  it('have migrations with numbers that are unique, without gaps', () => {
    const numbers = sources
      .flatMap(({ text }) =>
        [...text.matchAll(/: Migration = \{\s+number: (\d+),/g)].map(([, number]) => Number(number)),
      )
      .sort((a, b) => a - b);
    expect(numbers).toEqual(numbers.map((_, at) => at + 1));
    expect(numbers.length).toBeGreaterThan(16);
  });

  it('have no import cycles', () => {
    expect(cyclesOf(new Map(sources.map(({ path, text }) => [path, relativeOf(path, text)])))).toEqual([]);
  });
});

/** Names that a file exports, and names that it imports from another file, as `path#name`. */
const exportsOf = (text: string): string[] => [...withoutComments(text).matchAll(EXPORT)].map(([, name = '']) => name);
const EXPORT = /^export (?:abstract )?(?:async )?(?:function\*?|class|interface|type|const|let) (\w+)/gm;
const NAMED_IMPORT = /(?:import|export)\s+(?:type\s+)?\{([^}]*)\}\s*from\s*'(\.[^']+)'/g;
const WHOLE_IMPORT = /(?:import\s+\*\s+as\s+\w+\s+from\s*|import\(\s*)'(\.[^']+)'/g;

function usesOf(path: string, text: string, exported: (path: string) => readonly string[]): string[] {
  const code = withoutComments(text);
  const target = (specifier = ''): string => normalize(join(dirname(path), specifier));
  const nameOf = (item: string): string =>
    item
      .trim()
      .replace(/^type\s+/, '')
      .split(/\s+as\s+/)[0] ?? '';
  const named = [...code.matchAll(NAMED_IMPORT)].flatMap(([, names = '', specifier]) =>
    names.split(',').map((item) => `${target(specifier)}#${nameOf(item)}`),
  );
  const whole = [...code.matchAll(WHOLE_IMPORT)].flatMap(([, specifier]) =>
    exported(target(specifier)).map((name) => `${target(specifier)}#${name}`),
  );
  return [...named, ...whole];
}

const unusedExports = (files: readonly Source[], users: readonly Source[]): string[] => {
  const exported = new Map(files.map(({ path, text }) => [path, exportsOf(text)]));
  const used = new Set(users.flatMap(({ path, text }) => usesOf(path, text, (other) => exported.get(other) ?? [])));
  return [...exported].flatMap(([path, names]) =>
    [...new Set(names)].map((name) => `${path}#${name}`).filter((name) => !used.has(name)),
  );
};

function sharedNames(files: readonly Source[]): string[] {
  const byName = new Map<string, Set<string>>();
  for (const { path, text } of files) {
    for (const name of exportsOf(text)) byName.set(name, (byName.get(name) ?? new Set()).add(path));
  }
  return [...byName].flatMap(([name, paths]) => (paths.size > 1 ? [`${name}: ${[...paths].sort().join(', ')}`] : []));
}

/** Used by the modules that extend `Tables` with `declare module`, where it is in scope without an import. */
const USED_WITHOUT_IMPORT = ['src/stores/sql/tables.ts#Flag'];

describe('exports', () => {
  const root = new URL('../', import.meta.url).pathname;
  const read = (folder: string): Source[] =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((path) => /\.tsx?$/.test(path))
      .map((path) => ({ path: `${folder}/${path}`, text: readFileSync(join(root, folder, path), 'utf8') }));
  const all = ['src', 'test', 'bench', 'torture', 'scripts', 'console/src'].flatMap(read);
  const own = all.filter(({ path }) => path.startsWith('src/') && !path.endsWith('.test.ts'));

  it('are all used by another file', () => {
    expect(unusedExports(own, all).filter((name) => !USED_WITHOUT_IMPORT.includes(name))).toEqual([]);
  });

  it('have a name that no other file exports', () => {
    expect(sharedNames(own)).toEqual([]);
  });

  it('are found out when they are not used, or named like another', () => {
    const files = [
      { path: 'src/a.ts', text: 'export const one = 1;\nexport interface Two {}\nexport function three() {}' },
      { path: 'src/b.ts', text: "import { one, type Two } from './a.ts';\nexport const one = 2;" },
      { path: 'src/c.ts', text: "import * as b from './b.ts';" },
    ];
    expect(unusedExports(files, files)).toEqual(['src/a.ts#three']);
    expect(sharedNames(files)).toEqual(['one: src/a.ts, src/b.ts']);
  });
});

/** The console is a client of the API: it may import the types of schemas, nothing else. */
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
    .map(({ target }) => `console/src/${path} imports ${target}; it may import only types, and only from schema files`);
}

describe('the console', () => {
  const folder = new URL('../console/src/', import.meta.url).pathname;
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((path) => /\.tsx?$/.test(path));

  it('imports nothing of the server but the types of schemas', () => {
    expect(files.length).toBeGreaterThan(40);
    expect(files.flatMap((path) => consoleProblems(path, readFileSync(join(folder, path), 'utf8')))).toEqual([]);
  });

  it('never inserts text as HTML', () => {
    const pattern = /dangerouslySetInnerHTML|\.innerHTML|\.outerHTML|insertAdjacentHTML|document\.write/;
    expect(files.filter((path) => pattern.test(readFileSync(join(folder, path), 'utf8')))).toEqual([]);
  });

  it.each([
    ['api/a.ts', "import { UserSchema } from '../../../src/features/accounts/api/user-schemas.ts';"],
    ['api/a.ts', "import type { Caller } from '../../../src/access/callers.ts';"],
    ['main.tsx', "import { VERSION } from '../../src/version.ts';"],
  ])('finds the problem in %s: %s', (path, text) => {
    expect(consoleProblems(path, text)).toHaveLength(1);
  });
});

/** What a file of the oracle imports besides types and its own files. */
const oracleImports = (text: string): string[] =>
  [...withoutComments(text).matchAll(/^\s*(?:import|export)\b(?!\s+type\b)[^;]*?\bfrom '([^']+)'/gm)]
    .map(([, specifier = '']) => specifier)
    .concat([...withoutComments(text).matchAll(/\b(?:import|require)\(\s*'([^']+)'/g)].map(([, path = '']) => path))
    .filter((specifier) => !/^\.\/[\w-]+\.ts$/.test(specifier) && specifier !== 'temporal-polyfill');

describe('the oracle', () => {
  const folder = new URL('./oracle/', import.meta.url).pathname;
  const files = readdirSync(folder).filter((path) => !path.endsWith('.test.ts'));

  it('shares types with the sources that it checks, and no code', () => {
    expect(files).toContain('trends.ts');
    const found = files.flatMap((path) =>
      oracleImports(readFileSync(join(folder, path), 'utf8')).map((one) => `${path}: ${one}`),
    );
    expect(found).toEqual([]);
  });

  it.each([
    ["import { activeWindow } from '../../src/core/time/active-window.ts';", ['../../src/core/time/active-window.ts']],
    ["import {\n  type A,\n  b,\n} from '../../src/a.ts';", ['../../src/a.ts']],
    ["export { a } from '../../src/a.ts';", ['../../src/a.ts']],
    ["const a = await import('../../src/a.ts');", ['../../src/a.ts']],
    ["import { tools } from '../support/oracle-answers.ts';", ['../support/oracle-answers.ts']],
    ["import type { Range } from '../../src/core/time/range.ts';\nimport { World } from './world.ts';", []],
  ])('is found out: %j', (text, found) => {
    expect(oracleImports(text)).toEqual(found);
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
    ['access/a.ts', "import { randomUUID } from 'node:crypto';", 'uses random values'],
    ['lib/a.ts', 'export default function a() {}', 'has a default export'],
    ['features/flags/a.ts', "import { x } from '../cohorts/index.ts';", 'may not import from features/cohorts'],
    ['operate/a.ts', "import { x } from '../features/flags/index.ts';", 'only runtime reads the manifest'],
    ['runtime/cluster/a.ts', "import { x } from '../../stores/duckdb/engine.ts';", 'may not import from stores/duckdb'],
    ['query/a.ts', "import { x } from '../http/errors.ts';", 'query may not import from http'],
    ['cli/a.ts', "import { x } from '../features/flags/rules/bucket.ts';", 'cli may not import from features/flags'],
    ['cellar/a.ts', '', 'the tables have no module called cellar'],
    ['features/surveys/a.ts', '', 'the tables have no module called features/surveys'],
  ])('finds the problem in %s: %s', (path, text, problem) => {
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
  ])('accepts %s: %s', (path, text) => {
    expect(check(path, text)).toBe('');
  });

  it('finds import cycles', () => {
    const edges = new Map([
      ['a.ts', ['b.ts']],
      ['b.ts', ['c.ts']],
      ['c.ts', ['b.ts', 'd.ts']],
      ['d.ts', []],
    ]);
    expect(cyclesOf(edges)).toEqual([['b.ts', 'c.ts']]);
  });
});
