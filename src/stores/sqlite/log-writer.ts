import type { Database } from 'better-sqlite3';
import type { LogState, NewLogEntry } from '../ingest/ingest-log.ts';

/** One transaction of the ingest log: a group of new entries and a slice of old ones to forget. */
export interface LogWriter {
  /**
   * Writes all entries and forgets a slice of those up to `trimTo`, or throws and leaves everything as it was.
   * `trimmed` is the number up to which everything is forgotten now: `trimTo`, or less when more slices are needed.
   */
  write(state: LogState, group: readonly { entry: NewLogEntry }[], trimTo: number): WriteResult;
  /** Writes the file afresh and folds the journal into it. */
  rewrite(): void;
  /** Cuts the journal back to nothing; false while somebody reads. */
  truncateJournal(): boolean;
  close(): void;
}

interface WriteResult {
  state: LogState;
  seqs: number[];
  trimmed: number;
}

/**
 * A slice takes a few milliseconds, also when entries are large: freeing a page means reading it. It is larger than
 * the group that it rides along with, or a log under full load would be filled faster than it is trimmed.
 */
const TRIM_BATCH_ENTRIES = 256;
const TRIM_BATCH_BYTES = 4 * 1024 * 1024;

interface Growth {
  entries: number;
  bytes: number;
}

const growth = (before: LogState, after: LogState): Growth => ({
  entries: after.entries - before.entries,
  bytes: after.bytes - before.bytes,
});

interface TrimBatch {
  entries: number;
  events: number;
  bytes: number;
  /** The last entry of the slice. */
  last: number;
  /** Nothing to forget is left behind it. */
  complete: boolean;
}

export function createLogWriter(db: Database): LogWriter {
  const begin = db.prepare('begin immediate');
  const commit = db.prepare('commit');
  const rollback = db.prepare('rollback');
  const insert = db.prepare<[number, number, number, string, Buffer, Buffer]>(`
    insert into entries (project_id, received_at, events, context, seed, payload)
    values (?, ?, ?, ?, ?, ?)`);
  const accept = db.prepare<[number]>('update totals set accepted = ?');
  const oldest = db.prepare<[], number>('select received_at from entries order by seq limit 1').pluck();
  const trim = createTrimmer(db);

  const insertAll = (state: LogState, group: readonly { entry: NewLogEntry }[]): number[] => {
    const seqs = group.map(({ entry: e }) => {
      const { lastInsertRowid } = insert.run(e.projectId, e.receivedAt, e.events, e.context, e.seed, e.payload);
      state.head = Number(lastInsertRowid);
      state.entries += 1;
      state.events += e.events;
      state.accepted += e.events;
      state.bytes += e.payload.length;
      return state.head;
    });
    if (seqs.length > 0) accept.run(state.accepted);
    return seqs;
  };

  const work = (before: LogState, group: readonly { entry: NewLogEntry }[], trimTo: number): WriteResult => {
    const state = { ...before };
    const seqs = insertAll(state, group);
    const trimmed = trimTo > 0 ? trim(state, trimTo, growth(before, state)) : 0;
    if (trimmed > 0 || before.entries === 0) state.oldestReceivedAt = oldest.get() ?? null;
    return { state, seqs, trimmed };
  };

  return {
    write(before, group, trimTo) {
      begin.run();
      try {
        const written = work(before, group, trimTo);
        commit.run();
        return written;
      } catch (error) {
        // SQLite has already rolled back by itself after some errors, such as a full disk.
        if (db.inTransaction) rollback.run();
        throw error;
      }
    },
    rewrite() {
      db.exec('vacuum');
    },
    truncateJournal() {
      const [result] = db.pragma('wal_checkpoint(truncate)') as { busy: number }[];
      return result?.busy === 0;
    },
    close: () => {
      db.close();
    },
  };
}

function createTrimmer(db: Database): (state: LogState, trimTo: number, grown: Growth) => number {
  const first = db.prepare<[number, number], { seq: number; events: number; bytes: number }>(`
    select seq, events, length(payload) as bytes
    from entries
    where seq <= ?
    order by seq
    limit ?`);
  const remove = db.prepare<[number]>('delete from entries where seq <= ?');

  const nextSlice = (trimTo: number, maxEntries: number, maxBytes: number): TrimBatch => {
    const slice: TrimBatch = { entries: 0, events: 0, bytes: 0, last: 0, complete: true };
    for (const row of first.all(trimTo, maxEntries + 1)) {
      const full = slice.entries === maxEntries || slice.bytes >= maxBytes;
      if (full) return { ...slice, complete: false };
      slice.entries += 1;
      slice.events += row.events;
      slice.bytes += row.bytes;
      slice.last = row.seq;
    }
    return slice;
  };

  return (state, trimTo, grown) => {
    const slice = nextSlice(trimTo, grown.entries + TRIM_BATCH_ENTRIES, grown.bytes + TRIM_BATCH_BYTES);
    if (slice.entries > 0) remove.run(slice.last);
    state.entries -= slice.entries;
    state.events -= slice.events;
    state.bytes -= slice.bytes;
    return slice.complete ? trimTo : slice.last;
  };
}
