/**
 * A copy of all three stores that fit together, while events come in.
 *
 * Between two chunks nothing is under way: the relational shelf and the event store stand at the same log position.
 * There, in this order: a view of the shelf is held, the event file is copied, a view of the log is held. Then work goes
 * on, and the two views are copied beside it. Why this is enough:
 *
 * - The log's view holds every entry after the position, so whatever was acknowledged before is either stored or waits
 *   in it; and its count of accepted events was read in the same instant. Entries up to the position that had not been
 *   trimmed yet are passed over at the next start. So accepted = settled + pending holds in the copy.
 * - The log comes last, because a dead letter that is replayed is written to the log first and taken off the shelf
 *   afterwards. The other way round, a letter could be in neither copy; so it can only be in both, and its second
 *   processing is a duplicate like any other.
 * - The shelf comes before the events, because a project that is deleted leaves the shelf first: a copy may hold a
 *   project without its events, never events of a project that is gone.
 * - Orders to the event store (splits, undone merges) have numbers, and the event store keeps the last one it did: an
 *   order that is in both copies is passed over.
 */
import { join } from 'node:path';
import { DATA_FILES } from '../data-files.ts';
import type { EventStore } from '../events/event-store.ts';
import type { SnapshotCounts } from '../folder-snapshots.ts';
import { openSnapshotView, type SnapshotView } from './held-snapshot.ts';

interface FolderSnapshotSource {
  dataDir: string;
  events: Pick<EventStore, 'query'> & { copyTo(target: string): Promise<void> };
  betweenChunks<T>(work: () => Promise<T>): Promise<T>;
}

export async function takeSnapshot(source: FolderSnapshotSource, folder: string): Promise<SnapshotCounts> {
  const { dataDir, events } = source;
  const held = new Map<string, SnapshotView>();
  const hold = (file: string): void => void held.set(file, openSnapshotView(join(dataDir, file)));
  try {
    const stored = await source.betweenChunks(async () => {
      hold(DATA_FILES.metadata);
      await events.copyTo(join(folder, DATA_FILES.events));
      const [row] = await events.query('select count(*) as n from event_rows', []);
      hold(DATA_FILES.log);
      return Number(row?.['n'] ?? 0);
    });
    for (const [file, view] of held) await view.copyTo(join(folder, file));
    return countsOf(stored, held);
  } finally {
    for (const view of held.values()) view.close();
  }
}

function countsOf(events: number, held: ReadonlyMap<string, SnapshotView>): SnapshotCounts {
  const [metadata, log] = [held.get(DATA_FILES.metadata), held.get(DATA_FILES.log)];
  if (!metadata || !log) throw new Error('A snapshot without its views.');
  return {
    events,
    ...countMetadata(metadata.readNumber),
    ...countLog(log.readNumber, metadata.readNumber(POSITION_SQL)),
  };
}

type Count = (sql: string) => number;

export const POSITION_SQL = 'select coalesce(max(position), 0) from ingest_position';

export const countMetadata = (count: Count) => ({
  persons: count('select count(*) from persons'),
  projects: count('select count(*) from projects'),
  users: count('select count(*) from users'),
  flags: count('select count(*) from feature_flags where deleted = 0'),
  settled: count('select coalesce(sum(count), 0) from event_counters'),
});

export const countLog = (count: Count, position: number) => ({
  accepted: count('select accepted from totals'),
  pending: count(`select coalesce(sum(events), 0) from entries where seq > ${Math.trunc(position)}`),
});
