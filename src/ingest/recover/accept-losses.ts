/** An operator accepts what was lost: the ids of lost events are forgotten, so that they may be sent again. */
import { HOUR_MS } from '../../core/time/units.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Dialect } from '../../stores/events/dialect.ts';
import type { EventStore } from '../../stores/events/event-store.ts';
import { type EventLoss, readLosses, readOpenLosses, writeLosses } from '../../stores/metadata/event-losses.ts';
import type { MetadataStore } from '../../stores/metadata/metadata-store.ts';
import { listMissing } from './list-missing.ts';

interface AcceptDeps {
  metadata: Pick<MetadataStore, 'recovery' | 'installation' | 'transaction'>;
  events: Pick<EventStore, 'query'>;
  dialect: Dialect;
  clock: Clock;
}

export interface AcceptedLosses {
  losses: EventLoss[];
  /** How many ids were forgotten. */
  forgotten: number;
}

/** Ids that are compared with the event store at a time. */
const BATCH_SIZE = 20_000;
/** The clock may have been set back while events came in. */
const MARGIN_MS = HOUR_MS;

/** Resolves with what was accepted. After a crash on the way, it can be called again. */
export async function acceptLosses(deps: AcceptDeps): Promise<AcceptedLosses> {
  const { metadata, clock } = deps;
  const losses = await readOpenLosses(metadata.installation);
  let forgotten = 0;
  for (const loss of losses) if (loss.store === 'events') forgotten += await forgetMissing(deps, loss);
  const at = clock.now();
  await metadata.transaction(async ({ installation }) => {
    const known = await readLosses(installation);
    await writeLosses(
      installation,
      known.map((loss) => (losses.some(({ foundAt }) => foundAt === loss.foundAt) ? accepted(loss, at) : loss)),
    );
  });
  return { losses, forgotten };
}

const accepted = (loss: EventLoss, at: number): EventLoss => ({ ...loss, acceptedAt: loss.acceptedAt ?? at });

/**
 * Events are processed after they were received, and what is lost was processed before the loss was found. Later ones may
 * be on their way to the event store.
 */
async function forgetMissing(deps: AcceptDeps, { receivedFrom, foundAt }: EventLoss): Promise<number> {
  const { metadata } = deps;
  const processed = { from: receivedFrom === null ? 0 : receivedFrom - MARGIN_MS, to: foundAt };
  let forgotten = 0;
  for await (const seen of metadata.recovery.listSeen(processed, BATCH_SIZE)) {
    const missing = await listMissing(deps, seen);
    await metadata.transaction(({ recovery }) => recovery.forgetSeen(missing));
    forgotten += missing.length;
  }
  return forgotten;
}
