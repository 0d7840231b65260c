/** Searches code for flags that are gone or stale, as plain text. */
import { readdir, readFile, stat } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';

interface KeyState {
  key: string;
  state: 'active' | 'stale' | 'deleted';
}

interface KeyProblem {
  file: string;
  line: number;
  key: string;
  problem: string;
}

const CODE = /\.(?:[cm]?[jt]sx?|vue|svelte|astro|py|rb|php|go|java|kt|swift|dart|cs|ex|exs|rs)$/;
const SKIPPED = /^(?:\.|node_modules$|dist$|build$|vendor$)/;

/** Files as they are, all code below folders, and what matches patterns such as `src/**.{ts,tsx}`. */
export async function listCode(paths: readonly string[]): Promise<string[]> {
  const found: string[] = [];
  for (const path of paths) {
    if (isPattern(path)) found.push(...(await listMatching(path)));
    else if ((await stat(path)).isDirectory()) found.push(...(await listBelow(path)).filter((file) => CODE.test(file)));
    else found.push(path);
  }
  return [...new Set(found)];
}

async function listBelow(folder: string): Promise<string[]> {
  const found: string[] = [];
  for (const name of (await readdir(folder)).filter((one) => !SKIPPED.test(one)).sort()) {
    const path = join(folder, name);
    if ((await stat(path)).isDirectory()) found.push(...(await listBelow(path)));
    else found.push(path);
  }
  return found;
}

const isPattern = (path: string): boolean => /[*?{]/.test(path);

/** Of all files below the part of the pattern that has no wildcard. */
async function listMatching(pattern: string): Promise<string[]> {
  const parts = pattern.split('/');
  const fixed = parts.slice(0, parts.findIndex(isPattern)).join('/');
  const matches = globExpression(parts.slice(fixed === '' && !pattern.startsWith('/') ? 0 : fixed.split('/').length));
  const folder = fixed === '' ? (pattern.startsWith('/') ? '/' : '.') : fixed;
  return (await listBelow(folder)).filter((file) => matches.test(relative(folder, file).split(sep).join('/')));
}

const GLOB: Readonly<Record<string, string>> = {
  '**/': '(?:.*/)?',
  '**': '.*',
  '*': '[^/]*',
  '?': '[^/]',
  '{': '(?:',
  '}': ')',
  ',': '|',
};

/** A comma separates alternatives; file names with one are rare. */
const globExpression = (parts: readonly string[]): RegExp =>
  new RegExp(
    `^${parts.join('/').replace(/\*\*\/|\*\*|[*?{},]|[\\^$.+()[\]|]/g, (found) => GLOB[found] ?? `\\${found}`)}$`,
  );

/** Calls that ask for a flag, with the key as text. */
const ASKS =
  /\b(?:getFeatureFlag(?:Payload|Result)?|isFeatureEnabled|useFeatureFlag(?:Enabled|VariantKey|Payload)?|feature_enabled|get_feature_flag(?:_payload)?)\(\s*(['"`])((?:(?!\1).)+)\1/g;
const QUOTED = /(['"`])((?:(?!\1).){1,400})\1/g;

export async function checkFlagKeys(files: readonly string[], keys: readonly KeyState[]): Promise<KeyProblem[]> {
  const states = new Map(keys.map(({ key, state }) => [key, state]));
  const problems: KeyProblem[] = [];
  for (const file of files) {
    for (const [at, line] of (await readFile(file, 'utf8')).split('\n').entries()) {
      const gone = new Map<string, string>();
      for (const [, , key = ''] of line.matchAll(QUOTED)) {
        if (states.get(key) === 'deleted') gone.set(key, 'was deleted');
        if (states.get(key) === 'stale') gone.set(key, 'is stale');
      }
      for (const [, , key = ''] of line.matchAll(ASKS)) if (!states.has(key)) gone.set(key, 'does not exist');
      problems.push(...[...gone].map(([key, problem]) => ({ file, line: at + 1, key, problem })));
    }
  }
  return problems;
}
