/** What was accepted and not processed yet: appended to the log of the target, cut as if it had come there. */
import { cutRequest } from '../../ingest/cluster/split-by-partition.ts';
import type { Ids } from '../../lib/ids.ts';
import { appendEntries } from '../../stores/postgres/partitioned-log.ts';
import type { Progress } from './progress.ts';
import type { Source } from './source.ts';
import type { Target } from './target.ts';

const BOUNDS = { events: 5000, bytes: 8 * 1024 * 1024 };

export async function copyLog(
  source: Pick<Source, 'log' | 'position' | 'logTotals'>,
  target: Target,
  ids: Ids,
  progress: Progress,
  bounds = BOUNDS,
): Promise<void> {
  let reached = await target.mark<number>('log');
  if (reached === null) reached = await beginLog(source, target);
  for (;;) {
    const entries = source.log.read(reached, bounds.events, bounds.bytes);
    const last = entries.at(-1)?.seq;
    if (last === undefined) return;
    const cuts = (
      await Promise.all(entries.map((entry) => cutRequest(entry, undefined, target.partitions, ids.seed)))
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

/** What was accepted and processed before counts as that here too, so that the books add up. */
async function beginLog(
  { position, logTotals }: Pick<Source, 'position' | 'logTotals'>,
  target: Target,
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
