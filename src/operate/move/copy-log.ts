/** Appends entries that are not processed yet to the log of the target, split as if they had arrived there. */
import { splitByPartition } from '../../ingest/cluster/split-by-partition.ts';
import type { Ids } from '../../lib/ids.ts';
import { isProcessed } from '../../stores/ingest/log-progress.ts';
import { appendEntries } from '../../stores/postgres/partitioned-log.ts';
import type { MoveProgress } from './progress.ts';
import type { MoveSource } from './source.ts';
import type { MoveTarget } from './target.ts';

const BATCH_LIMITS = { events: 5000, bytes: 8 * 1024 * 1024 };

export async function copyLog(
  source: Pick<MoveSource, 'log' | 'progress' | 'logTotals'>,
  target: MoveTarget,
  ids: Ids,
  progress: MoveProgress,
  bounds = BATCH_LIMITS,
): Promise<void> {
  let reached = await target.getMark<number>('log');
  if (reached === null) reached = await startLogCopy(source, target);
  for (;;) {
    const read = source.log.read(reached, bounds.events, bounds.bytes);
    const entries = read.filter((entry) => !isProcessed(source.progress, entry));
    const last = read.at(-1)?.seq;
    if (last === undefined) return;
    const cuts = (
      await Promise.all(entries.map((entry) => splitByPartition(entry, undefined, target.partitions, ids.seed)))
    ).flat();
    await target.transaction(async () => {
      await appendEntries(
        target.client,
        cuts.map(({ entry }) => entry),
      );
      await target.setMark('log', last);
    });
    reached = last;
    progress.add(entries.reduce((sum, { events }) => sum + events, 0));
  }
}

/** Earlier events count as accepted and processed in the target too, so that its counts add up. */
async function startLogCopy(
  { progress: { position }, logTotals }: Pick<MoveSource, 'progress' | 'logTotals'>,
  target: MoveTarget,
): Promise<number> {
  const processed = logTotals.accepted - logTotals.waiting;
  await target.transaction(async () => {
    for (const table of ['log_partitions', 'log_progress']) {
      await target.client.query(`update ${table} set events = events + $1 where partition = 0`, [processed]);
    }
    await target.setMark('log', position);
  });
  return position;
}
