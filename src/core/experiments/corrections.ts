/** Adjusts p-values for having tested several things at once. Both keep the order of what they are given. */

/** Bounds the chance of any false alarm. */
export function holm(pValues: readonly number[]): number[] {
  let least = 0;
  return bySize(pValues, (p, rank) => (least = Math.max(least, Math.min(1, (pValues.length - rank) * p))));
}

/** Bounds the share of false alarms among all alarms. */
export function benjaminiHochberg(pValues: readonly number[]): number[] {
  const sorted = [...pValues].sort((a, b) => a - b);
  let least = 1;
  const adjusted = sorted
    .map((p, rank): readonly [number, number] => [p, rank])
    .reverse()
    .map(([p, rank]) => (least = Math.min(least, (pValues.length * p) / (rank + 1))))
    .reverse();
  return bySize(pValues, (_, rank) => adjusted[rank] ?? 1);
}

/** Calls `adjust` from the smallest on; `rank` counts from 0. */
function bySize(pValues: readonly number[], adjust: (p: number, rank: number) => number): number[] {
  const adjusted = pValues.map(() => 1);
  [...pValues.entries()]
    .sort(([, a], [, b]) => a - b)
    .forEach(([at, p], rank) => {
      adjusted[at] = adjust(p, rank);
    });
  return adjusted;
}
