/**
 * A consistent copy of all three stores while events come in.
 *
 * Between two chunks the metadata and the event store are at the same log position. There, in this order: open a view of
 * the metadata, copy the event file, open the segments of the log. Then processing continues while these are copied. This
 * is consistent because:
 *
 * - The log's segments have every entry after the position, so each accepted event is either stored or in the log, and its
 *   count of accepted events is of the same moment. The next start skips untrimmed entries up to the position. So
 *   accepted = settled + pending holds in the copy.
 * - The log comes last: replaying a dead letter writes it to the log first and then deletes it from the metadata. So a
 *   letter can be in both copies, where its second processing is a duplicate, but never in neither.
 * - The metadata comes before the events: deleting a project removes its metadata first. So the copy may have a project
 *   without events, but no events of a deleted project.
 * - Reassignments are numbered, and the event store records the last one applied, so one in both copies is skipped.
 */

import { join } from 'node:path';
import Database from 'better-sqlite3';
import { DATA_FILES } from '../data-files.ts';
import type { EventStore } from '../events/event-store.ts';
import type { SnapshotCounts } from '../folder-snapshots.ts';
import { aheadFromText, type LogProgress } from '../ingest/log-progress.ts';
import { HeldLog } from '../segment-log/held-log.ts';
import { readLogFolder } from '../segment-log/log-folder.ts';
import type { LogHead } from '../segment-log/log-head.ts';
import { totalsOf } from '../segment-log/log-totals.ts';

interface FolderSnapshotSource {
  dataDir: string;
  /** How far the log is on disk. */
  head: LogHead;
  events: Pick<EventStore, 'query'> & { copyTo(target: string): Promise<void> };
  betweenChunks<T>(work: () => Promise<T>): Promise<T>;
}

export async function takeSnapshot(source: FolderSnapshotSource, folder: string): Promise<SnapshotCounts> {
  const { dataDir, head, events } = source;
  const closing: (() => void)[] = [];
  const hold = <T extends { close(): void }>(view: T): T => {
    closing.push(() => view.close());
    return view;
  };
  try {
    const { stored, metadata, log } = await source.betweenChunks(async () => {
      const metadata = hold(openSnapshotView(join(dataDir, DATA_FILES.metadata)));
      await events.copyTo(join(folder, DATA_FILES.events));
      const [row] = await events.query('select count(*) as n from event_rows', []);
      const log = hold(HeldLog.open(join(dataDir, DATA_FILES.log), head.head));
      return { stored: Number(row?.['n'] ?? 0), metadata, log };
    });
    await metadata.copyTo(join(folder, DATA_FILES.metadata));
    await log.copyTo(join(folder, DATA_FILES.log));
    const totals = totalsOf(readLogFolder(join(folder, DATA_FILES.log)), progressIn(metadata));
    return { events: stored, ...countMetadata(metadata.readNumber), ...totals };
  } finally {
    for (const close of closing) close();
  }
}

type Count = (sql: string) => number;

interface ProgressSource {
  readNumber(sql: string): number;
  readText(sql: string): string;
}

/** Of a metadata file, perhaps of an earlier version. */
export function progressIn({ readNumber, readText }: ProgressSource): LogProgress {
  const position = readNumber('select coalesce(max(position), 0) from ingest_position');
  const hasAhead = readNumber(`select count(*) from pragma_table_info('ingest_position') where name = 'ahead'`) > 0;
  const ahead = hasAhead ? readText(`select max(ahead) from ingest_position`) : '';
  return { position, ahead: aheadFromText(ahead || '{}') };
}

export const countMetadata = (count: Count) => ({
  persons: count('select count(*) from persons'),
  projects: count('select count(*) from projects'),
  users: count('select count(*) from users'),
  flags: count('select count(*) from feature_flags where deleted = 0'),
  settled: count('select coalesce(sum(count), 0) from event_counters'),
});

/** A database as it was at one moment; later writes do not change it. */
interface SnapshotView extends ProgressSource {
  copyTo(target: string): Promise<void>;
  close(): void;
}

/** Pages copied before the event loop continues: about a millisecond. */
const PAGES_PER_BATCH = 256;
const BUSY_TIMEOUT_MS = 5000;

function openSnapshotView(path: string): SnapshotView {
  const database = new Database(path, { readonly: true, fileMustExist: true, timeout: BUSY_TIMEOUT_MS });
  // The view starts with the first read. A backup within the transaction stays at that view and never restarts.
  database.exec('begin');
  database.prepare('select count(*) from sqlite_schema').get();
  return {
    readNumber: (sql) => Number(database.prepare(sql).pluck().get() ?? 0),
    readText: (sql) => String(database.prepare(sql).pluck().get() ?? ''),
    copyTo: async (target) => {
      await database.backup(target, { progress: () => PAGES_PER_BATCH });
    },
    close: () => database.close(),
  };
}
