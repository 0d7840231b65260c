/** Which properties groups have, and which values: what a console offers while somebody types a filter. */
import { isJsonObject, type Json } from '../../core/json/json.ts';
import type { GroupStore } from '../../stores/metadata/groups.ts';

interface NameCount {
  name: string;
  count: number;
}

/** The newest are looked at, and no more: enough to know what there is, in a time that somebody waits. */
const MAX_GROUPS = 10_000;
const MAX_VALUES = 20;

/** For each kind of group, its properties: the most frequent first. */
export async function countGroupProperties(
  groups: GroupStore,
  projectId: number,
): Promise<Record<string, NameCount[]>> {
  const found: Record<string, NameCount[]> = {};
  for (const { index } of await groups.listTypes(projectId)) {
    found[index] = await groups.countProperties(projectId, index, MAX_GROUPS);
  }
  return found;
}

interface GroupValueQuery {
  projectId: number;
  typeIndex: number;
  property: string;
  /** Part of the value, whatever its case. */
  part: string | undefined;
}

/** The most frequent values of one property. Null and the empty text are no values that anybody looks for. */
export async function countGroupValues(groups: GroupStore, question: GroupValueQuery): Promise<NameCount[]> {
  const { projectId, typeIndex, property, part = '' } = question;
  const wanted = part.toLowerCase();
  const counts = new Map<string, number>();
  for (const { value, count } of await groups.countValues(projectId, typeIndex, property, MAX_GROUPS)) {
    const name = textOf(JSON.parse(value) as Json);
    if (name !== '' && name.toLowerCase().includes(wanted)) counts.set(name, (counts.get(name) ?? 0) + count);
  }
  return [...counts]
    .map(([name, count]) => ({ name, count }))
    .sort((a, b) => b.count - a.count || (a.name < b.name ? -1 : 1))
    .slice(0, MAX_VALUES);
}

const textOf = (value: Json): string => {
  if (value === null) return '';
  return typeof value === 'string' ? value : JSON.stringify(sorted(value));
};

/** Objects that hold the same are the same value, in whatever order they were written. */
function sorted(value: Json): Json {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isJsonObject(value)) return value;
  const keys = Object.keys(value).sort();
  return Object.fromEntries(keys.map((key) => [key, sorted(value[key] ?? null)]));
}
