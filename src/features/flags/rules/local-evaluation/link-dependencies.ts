/**
 * A stored dependency names a flag by id; SDKs know flags by key and need the order of evaluation. So the id is replaced
 * by the key, and the chain of all dependencies is added, the target last. An empty chain means that the flag cannot be
 * evaluated: there is a cycle, or a flag is missing.
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

/** `flags` are all flags of the project, by id as text. */
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

/** The keys of all dependencies in order of evaluation, and of the target. Null if there is a cycle or a missing flag. */
function chainTo(target: LinkedFlag, flags: Flags): string[] | null {
  const chain: string[] = [];
  const done = new Set<number>();
  const visiting = new Set<number>();
  const visit = (flag: LinkedFlag | undefined): boolean => {
    if (flag === undefined || visiting.has(flag.id)) return false;
    if (done.has(flag.id)) return true;
    visiting.add(flag.id);
    const dependencies = allProperties(flag.filters).filter(isFlagProperty);
    if (!dependencies.every((property) => visit(flags.get(String(property['key']))))) return false;
    visiting.delete(flag.id);
    done.add(flag.id);
    chain.push(flag.key);
    return true;
  };
  return visit(target) ? chain : null;
}
