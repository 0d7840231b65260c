import { setImmediate as nextTurn } from 'node:timers/promises';
import type { MaybePromise } from './maybe-async.ts';

/** Roughly how long other work waits at most. */
const MAX_BLOCK_MS = 5;

/** For long work in small steps: call it after each step, and other work gets its turn when it is time. */
export function createPause(): () => Promise<void> | undefined {
  let since = performance.now();
  return () => {
    if (performance.now() - since < MAX_BLOCK_MS) return undefined;
    return nextTurn().then(() => {
      since = performance.now();
    });
  };
}

/** The ranges of `count` items, `size` at a time, with pauses in between. */
export async function inBatches(count: number, size: number, work: (from: number, to: number) => void): Promise<void> {
  const pause = createPause();
  for (let from = 0; from < count; from += size) {
    work(from, Math.min(from + size, count));
    await pause();
  }
}

/** The items of a list, each of which takes a while, with pauses in between. */
export async function eachInTurn<T>(items: readonly T[], work: (item: T) => void): Promise<void> {
  const pause = createPause();
  for (const item of items) {
    work(item);
    await pause();
  }
}

/** The items of a list, `size` at a time, with pauses in between; a short list at once, without a promise. */
export const eachBatch = <T>(
  items: readonly T[],
  size: number,
  work: (batch: readonly T[]) => void,
): MaybePromise<void> =>
  items.length <= size ? work(items) : inBatches(items.length, size, (from, to) => work(items.slice(from, to)));
