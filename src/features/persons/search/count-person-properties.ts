/** Property names and values of persons, as suggestions for filters. */

import type { PatternSearch } from '../../../core/filters/compile-pattern.ts';
import { byCount, type NameCount, valueText } from '../../../core/json/name-counts.ts';
import type { PersonStore } from '../../../stores/metadata/persons.ts';
import { prefilterOf } from './prefilter-persons.ts';
import { scanPersons } from './search-persons.ts';

/** Only the newest are counted, to bound the time. */
const MAX_PERSONS = 100_000;
const MAX_VALUES = 20;

/** Properties by the number of persons who have them. */
export async function countPersonProperties(persons: PersonStore, projectId: number): Promise<NameCount[]> {
  const counts = new Map<string, number>();
  let scanned = 0;
  for await (const batch of scanPersons(persons, projectId, [])) {
    for (const { properties } of batch) for (const key of Object.keys(properties)) increment(counts, key);
    scanned += batch.length;
    if (scanned >= MAX_PERSONS) break;
  }
  return byCount(counts);
}

/** The most frequent values of one property that contain `part`, ignoring case; null and empty text do not count. */
export async function countPersonValues(
  { persons, search }: { persons: PersonStore; search: PatternSearch },
  projectId: number,
  key: string,
  part = '',
): Promise<NameCount[]> {
  const counts = new Map<string, number>();
  const prefilters = prefilterOf({ kind: 'property', owner: 'person', key, operator: 'is_set', values: [] }, search);
  let scanned = 0;
  for await (const batch of scanPersons(persons, projectId, prefilters, [key])) {
    for (const { properties } of batch) {
      const text = Object.hasOwn(properties, key) ? valueText(properties[key] ?? null) : '';
      if (text !== '' && text.toLowerCase().includes(part.toLowerCase())) increment(counts, text);
    }
    scanned += batch.length;
    if (scanned >= MAX_PERSONS) break;
  }
  return byCount(counts).slice(0, MAX_VALUES);
}

function increment(counts: Map<string, number>, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1);
}
