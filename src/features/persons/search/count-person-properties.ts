/** Which properties persons have, and which values: what a console offers while somebody types a filter. */

import type { Search } from '../../../core/filters/search.ts';
import { isJsonObject, type Json } from '../../../core/json/json.ts';
import type { PersonSketch, PersonStore } from '../../../stores/metadata/persons.ts';
import { cluesOf } from './prefilter-persons.ts';
import { slices } from './search-persons.ts';

/** The newest are looked at, and no more: enough to know what there is, in a time that somebody waits. */
const MOST_PERSONS = 100_000;
const OFFERED = 20;

export interface Counted {
  name: string;
  count: number;
}

/** Properties by the number of persons who have them. */
export async function countProperties(persons: PersonStore, projectId: number): Promise<Counted[]> {
  const counts = new Map<string, number>();
  let looked = 0;
  for await (const slice of slices(persons, projectId, [])) {
    for (const { properties } of slice) for (const key of Object.keys(properties)) count(counts, key);
    looked += slice.length;
    if (looked >= MOST_PERSONS) break;
  }
  return mostFirst(counts);
}

/** The most frequent values of one property; `part` is part of the value, whatever its case. */
export async function countValues(
  { persons, search }: { persons: PersonStore; search: Search },
  projectId: number,
  key: string,
  part: string | undefined,
): Promise<Counted[]> {
  const counts = new Map<string, number>();
  const clues = cluesOf({ kind: 'property', owner: 'person', key, operator: 'is_set', values: [] }, search);
  let found = 0;
  for await (const slice of slices(persons, projectId, clues, [key])) {
    for (const text of slice.flatMap((person) => valueText(person, key))) {
      if (text.toLowerCase().includes(part?.toLowerCase() ?? '')) count(counts, text);
    }
    found += slice.length;
    if (found >= MOST_PERSONS) break;
  }
  return mostFirst(counts).slice(0, OFFERED);
}

function count(counts: Map<string, number>, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1);
}

const mostFirst = (counts: ReadonlyMap<string, number>): Counted[] =>
  [...counts]
    .map(([name, number]) => ({ name, count: number }))
    .sort((a, b) => b.count - a.count || (a.name < b.name ? -1 : 1));

/** Null and the empty text are no values that anybody looks for. */
function valueText({ properties }: PersonSketch, key: string): string[] {
  const value = Object.hasOwn(properties, key) ? properties[key] : undefined;
  if (value === undefined || value === null || value === '') return [];
  return [typeof value === 'string' ? value : JSON.stringify(sorted(value))];
}

/** Objects that hold the same are the same value, in whatever order they were written. */
function sorted(value: Json): Json {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((key) => [key, sorted(value[key] ?? null)]),
  );
}
