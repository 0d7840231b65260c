/** Cohorts that refer to cohorts. */

export type References = ReadonlyMap<number, readonly number[]>;

/** The cohorts themselves and all that they refer to, directly or through others. */
export function reachableFrom(ids: Iterable<number>, references: References): Set<number> {
  const seen = new Set<number>();
  const open = [...ids];
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    if (seen.has(id)) continue;
    seen.add(id);
    open.push(...(references.get(id) ?? []));
  }
  return seen;
}

export const dependsOnItself = (id: number, references: References): boolean =>
  reachableFrom(references.get(id) ?? [], references).has(id);

/** The cohorts that refer to this one, directly or through others; without itself. */
export const dependentCohortIds = (id: number, references: References): number[] =>
  [...references.keys()].filter((other) => other !== id && reachableFrom([other], references).has(id));

/** Each id after all that it refers to. Ids of a cycle come in some order. */
export function inDependencyOrder(ids: readonly number[], references: References): number[] {
  const done = new Set<number>();
  const visit = (id: number): void => {
    if (done.has(id)) return;
    done.add(id);
    for (const inner of references.get(id) ?? []) visit(inner);
    ordered.push(id);
  };
  const ordered: number[] = [];
  for (const id of ids) visit(id);
  const wanted = new Set(ids);
  return ordered.filter((id) => wanted.has(id));
}
