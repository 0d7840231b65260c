import { inBatches } from '../../../lib/in-batches.ts';
import type { UuidWords } from '../../../stores/events/event-store.ts';
import { UuidHalves } from '../../../stores/events/uuid-column.ts';
import type { PathsQuestion } from '../rules/question.ts';
import { ActorKeys, type KeyEncoding } from '../shared/actor-keys.ts';
import { ACTOR_BATCH_SIZE, type ActorPart } from '../shared/actor-rows.ts';
import { pauseRule } from './rules/path-items.ts';
import { emptyPath, splitPaths } from './split-paths.ts';
import { type StepCounts, StepTable } from './step-counter.ts';

/** The events of paths: actors, times and items, and ids for the order within an instant. */
export interface PathKeys {
  actor: Int32Array;
  key: Float64Array;
  uuids: UuidWords;
  encoding: KeyEncoding;
  /** How many different items there are. */
  items: number;
}

/** Counts the steps of some of the actors. */
export async function countPaths(
  question: PathsQuestion,
  { actor, key, uuids, encoding, items }: PathKeys,
  part: ActorPart,
  signal?: AbortSignal,
): Promise<StepCounts> {
  const ids = new UuidHalves(uuids);
  const reading = { tieOrder: (a: number, b: number) => ids.compare(a, b), hasNames: false };
  const keys = await ActorKeys.group(actor, key, encoding, reading, part);
  const table = new StepTable(items, question.stepLimit);
  const isPause = pauseRule(question);
  const path = emptyPath();
  const onEnd = (): void => table.addFirst(path);
  await inBatches(keys.actors, ACTOR_BATCH_SIZE, (first, past) => {
    signal?.throwIfAborted();
    for (let own = first; own < past; own++) {
      const { count, at, rest } = keys.of(own);
      if (count > 0) splitPaths({ from: 0, to: count, at, items: rest }, undefined, isPause, path, onEnd);
    }
  });
  return table.counted;
}
