import type { ChunkReader, IngestLogReader, LogEntry, PlannedChunk } from '../ingest/ingest-log.ts';
import { isProcessed, type LogProgress, withPosition, withProcessed } from '../ingest/log-progress.ts';
import { readLogFolder } from './log-folder.ts';
import { LogHead } from './log-head.ts';
import { type LogTotals, totalsOf } from './log-totals.ts';
import { ProjectQueues } from './project-queues.ts';
import { SegmentSet } from './segment-set.ts';

/** Reads synchronously. */
export interface SegmentLogReader extends IngestLogReader, ChunkReader {
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

/** `head` is that of the writer; without it, nobody may be writing. */
export function openIngestLogReader(folder: string, head = headOf(folder)): SegmentLogReader {
  const log = new SegmentSet(folder, head);
  const queues = new ProjectQueues(log);
  const turns = new Turns();
  const using = <T>(work: () => T): T => {
    log.refresh();
    try {
      return work();
    } finally {
      log.release();
    }
  };

  return {
    totals: (progress) => totalsOf(readLogFolder(folder, head.head), progress),
    read: (seq, maxEvents, maxBytes) =>
      using(() => take(log.entriesAfter(seq), { events: maxEvents, bytes: maxBytes }).entries),
    next: (progress, maxEvents, maxBytes) => using(() => plan(progress, { events: maxEvents, bytes: maxBytes })),
    between(from, to) {
      const last = Math.max(to.position, ...to.ahead.values());
      const isBetween = (seq: number): boolean => {
        const header = { seq, projectId: log.projectOf(seq) ?? 0 };
        return isProcessed(to, header) && !isProcessed(from, header);
      };
      return using(() => {
        const entries: LogEntry[] = [];
        for (const seq of log.seqsAfter(from.position)) {
          if (seq > last) break;
          const entry = isBetween(seq) ? log.entry(seq) : null;
          if (entry) entries.push(entry);
        }
        return entries;
      });
    },
    afterProcessing: (progress, entries) => using(() => settle(withProcessed(progress, entries))),
    get: (seq) => using(() => log.entry(seq)),
    close: () => log.release(),
  };

  function plan(progress: LogProgress, limits: Limits): PlannedChunk {
    const oldest = take(log.entriesAfter(progress.position), limits, (entry) => !isProcessed(progress, entry));
    const reached = { entries: oldest.entries, progress: withPosition(progress, oldest.last ?? progress.position) };
    if (!oldest.isFull) {
      queues.clear();
      return reached;
    }
    // More is pending than fits: projects take turns.
    const waiting = queues.waiting(progress);
    if (waiting.length < 2) return reached;
    const entries = turns.take(waiting, (id) => entriesOf(queues.ofProject(id)), limits);
    return { entries, progress: settle(withProcessed(progress, entries)) };
  }

  function* entriesOf(seqs: Iterable<number>): Generator<LogEntry> {
    for (const seq of seqs) {
      const entry = log.entry(seq);
      if (entry) yield entry;
    }
  }

  /** Moves the position past everything that is processed. */
  function settle(progress: LogProgress): LogProgress {
    let { position } = progress;
    for (const seq of log.seqsAfter(position)) {
      if (!isProcessed(progress, { seq, projectId: log.projectOf(seq) ?? 0 })) break;
      position = seq;
    }
    return withPosition(progress, position);
  }
}

function headOf(folder: string): LogHead {
  const { head, trimmed, segments } = readLogFolder(folder);
  return Object.assign(new LogHead(), { trimmed, active: segments.at(-1)?.header.first ?? 0, head });
}
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
