/**
 * Checks at start, before the ingest log is opened, that it is the one that the metadata store has processed. A log that
 * was lost or is older has accepted fewer events than were processed.
 */
import type { Clock } from '../../lib/clock.ts';
import type { Logger } from '../../lib/log.ts';
import type { LogProgress } from '../../stores/ingest/log-progress.ts';
import { addLoss, describeLoss, type EventLoss } from '../../stores/metadata/event-losses.ts';
import type { MetadataStore } from '../../stores/metadata/metadata-store.ts';

interface CheckLogDeps {
  metadata: Pick<MetadataStore, 'recovery' | 'installation' | 'transaction'>;
  /** Null if there is no log. */
  totals(progress: LogProgress): { accepted: number; pending: number } | null;
  clock: Clock;
  logger: Logger;
}

interface CheckedLog {
  position: number;
  /** How many events the log must have accepted. */
  accepted: number;
}

export async function checkLog({ metadata, totals, clock, logger }: CheckLogDeps): Promise<CheckedLog> {
  const { progress, counts } = await metadata.recovery.getProgress();
  const { position } = progress;
  const processed = Object.values(counts).reduce((sum, count) => sum + count, 0);
  const { accepted, pending } = totals(progress) ?? { accepted: 0, pending: 0 };
  const least = processed + pending;
  if (accepted >= least) return { position, accepted };
  const loss: EventLoss = {
    store: 'log',
    events: null,
    receivedFrom: await metadata.recovery.latestProcessedAt(),
    receivedTo: clock.now(),
    after: position,
    upTo: position,
    foundAt: clock.now(),
    acceptedAt: null,
  };
  await metadata.transaction(({ installation }) => addLoss(installation, loss));
  logger.error({ loss }, `${describeLoss(loss)}; see cairn recover`);
  return { position, accepted: least };
}
