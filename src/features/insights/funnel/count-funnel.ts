import { inBatches } from '../../../lib/in-batches.ts';
import type { FunnelQuestion } from '../rules/question.ts';
import { ActorKeys, type KeyEncoding } from '../shared/actor-keys.ts';
import { ACTOR_BATCH_SIZE, type ActorPart } from '../shared/actor-rows.ts';
import { FunnelMatcher, type OnAttempt } from './funnel-matcher.ts';
import { FunnelAssembly, type FunnelCounts } from './rules/assemble-funnel.ts';
import { AttemptSummariser } from './rules/attempt-summary.ts';

/** The events of a funnel without a breakdown. */
export interface FunnelKeys {
  actor: Int32Array;
  key: Float64Array;
  encoding: KeyEncoding;
}

const ANY_ORDER = { tieOrder: null, hasNames: false };

/** Counts some of the actors. */
export async function countFunnel(
  question: FunnelQuestion,
  { actor, key, encoding }: FunnelKeys,
  part: ActorPart,
  signal?: AbortSignal,
): Promise<FunnelCounts> {
  const keys = await ActorKeys.group(actor, key, encoding, ANY_ORDER, part);
  const assembly = new FunnelAssembly(question);
  const matcher = new FunnelMatcher(question);
  const summariser = new AttemptSummariser(question);
  const onAttempt: OnAttempt = (depth, times) => summariser.add(depth, times);
  await inBatches(keys.actors, ACTOR_BATCH_SIZE, (first, past) => {
    signal?.throwIfAborted();
    for (let own = first; own < past; own++) {
      const { count, at, rest } = keys.of(own);
      if (count === 0) continue;
      summariser.begin();
      if (matcher.match({ at, bits: [rest] }, 0, count, onAttempt)) assembly.add(null, summariser.summary());
    }
  });
  return assembly.counts();
}
