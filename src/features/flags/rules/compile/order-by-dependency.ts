interface DependencyOrder {
  /** Each item after those that it depends on. */
  order: readonly number[];
  /** Items in a cycle, or dependent on one; they are not in `order`. */
  inCycle: ReadonlySet<number>;
}

/** Topological order of the indexes from 0; independent ones keep the order of the list. */
export function orderByDependency(dependsOn: readonly (readonly number[])[]): DependencyOrder {
  const dependents = dependsOn.map((): number[] => []);
  for (const [index, others] of dependsOn.entries()) for (const other of others) dependents[other]?.push(index);
  const left = dependsOn.map((others) => others.length);
  const order = [...left.keys()].filter((index) => left[index] === 0);
  // The list grows during iteration.
  for (const index of order) {
    for (const dependent of dependents[index] ?? []) {
      const waiting = (left[dependent] ?? 0) - 1;
      left[dependent] = waiting;
      if (waiting === 0) order.push(dependent);
    }
  }
  return { order, inCycle: new Set([...left.keys()].filter((index) => left[index] !== 0)) };
}
