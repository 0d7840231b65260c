import { setImmediate as nextTurn } from 'node:timers/promises';

/** So long others wait at the most, roughly. */
const MAX_BLOCK_MS = 5;

/** For long work in small steps: called after each, it gives others their turn when it is time. */
export function createPause(): () => Promise<void> | undefined {
  let turn = performance.now();
  return () => {
    if (performance.now() - turn < MAX_BLOCK_MS) return undefined;
    return nextTurn().then(() => {
      turn = performance.now();
    });
  };
}

/** The numbers from 0 to before `count`, `size` of them at a time, with pauses between. */
export async function inBatches(count: number, size: number, work: (from: number, to: number) => void): Promise<void> {
  const pause = createPause();
  for (let from = 0; from < count; from += size) {
    work(from, Math.min(from + size, count));
    await pause();
  }
}

/** The items of a list, `size` of them at a time, with pauses between; a short list at once. */
export async function eachBatch<T>(
  items: readonly T[],
  size: number,
  work: (some: readonly T[]) => void,
): Promise<void> {
  if (items.length <= size) work(items);
  else await inBatches(items.length, size, (from, to) => work(items.slice(from, to)));
}
