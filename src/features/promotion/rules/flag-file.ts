/**
 * All flags of a project in one file, for version control: sorted, with names instead of ids and without times, so that the
 * same flags are the same text. Cohorts that conditions refer to are in it; of a static one only its name.
 */
import { invalid } from '../../../core/errors.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../core/json/json.ts';
import type { PortableCohort } from './portable-cohort.ts';
import { normalizeFilters, type PortableFlag, sortKeys } from './portable-flag.ts';

export interface FlagFile {
  cohorts: PortableCohort[];
  flags: PortableFlag[];
}

const FORMAT = 1;
const MAX_FLAGS = 10_000;
const MAX_DEPTH = 64;

export const fileToJson = ({ cohorts, flags }: FlagFile): JsonObject => ({ format: FORMAT, cohorts, flags });

/** Indented, with all digits of long numbers, and a line break at the end. */
export const writeFlagFile = (file: FlagFile): string => `${indented(fileToJson(file), '')}\n`;

function indented(value: Json, margin: string): string {
  if (typeof value === 'bigint') return value.toString();
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const inner = `${margin}  `;
  if (Array.isArray(value))
    return block(
      '[',
      ']',
      margin,
      value.map((item) => inner + indented(item, inner)),
    );
  const fields = Object.entries(value).map(([key, item]) => `${inner}${JSON.stringify(key)}: ${indented(item, inner)}`);
  return block('{', '}', margin, fields);
}

const block = (open: string, close: string, margin: string, lines: readonly string[]): string =>
  lines.length === 0 ? open + close : `${open}\n${lines.join(',\n')}\n${margin}${close}`;

/** Throws for anything that it does not understand: a field with a wrong name would be lost otherwise. */
export function readFlagFile(value: unknown): FlagFile {
  if (!isJsonObject(value)) throw refuse('', 'A flags file is an object with `format`, `cohorts` and `flags`.');
  if (isTooDeep(value)) throw refuse('', `It is nested more than ${MAX_DEPTH} levels deep.`);
  onlyFields('', value, ['format', 'cohorts', 'flags']);
  if (value['format'] !== FORMAT) throw refuse('format', `The format of this version is ${FORMAT}.`);
  const cohorts = listIn(value, 'cohorts').map(readCohort);
  const flags = listIn(value, 'flags').map(readFlag);
  if (flags.length > MAX_FLAGS) throw refuse('flags', `A file may have up to ${MAX_FLAGS} flags.`);
  requireUnique(
    'cohorts',
    cohorts.map(({ name }) => name),
  );
  requireUnique(
    'flags',
    flags.map(({ key }) => key),
  );
  return { cohorts, flags };
}

/** With a stack of its own: it may be nested too deeply for recursion. */
function isTooDeep(value: Json): boolean {
  const open: [Json, number][] = [[value, 1]];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [item, depth] = next;
    if (typeof item !== 'object' || item === null) continue;
    if (depth > MAX_DEPTH) return true;
    for (const inner of Object.values(item)) open.push([inner, depth + 1]);
  }
  return false;
}

const refuse = (path: string, problem: string) => invalid(path === '' ? 'file' : `file__${path}`, problem);

function onlyFields(path: string, value: JsonObject, known: readonly string[]): void {
  const unknown = Object.keys(value).find((key) => !known.includes(key));
  if (unknown !== undefined)
    throw refuse(path, `"${unknown.slice(0, 100)}" is no field here. Known: ${known.join(', ')}.`);
}

function listIn(value: JsonObject, name: string): JsonObject[] {
  const list = value[name] ?? [];
  if (!Array.isArray(list) || !list.every(isJsonObject)) throw refuse(name, `${name} is a list of objects.`);
  return list;
}

function requireUnique(path: string, names: readonly string[]): void {
  const seen = new Set<string>();
  for (const name of names) {
    if (seen.has(name)) throw refuse(path, `"${name}" is there twice.`);
    seen.add(name);
  }
}

type Check = (value: Json) => boolean;
const isText: Check = (value) => typeof value === 'string';
const isBoolean: Check = (value) => typeof value === 'boolean';
const isTextList: Check = (value) => Array.isArray(value) && value.every(isText);
const oneOf =
  (...values: string[]): Check =>
  (value) =>
    typeof value === 'string' && values.includes(value);

/** Field → what it has to be, what that is called, and the value where it is absent. */
const FLAG_FIELDS: Readonly<Record<string, [Check, string, Json]>> = {
  name: [isText, 'text', ''],
  active: [isBoolean, 'true or false', true],
  filters: [isJsonObject, 'an object', { groups: [] }],
  tags: [isTextList, 'a list of texts', []],
  ensure_experience_continuity: [isBoolean, 'true or false', false],
  evaluation_runtime: [oneOf('all', 'client', 'server'), 'all, client or server', 'all'],
  bucketing_identifier: [oneOf('distinct_id', 'device_id'), 'distinct_id or device_id', 'distinct_id'],
  is_remote_configuration: [isBoolean, 'true or false', false],
  rollback_conditions: [() => true, 'JSON', null],
};
const COHORT_FIELDS: typeof FLAG_FIELDS = {
  description: [isText, 'text', ''],
  is_static: [isBoolean, 'true or false', false],
  filters: [isJsonObject, 'an object', {}],
};

function readFields(path: string, item: JsonObject, name: string, fields: typeof FLAG_FIELDS): JsonObject {
  onlyFields(path, item, [name, ...Object.keys(fields)]);
  const called = item[name];
  if (typeof called !== 'string' || called === '' || called.length > 400) {
    throw refuse(`${path}__${name}`, `${name} is a text of 1 to 400 characters.`);
  }
  const read = Object.entries(fields).map(([field, [isValid, what, absent]]): [string, Json] => {
    const value = item[field] ?? absent;
    if (!isValid(value)) throw refuse(`${path}__${field}`, `${field} of "${called}" is ${what}.`);
    return [field, value];
  });
  return { [name]: called, ...Object.fromEntries(read) };
}

function readFlag(item: JsonObject, at: number): PortableFlag {
  const flag = readFields(`flags__${at}`, item, 'key', FLAG_FIELDS) as PortableFlag;
  return { ...flag, tags: [...new Set(flag.tags)].sort(), filters: normalizeFilters(flag.filters) };
}

function readCohort(item: JsonObject, at: number): PortableCohort {
  const cohort = readFields(`cohorts__${at}`, item, 'name', COHORT_FIELDS) as PortableCohort;
  return { ...cohort, filters: sortKeys(cohort.filters) as JsonObject };
}
