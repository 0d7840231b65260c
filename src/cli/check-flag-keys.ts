/** Searches code for flags that are gone or stale, as plain text. */
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';

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

/** Files as they are, and all code below folders. */
export async function listCode(paths: readonly string[]): Promise<string[]> {
  const found: string[] = [];
  for (const path of paths) {
    if (!(await stat(path)).isDirectory()) found.push(path);
    else {
      const inner = (await readdir(path)).filter((name) => !SKIPPED.test(name)).sort();
      const kept = inner.map((name) => join(path, name));
      for (const one of kept) {
        if ((await stat(one)).isDirectory()) found.push(...(await listCode([one])));
        else if (CODE.test(one)) found.push(one);
      }
    }
  }
  return found;
}

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
