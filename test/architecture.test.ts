/**
 * The map of the rooms, as data, and a check that the sources keep to it. To change the map is a decision: write it
 * down in docs/decisions/.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, expect, it } from 'vitest';

const ROOT = new URL('../src/', import.meta.url).pathname;

/** Drawers hold implementations; the interfaces lie on top of them, in `stores/*.ts`. */
const DRAWERS = [
  'stores/sql',
  'stores/sqlite',
  'stores/postgres',
  'stores/duckdb',
  'stores/clickhouse',
  'stores/embedded',
];
const ROUTES_OF_DATA = ['ingest', 'manage', 'decide', 'insights'];

/** Room → the rooms it may import from, besides itself. `top` is src/*.ts that is not named. */
const MAP: Record<string, readonly string[]> = {
  core: [],
  // Failures cross from thread to thread (lib/rpc.ts), so lib knows what a failure is.
  lib: ['core'],
  stores: ['core', 'lib'],
  'stores/contract': ['stores', 'core', 'lib'],
  'stores/sql': ['stores', 'core', 'lib'],
  'stores/sqlite': ['stores', 'stores/sql', 'core', 'lib'],
  'stores/postgres': ['stores', 'stores/sql', 'core', 'lib'],
  'stores/duckdb': ['stores', 'core', 'lib'],
  'stores/clickhouse': ['stores', 'core', 'lib'],
  // What lies in one folder, as a whole: copied, looked through.
  'stores/embedded': ['stores', 'stores/sqlite', 'stores/duckdb', 'core', 'lib'],
  ingest: ['stores', 'core', 'lib'],
  manage: ['stores', 'core', 'lib'],
  decide: ['stores', 'core', 'lib'],
  insights: ['stores', 'core', 'lib'],
  http: [...ROUTES_OF_DATA, 'stores', 'core', 'lib', 'config.ts', 'version.ts'],
  // What operators do to an installation as a whole, and the door they come in by.
  operate: [...ROUTES_OF_DATA, 'stores', 'core', 'lib', 'version.ts'],
  // The command line works through `operate`; only it opens the app without a server, and restores a folder that nobody uses.
  cli: [
    'operate',
    'move',
    'app.ts',
    'stores',
    'stores/embedded',
    'stores/sqlite',
    'core',
    'lib',
    'config.ts',
    'version.ts',
    'welcome.ts',
  ],
  'cli.ts': ['cli', 'config.ts'],
  'config.ts': [],
  'version.ts': [],
  'welcome.ts': ['manage'],
  // Only a set opens implementations; the rest of the house does not ask which they are.
  sets: [...ROUTES_OF_DATA, 'stores', ...DRAWERS, 'core', 'lib', 'config.ts'],
  // It copies from one set to the other, table by table, so it knows both.
  move: ['ingest', 'stores', ...DRAWERS, 'core', 'lib'],
  'chores.ts': ['sets', 'manage', 'decide', 'insights', 'stores', 'lib', 'config.ts'],
  'app.ts': [
    'http',
    'operate',
    'sets',
    'chores.ts',
    ...ROUTES_OF_DATA,
    'stores',
    'core',
    'lib',
    'config.ts',
    'version.ts',
  ],
  'worker.ts': [...ROUTES_OF_DATA, 'stores', ...DRAWERS, 'core', 'lib', 'config.ts', 'version.ts'],
  'large-worker.ts': [...ROUTES_OF_DATA, 'stores', ...DRAWERS, 'core', 'lib', 'config.ts', 'version.ts'],
  'main.ts': ['app.ts', 'config.ts', 'welcome.ts', 'version.ts', 'lib'],
};

/** `core` is pure: outside of this repository it may use hashing, a matcher of patterns and the calendar, nothing else. */
const PACKAGES: Record<string, readonly string[]> = { core: ['node:crypto', 're2js', 'temporal-polyfill'] };

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

interface Source {
  /** From src/: `http/api/roles.ts`. */
  path: string;
  text: string;
}

function roomOf(path: string): string {
  const [first = '', second = '', ...rest] = path.split('/');
  if (second === '') return first;
  return first === 'stores' && rest.length > 0 ? `stores/${second}` : first;
}

const withoutComments = (text: string): string =>
  text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/(^|\s)\/\/.*$/gm, '$1');

/** Everything a file imports or re-exports, types too: a type is a dependency like any other. */
const importsOf = (text: string): string[] =>
  [...text.matchAll(/(?:\bfrom\s*|\bimport\s*\(?\s*)['"]([^'"]+)['"]/g)].map(([, specifier = '']) => specifier);

const isRoutes = (text: string): boolean => /export (?:async )?function \w*Routes\b/.test(text);
/** A shape may be shared between routes; behaviour may not. */
const isTypeOnly = (text: string, specifier: string): boolean =>
  new RegExp(`import type \\{[^}]*\\} from ['"]${specifier.replaceAll('.', '\\.')}['"]`).test(text);
const GATHERERS = /^http\/(?:server\.ts|(?:.*\/)?index\.ts)$/;

function problemsOf({ path, text: whole }: Source, find: (path: string) => string | undefined): string[] {
  const text = withoutComments(whole);
  const room = roomOf(path);
  const allowed = MAP[room];
  if (allowed === undefined) return [`${path}: the map has no room called ${room}`];
  const problems: string[] = [];
  for (const specifier of importsOf(text)) {
    if (!specifier.startsWith('.')) {
      const packages = PACKAGES[room];
      if (packages && !packages.includes(specifier)) {
        problems.push(`${path} imports ${specifier}; ${room} may import only ${packages.join(', ')} from outside`);
      }
      continue;
    }
    const target = normalize(join(dirname(path), specifier));
    const other = roomOf(target);
    if (other !== room && !allowed.includes(other)) {
      problems.push(`${path} imports ${target}; ${room} may import from: ${[room, ...allowed].join(', ')}`);
    }
    if (other === 'http' && isRoutes(find(target) ?? '') && !GATHERERS.test(path) && !isTypeOnly(text, specifier)) {
      problems.push(`${path} imports ${target}; routes do not import each other: share through a file without routes`);
    }
  }
  for (const rule of RULES) {
    if (rule.in.includes(room) || !rule.pattern.test(text)) continue;
    problems.push(`${path} ${rule.name}; ${rule.instead}`);
  }
  return problems;
}

const sources: Source[] = readdirSync(ROOT, { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts'))
  .map((path) => ({ path, text: readFileSync(join(ROOT, path), 'utf8') }));
const find = (path: string): string | undefined => sources.find((source) => source.path === path)?.text;

describe('the sources', () => {
  it('are where the test looks for them', () => {
    expect(sources.length).toBeGreaterThan(40);
  });

  it('keep to the map', () => {
    expect(sources.flatMap((source) => problemsOf(source, find))).toEqual([]);
  });

  it('import files that exist', () => {
    const missing = sources.flatMap(({ path, text }) =>
      importsOf(withoutComments(text))
        .filter((specifier) => specifier.startsWith('.'))
        .map((specifier) => normalize(join(dirname(path), specifier)))
        .filter((target) => find(target) === undefined)
        .map((target) => `${path} imports ${target}, which is not there`),
    );
    expect(missing).toEqual([]);
  });
});

/** The console is a client like any other: of the server it knows the shapes on the wire, and those as types only. */
function consoleProblems(path: string, text: string): string[] {
  const bare = withoutComments(text);
  return importsOf(bare)
    .filter((specifier) => specifier.startsWith('.'))
    .map((specifier) => ({ specifier, target: normalize(join('console/src', dirname(path), specifier)) }))
    .filter(({ target }) => !target.startsWith('console/'))
    .filter(({ specifier, target }) => !target.startsWith('src/http/schemas/') || !isTypeOnly(bare, specifier))
    .map(({ target }) => `console/src/${path} imports ${target}; it may import only types, from src/http/schemas`);
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
    ['api/a.ts', "import { UserSchema } from '../../../src/http/schemas/user.ts';"],
    ['api/a.ts', "import type { Caller } from '../../../src/manage/callers.ts';"],
    ['main.tsx', "import { VERSION } from '../../src/version.ts';"],
  ])('would be caught: %s: %s', (path, text) => {
    expect(consoleProblems(path, text)).toHaveLength(1);
  });
});

describe('the check itself', () => {
  const check = (path: string, text: string): string => problemsOf({ path, text }, find).join('\n');

  it.each([
    [
      'core/flags/a.ts',
      "import { readFileSync } from 'node:fs';",
      'core may import only node:crypto, re2js, temporal-polyfill from outside',
    ],
    ['core/flags/a.ts', "import type { Clock } from '../../lib/clock.ts';", 'core may import from: core'],
    ['manage/a.ts', "import { x } from '../http/errors.ts';", 'manage may import from'],
    ['manage/a.ts', "import { x } from '../stores/sqlite/driver.ts';", 'manage may import from'],
    ['manage/a.ts', "export * from '../ingest/accept.ts';", 'manage may import from'],
    ['http/api/a.ts', "const x = await import('../../stores/sql/users.ts');", 'http may import from'],
    ['stores/a.ts', "import { x } from './sqlite/driver.ts';", 'stores may import from'],
    ['http/api/roles.ts', "import { userRoutes } from './users.ts';", 'routes do not import each other'],
    ['ingest/a.ts', 'const port = process.env.PORT;', 'reads the environment'],
    ['manage/a.ts', 'const now = Date.now();', 'reads the clock'],
    ['manage/a.ts', 'const now = new Date( );', 'reads the clock'],
    ['manage/a.ts', "import { randomUUID } from 'node:crypto';", 'takes chances'],
    ['lib/a.ts', 'export default function a() {}', 'has a default export'],
    ['cellar/a.ts', '', 'the map has no room called cellar'],
  ])('finds what is wrong in %s: %s', (path, text, problem) => {
    expect(check(path, text)).toContain(problem);
  });

  it.each([
    ['core/events/a.ts', "import { createHash } from 'node:crypto';\nimport { b } from '../flags/b.ts';"],
    ['http/api/index.ts', "import { userRoutes } from './users.ts';"],
    ['http/api/a.ts', 'const shown = new Date(createdAt).toISOString();'],
    ['manage/a.ts', '// Date.now() would be wrong here\n/* and so would\n process.env */'],
    ['lib/a.ts', 'export const now = () => Date.now();'],
  ])('finds nothing wrong in %s: %s', (path, text) => {
    expect(check(path, text)).toBe('');
  });
});
