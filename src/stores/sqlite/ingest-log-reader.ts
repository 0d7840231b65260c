import type { Database } from 'better-sqlite3';
import type { ChunkReader, IngestLogReader, LogEntry, PlannedChunk } from '../ingest/ingest-log.ts';
import { isProcessed, type LogProgress, processedUpTo, withPosition, withProcessed } from '../ingest/log-progress.ts';
import { type LogTotals, openLogFileForReading, selectTotals } from './ingest-log-file.ts';

/** Reads synchronously. */
export interface SqliteLogReader extends IngestLogReader, ChunkReader {
  read(...args: Parameters<IngestLogReader['read']>): LogEntry[];
  next(...args: Parameters<ChunkReader['next']>): PlannedChunk;
  between(...args: Parameters<ChunkReader['between']>): LogEntry[];
  afterProcessing(...args: Parameters<ChunkReader['afterProcessing']>): LogProgress;
  get(...args: Parameters<ChunkReader['get']>): LogEntry | null;
  /** Events ever accepted, and those that are not processed; both of the same moment. */
  totals(progress: LogProgress): LogTotals;
}

interface Limits {
  events: number;
  bytes: number;
}

/**
 * The reader for the processing thread. It has its own connection and holds no snapshot between calls, so it never blocks
 * the writer's checkpoints.
 */
export function openIngestLogReader(path: string): SqliteLogReader {
  const db = openLogFileForReading(path);
  const statements = prepare(db);
  const { after, headersAfter, bySeq } = statements;
  const turns = new Turns();

  return {
    totals: (progress) => selectTotals(db, progress),
    read: (seq, maxEvents, maxBytes) => take(after.iterate(seq), { events: maxEvents, bytes: maxBytes }).entries,
    next(progress, maxEvents, maxBytes) {
      const limits = { events: maxEvents, bytes: maxBytes };
      const oldest = take(after.iterate(progress.position), limits, (entry) => !isProcessed(progress, entry));
      const reached = { entries: oldest.entries, progress: withPosition(progress, oldest.last ?? progress.position) };
      if (!oldest.isFull) return reached;
      // More is pending than fits: projects take turns.
      const waiting = statements.projects
        .all()
        .filter((id) => statements.firstOf.get(id, processedUpTo(progress, id)) !== undefined);
      if (waiting.length < 2) return reached;
      const ofProject = (id: number) => statements.ofProject.iterate(id, processedUpTo(progress, id));
      const entries = turns.take(waiting, ofProject, limits);
      return { entries, progress: settle(withProcessed(progress, entries)) };
    },
    between(from, to) {
      const last = Math.max(to.position, ...to.ahead.values());
      const entries: LogEntry[] = [];
      for (const header of headersAfter.iterate(from.position)) {
        if (header.seq > last) break;
        if (isProcessed(to, header) && !isProcessed(from, header)) entries.push(...bySeq.all(header.seq));
      }
      return entries;
    },
    afterProcessing: (progress, entries) => settle(withProcessed(progress, entries)),
    get: (seq) => bySeq.get(seq) ?? null,
    close: () => {
      db.close();
    },
  };

  /** Moves the position past everything that is processed. */
  function settle(progress: LogProgress): LogProgress {
    let { position } = progress;
    for (const header of headersAfter.iterate(position)) {
      if (!isProcessed(progress, header)) break;
      position = header.seq;
    }
    return withPosition(progress, position);
  }
}

const COLUMNS = 'seq, project_id as projectId, received_at as receivedAt, events, context, seed, payload';

const prepare = (db: Database) => ({
  after: db.prepare<[number], LogEntry>(`select ${COLUMNS} from entries where seq > ? order by seq`),
  bySeq: db.prepare<[number], LogEntry>(`select ${COLUMNS} from entries where seq = ?`),
  ofProject: db.prepare<[number, number], LogEntry>(
    `select ${COLUMNS} from entries where project_id = ? and seq > ? order by seq`,
  ),
  headersAfter: db.prepare<[number], Pick<LogEntry, 'seq' | 'projectId'>>(
    'select seq, project_id as projectId from entries where seq > ? order by seq',
  ),
  firstOf: db.prepare<[number, number]>('select 1 from entries where project_id = ? and seq > ? limit 1'),
  // One step in the index for each project, however many entries it has.
  projects: db
    .prepare<[], number>(`
      with recursive p(id) as (
        select min(project_id) from entries
        union all
        select (select min(project_id) from entries where project_id > p.id) from p where p.id is not null
      )
      select id from p where id is not null`)
    .pluck(),
});

interface Taken {
  entries: LogEntry[];
  /** The last entry that was looked at and fits. */
  last: number | null;
  /** There may be more. */
  isFull: boolean;
  used: Limits;
}

/** The wanted ones within both limits, but at least one. */
function take(source: Iterable<LogEntry>, limits: Limits, isWanted = (_: LogEntry): boolean => true): Taken {
  const taken: Taken = { entries: [], last: null, isFull: false, used: { events: 0, bytes: 0 } };
  for (const entry of source) {
    if (isWanted(entry)) {
      const used = { events: taken.used.events + entry.events, bytes: taken.used.bytes + entry.payload.length };
      if (taken.entries.length > 0 && (used.events > limits.events || used.bytes > limits.bytes)) {
        return { ...taken, isFull: true };
      }
      taken.entries.push(entry);
      taken.used = used;
    }
    taken.last = entry.seq;
  }
  return taken;
}

/** Shares a chunk among projects. Where there are too many for one chunk, the next chunk starts where this one ended. */
class Turns {
  #last = 0;

  take(projects: readonly number[], ofProject: (id: number) => Iterable<LogEntry>, limits: Limits): LogEntry[] {
    const inTurn = [...projects.filter((id) => id > this.#last), ...projects.filter((id) => id <= this.#last)];
    const entries: LogEntry[] = [];
    const left = { ...limits };
    let waiting = inTurn.length;
    for (const id of inTurn) {
      // What one project leaves of its share is for those after it.
      const share = { events: Math.ceil(left.events / waiting), bytes: Math.ceil(left.bytes / waiting) };
      const own = take(ofProject(id), share);
      entries.push(...own.entries);
      left.events -= own.used.events;
      left.bytes -= own.used.bytes;
      waiting--;
      this.#last = id;
      if (left.events <= 0 || left.bytes <= 0) break;
    }
    return entries.sort((a, b) => a.seq - b.seq);
  }
}
