import type { Database } from 'better-sqlite3';
import type { LogState, NewLogEntry } from '../ingest/ingest-log.ts';

/** Writes to the ingest log: each transaction adds a group of entries and trims a batch of old ones. */
export interface LogWriter {
  /**
   * Writes all entries and trims a batch of those up to `trimTo`, or throws and changes nothing. `trimmed` is the number
   * up to which everything is trimmed now: `trimTo`, or less if more batches are needed.
   */
  write(state: LogState, group: readonly { entry: NewLogEntry }[], trimTo: number): WriteResult;
  /** Writes something that nobody reads; throws if the disk refuses it. */
  probe(): void;
  /** Rewrites the file. */
  rewrite(): void;
  /** Empties the journal; false while it is being read. */
  truncateJournal(): boolean;
  close(): void;
}

interface WriteResult {
  state: LogState;
  seqs: number[];
  trimmed: number;
}

/**
 * Trimming a batch takes a few milliseconds, since freeing a page means reading it. A batch is larger than the group
 * written with it, or a log under full load would grow faster than it is trimmed.
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
  last: number;
  /** Nothing is left to trim after it. */
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
        // After some errors, such as a full disk, SQLite has already rolled back.
        if (db.inTransaction) rollback.run();
        throw error;
      }
    },
    probe() {
      // A value that changes: SQLite does not write what is there already.
      const last = Number(db.pragma('application_id', { simple: true }));
      db.pragma(`application_id = ${(last + 1) % 1_000_000}`);
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

  const nextBatch = (trimTo: number, maxEntries: number, maxBytes: number): TrimBatch => {
    const batch: TrimBatch = { entries: 0, events: 0, bytes: 0, last: 0, complete: true };
    for (const row of first.all(trimTo, maxEntries + 1)) {
      const full = batch.entries === maxEntries || batch.bytes >= maxBytes;
      if (full) return { ...batch, complete: false };
      batch.entries += 1;
      batch.events += row.events;
      batch.bytes += row.bytes;
      batch.last = row.seq;
    }
    return batch;
  };

  return (state, trimTo, grown) => {
    const batch = nextBatch(trimTo, grown.entries + TRIM_BATCH_ENTRIES, grown.bytes + TRIM_BATCH_BYTES);
    if (batch.entries > 0) remove.run(batch.last);
    state.entries -= batch.entries;
    state.events -= batch.events;
    state.bytes -= batch.bytes;
    return batch.complete ? trimTo : batch.last;
  };
}
