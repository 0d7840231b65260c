/**
 * A flag that depends on another names it by its id; SDKs know flags by their keys, and want to be told in which order
 * to evaluate. So the id becomes the key, and the chain of flags down to the last dependency is added, the target last.
 * An empty chain says: this cannot be evaluated (a circle, or a flag that is not there).
 */
import { isJsonObject, type Json, type JsonObject } from '../../../../core/json/json.ts';
import { allProperties } from '../filters-shape.ts';

export interface LinkedFlag {
  id: number;
  key: string;
  filters: JsonObject;
}

type Flags = ReadonlyMap<string, LinkedFlag>;

const isFlagProperty = ({ type }: JsonObject): boolean => type === 'flag';

/** The filters with every dependency written for SDKs. `flags` are all of the project, by id as text. */
export function linkDependencies(filters: JsonObject, flags: Flags): JsonObject {
  const { groups } = filters;
  if (!Array.isArray(groups) || !allProperties(filters).some(isFlagProperty)) return filters;
  const link = (property: Json): Json => {
    if (!isJsonObject(property) || !isFlagProperty(property)) return property;
    const target = flags.get(String(property['key']));
    const chain = target ? (chainTo(target, flags) ?? []) : [];
    return { ...property, key: target?.key ?? property['key'] ?? null, dependency_chain: chain };
  };
  const linkGroup = (group: Json): Json =>
    isJsonObject(group) && Array.isArray(group['properties'])
      ? { ...group, properties: group['properties'].map(link) }
      : group;
  return { ...filters, groups: groups.map(linkGroup) };
}

/** The keys of all that must be evaluated before the target, in order, and its own. Null for a circle or a missing link. */
function chainTo(target: LinkedFlag, flags: Flags): string[] | null {
  const chain: string[] = [];
  const done = new Set<number>();
  const above = new Set<number>();
  const visit = (flag: LinkedFlag | undefined): boolean => {
    if (flag === undefined || above.has(flag.id)) return false;
    if (done.has(flag.id)) return true;
    above.add(flag.id);
    const asked = allProperties(flag.filters).filter(isFlagProperty);
    if (!asked.every((property) => visit(flags.get(String(property['key']))))) return false;
    above.delete(flag.id);
    done.add(flag.id);
    chain.push(flag.key);
    return true;
  };
  return visit(target) ? chain : null;
}
