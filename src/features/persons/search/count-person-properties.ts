/** Which properties persons have, and which values: what a console offers while somebody types a filter. */

import type { PatternSearch } from '../../../core/filters/search.ts';
import { isJsonObject, type Json } from '../../../core/json/json.ts';
import type { PartialPerson, PersonStore } from '../../../stores/metadata/persons.ts';
import { prefilterOf } from './prefilter-persons.ts';
import { scanPersons } from './search-persons.ts';

/** The newest are looked at, and no more: enough to know what there is, in a time that somebody waits. */
const MAX_PERSONS = 100_000;
const MAX_VALUES = 20;

interface NameCount {
  name: string;
  count: number;
}

/** Properties by the number of persons who have them. */
export async function countPersonProperties(persons: PersonStore, projectId: number): Promise<NameCount[]> {
  const counts = new Map<string, number>();
  let looked = 0;
  for await (const slice of scanPersons(persons, projectId, [])) {
    for (const { properties } of slice) for (const key of Object.keys(properties)) count(counts, key);
    looked += slice.length;
    if (looked >= MAX_PERSONS) break;
  }
  return byCount(counts);
}

/** The most frequent values of one property; `part` is part of the value, whatever its case. */
export async function countPersonValues(
  { persons, search }: { persons: PersonStore; search: PatternSearch },
  projectId: number,
  key: string,
  part: string | undefined,
): Promise<NameCount[]> {
  const counts = new Map<string, number>();
  const clues = prefilterOf({ kind: 'property', owner: 'person', key, operator: 'is_set', values: [] }, search);
  let found = 0;
  for await (const slice of scanPersons(persons, projectId, clues, [key])) {
    for (const text of slice.flatMap((person) => valueText(person, key))) {
      if (text.toLowerCase().includes(part?.toLowerCase() ?? '')) count(counts, text);
    }
    found += slice.length;
    if (found >= MAX_PERSONS) break;
  }
  return byCount(counts).slice(0, MAX_VALUES);
}

function count(counts: Map<string, number>, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1);
}

const byCount = (counts: ReadonlyMap<string, number>): NameCount[] =>
  [...counts]
    .map(([name, number]) => ({ name, count: number }))
    .sort((a, b) => b.count - a.count || (a.name < b.name ? -1 : 1));

/** Null and the empty text are no values that anybody looks for. */
function valueText({ properties }: PartialPerson, key: string): string[] {
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
