/**
 * Funnels and paths are computed by actor, so a second thread can take half of the actors. It gets their
 * rows in shared memory and opens no store.
 */
import type { ScanDeps } from '../../../query/query-deps.ts';
import { type SequenceMethods, sequenceMethods } from '../sequence-methods.ts';
import { type ActorPart, ALL_ACTORS, HALVES } from './actor-rows.ts';
import { type SharedRows, shareRows } from './share-rows.ts';

export interface InsightDeps extends ScanDeps {
  /** The methods of the second thread; undefined where there is only one processor. */
  secondThread?: (() => SequenceMethods | undefined) | undefined;
}

/** With fewer rows, waking the other thread takes longer than it saves. */
const MIN_ROWS = 200_000;

/** Counts all actors, half of them on the other thread if that is worth it. */
export async function inHalves<R extends SharedRows, T>(
  { secondThread }: Pick<InsightDeps, 'secondThread'>,
  rows: R,
  count: (methods: SequenceMethods, rows: R, part: ActorPart) => Promise<T>,
): Promise<T[]> {
  const second = rows.actor.length < MIN_ROWS ? undefined : secondThread?.();
  if (second === undefined) return [await count(sequenceMethods, rows, ALL_ACTORS)];
  const [here, there] = HALVES;
  const shared = await shareRows(rows, there);
  // If the other thread ends unexpectedly, its half is counted here.
  const others = count(second, shared, there).catch(() => count(sequenceMethods, rows, there));
  others.catch(() => undefined);
  return [await count(sequenceMethods, rows, here), await others];
}
