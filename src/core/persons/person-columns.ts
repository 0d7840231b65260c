/**
 * Persons stored by column: for some thousand persons, each property is a list of distinct values and, for each person,
 * the position of theirs. A filter then tests each value once instead of each person; most values are shared by many.
 */
import { parseExact, stringifyExact } from '../json/exact-json.ts';
import type { Json, JsonObject } from '../json/json.ts';

interface PersonColumn {
  name: string;
  /** The distinct values, as the JSON text of a list. */
  values: string;
  /** The rows of the persons who have the property; null where there is a place for every person. */
  rows: Uint16Array | null;
  /** For each of these the position of the value in the list, from 1; 0 where the person lacks the property. */
  places: Uint16Array;
}

export function toColumns(persons: readonly JsonObject[]): PersonColumn[] {
  const drafts = new Map<string, Draft>();
  for (const [row, properties] of persons.entries()) {
    for (const name of Object.keys(properties)) {
      let draft = drafts.get(name);
      if (draft === undefined) {
        draft = { seen: new Map(), values: [], rows: [], places: [] };
        drafts.set(name, draft);
      }
      draft.rows.push(row);
      draft.places.push(placeOf(draft, properties[name] as Json));
    }
  }
  return Array.from(drafts, ([name, draft]) => ({
    name,
    values: stringifyExact(draft.values),
    ...(isRare(draft, persons.length) ? sparsePlaces(draft) : densePlaces(draft, persons.length)),
  }));
}

interface Draft {
  seen: Map<Json, number>;
  values: Json[];
  rows: number[];
  places: number[];
}

function placeOf({ seen, values }: Draft, value: Json): number {
  // Lists and objects are compared by identity, so each has a place of its own.
  const known = seen.get(value);
  if (known !== undefined) return known;
  values.push(value);
  seen.set(value, values.length);
  return values.length;
}

/** Many properties are rare; they are stored for those who have them only. */
const isRare = ({ rows }: Draft, persons: number): boolean => rows.length * 2 < persons;

const sparsePlaces = ({ rows, places }: Draft) => ({ rows: Uint16Array.from(rows), places: Uint16Array.from(places) });

function densePlaces({ rows, places }: Draft, persons: number) {
  const all = new Uint16Array(persons);
  for (const [i, row] of rows.entries()) all[row] = places[i] as number;
  return { rows: null, places: all };
}

/** A filter on persons that columns can answer. */
export type ColumnFilter =
  | {
      kind: 'property';
      key: string;
      fits(value: Json | undefined): boolean;
      /**
       * Lower-case letters that the JSON of every matching value contains; null if unknown. If given, persons without
       * the property do not match.
       */
      part: string | null;
    }
  | { kind: 'person'; fits(id: number): boolean }
  | { kind: 'named'; id: number }
  | { kind: 'all' | 'any'; tests: readonly ColumnFilter[] };

/** Whether one person matches. */
export function matchesPerson(test: ColumnFilter, id: number, properties: JsonObject): boolean {
  if (test.kind === 'person') return test.fits(id);
  if (test.kind === 'named') return test.id === id;
  if (test.kind === 'property')
    return test.fits(Object.hasOwn(properties, test.key) ? properties[test.key] : undefined);
  const holds = (inner: ColumnFilter): boolean => matchesPerson(inner, id, properties);
  return test.kind === 'all' ? test.tests.every(holds) : test.tests.some(holds);
}

export interface PersonRows {
  count: number;
  ids(): ArrayLike<number>;
  /** The row of a person; undefined where they are not among these. */
  rowOf(id: number): number | undefined;
  /** Undefined where none of these persons has the property. */
  column(name: string): { values: string; rest(): Pick<PersonColumn, 'rows' | 'places'> } | undefined;
}

/** 1 or 0 for each person; null where none matches, which is often known without testing each. */
type MatchBits = Uint8Array | null;

/** Lets other work run when it is time. */
type Pause = () => Promise<void> | undefined;

/** `matchesPerson` for many. A value can take long to test, so there is a pause after each, if one is due. */
export async function matching(test: ColumnFilter, rows: PersonRows, pause: Pause): Promise<MatchBits> {
  if (test.kind === 'property') return inColumn(test, rows, pause);
  if (test.kind === 'named') return named(test.id, rows);
  if (test.kind !== 'person') return test.kind === 'all' ? all(test.tests, rows, pause) : any(test.tests, rows, pause);
  const ids = rows.ids();
  const verdicts = new Uint8Array(rows.count);
  for (let row = 0; row < verdicts.length; row++) verdicts[row] = test.fits(ids[row] as number) ? 1 : 0;
  return verdicts;
}

function named(id: number, { count, rowOf }: PersonRows): MatchBits {
  const row = rowOf(id);
  if (row === undefined) return null;
  const verdicts = new Uint8Array(count);
  verdicts[row] = 1;
  return verdicts;
}

async function inColumn(
  { key, fits, part }: Extract<ColumnFilter, { kind: 'property' }>,
  among: PersonRows,
  pause: Pause,
): Promise<MatchBits> {
  const column = among.column(key);
  const without = fits(undefined) ? 1 : 0;
  if (column === undefined) return without ? new Uint8Array(among.count).fill(1) : null;
  const { values } = column;
  if (part !== null && !values.toLowerCase().includes(part)) return null;
  const known = [without];
  for (const value of parseExact(values) as Json[]) {
    known.push(fits(value) ? 1 : 0);
    const paused = pause();
    if (paused !== undefined) await paused;
  }
  if (!known.includes(1)) return null;
  const { rows, places } = column.rest();
  const verdicts = new Uint8Array(among.count);
  if (rows !== null && without) verdicts.fill(1);
  for (let i = 0; i < places.length; i++)
    verdicts[rows === null ? i : (rows[i] as number)] = known[places[i] as number] as number;
  return verdicts;
}

async function all(tests: readonly ColumnFilter[], rows: PersonRows, pause: Pause): Promise<MatchBits> {
  const verdicts = new Uint8Array(rows.count).fill(1);
  for (const test of tests) {
    const more = await matching(test, rows, pause);
    if (more === null) return null;
    for (let row = 0; row < verdicts.length; row++) verdicts[row] = (verdicts[row] as number) & (more[row] as number);
  }
  return verdicts;
}

async function any(tests: readonly ColumnFilter[], rows: PersonRows, pause: Pause): Promise<MatchBits> {
  let verdicts: MatchBits = null;
  for (const test of tests) {
    const more = await matching(test, rows, pause);
    if (more === null) continue;
    if (verdicts === null) verdicts = more;
    else for (let row = 0; row < more.length; row++) verdicts[row] = (verdicts[row] as number) | (more[row] as number);
  }
  return verdicts;
}
