import { isInRange, type Range } from '../../../core/time/range.ts';

/** The code of items that a question excludes. */
export const EXCLUDED_CODE = -1;

/** The positions from `from` to before `to` are an actor's, in the order of time. */
export interface ActorItems {
  readonly from: number;
  readonly to: number;
  /** Position → time, ms UTC. */
  readonly at: Float64Array;
  /** Position → code of the item. */
  readonly items: Int32Array;
}

/** One path without a pause; repeated items are merged, at the time of the last. Reused for the next path. */
export interface Path {
  actor: number;
  length: number;
  items: Int32Array;
  times: Float64Array;
}

export const emptyPath = (): Path => ({
  actor: 0,
  length: 0,
  items: new Int32Array(64),
  times: new Float64Array(64),
});

/** Calls back with each path of one person, in `path`. */
export function splitPaths(
  { from, to, items, at }: ActorItems,
  range: Range | undefined,
  isPause: (from: number, to: number) => boolean,
  path: Path,
  onEnd: () => void,
): void {
  if (path.items.length < to - from) {
    path.items = new Int32Array(2 * (to - from));
    path.times = new Float64Array(2 * (to - from));
  }
  path.length = 0;
  let before = Number.NaN;
  for (let position = from; position < to; position++) {
    const [item, time] = [items[position] as number, at[position] as number];
    if (item === EXCLUDED_CODE || (range !== undefined && !isInRange(time, range))) continue;
    if (path.length > 0 && isPause(before, time)) {
      onEnd();
      path.length = 0;
    }
    before = time;
    if (path.length === 0 || path.items[path.length - 1] !== item) path.items[path.length++] = item;
    path.times[path.length - 1] = time;
  }
  if (path.length > 0) onEnd();
}
