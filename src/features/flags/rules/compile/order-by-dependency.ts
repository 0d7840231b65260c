interface DependencyOrder {
  /** Each after those that it depends on. */
  order: readonly number[];
  /** In a loop, or dependent on one: these have no place in the order. */
  inCycle: ReadonlySet<number>;
}

/** Orders the numbers from 0 by what each depends on. Takes what comes first in the list first, where it may. */
export function orderByDependency(dependsOn: readonly (readonly number[])[]): DependencyOrder {
  const dependents = dependsOn.map((): number[] => []);
  for (const [index, others] of dependsOn.entries()) for (const other of others) dependents[other]?.push(index);
  const left = dependsOn.map((others) => others.length);
  const order = [...left.keys()].filter((index) => left[index] === 0);
  // The list grows while it is walked.
  for (const index of order) {
    for (const dependent of dependents[index] ?? []) {
      const waiting = (left[dependent] ?? 0) - 1;
      left[dependent] = waiting;
      if (waiting === 0) order.push(dependent);
    }
  }
  return { order, inCycle: new Set([...left.keys()].filter((index) => left[index] !== 0)) };
}
