import { HOUR_MS, MINUTE_MS } from '../../../core/time/units.ts';
import type { Clock } from '../../../lib/clock.ts';
import { type LeaderTask, scheduledTask } from '../../../lib/leader-task.ts';
import type { Logger } from '../../../lib/log.ts';
import type { MetadataStore } from '../../../stores/metadata/metadata-store.ts';

interface FoldUsageDeps {
  metadata: Pick<MetadataStore, 'transaction'>;
  clock: Clock;
  log: Logger;
}

/** Keeps old counts by the hour and by the day, so that years of them stay small. */
export const foldUsageTask = ({ metadata, clock, log }: FoldUsageDeps): LeaderTask =>
  scheduledTask({
    clock,
    initialDelayMs: MINUTE_MS,
    intervalMs: HOUR_MS,
    run: () => metadata.transaction(({ flagUsage }) => flagUsage.fold(clock.now())),
    onError: (err) => log.warn({ err }, 'could not fold the usage of flags; trying again'),
  });
