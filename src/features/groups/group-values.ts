/** Property names and values of groups, as suggestions for filters. */
import { parseExact } from '../../core/json/exact-json.ts';
import type { Json } from '../../core/json/json.ts';
import { byCount, type NameCount, valueText } from '../../core/json/name-counts.ts';
import type { GroupStore } from '../../stores/metadata/groups.ts';

/** Only the newest are counted, to bound the time. */
const MAX_GROUPS = 10_000;
const MAX_VALUES = 20;

/** The properties of each group type, most frequent first. */
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
  /** Part of the value, ignoring case. */
  part: string | undefined;
}

/** The most frequent values of one property; null and empty text do not count. */
export async function countGroupValues(groups: GroupStore, query: GroupValueQuery): Promise<NameCount[]> {
  const { projectId, typeIndex, property, part = '' } = query;
  const lowerPart = part.toLowerCase();
  const counts = new Map<string, number>();
  for (const { value, count } of await groups.countValues(projectId, typeIndex, property, MAX_GROUPS)) {
    const name = valueText(parseExact(value) as Json);
    if (name !== '' && name.toLowerCase().includes(lowerPart)) counts.set(name, (counts.get(name) ?? 0) + count);
  }
  return byCount(counts).slice(0, MAX_VALUES);
}
