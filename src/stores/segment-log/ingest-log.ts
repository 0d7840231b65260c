/**
 * The embedded ingest log: a folder of segment files that are only ever appended to.
 *
 * Writing and syncing happen in the thread pool, so the thread that serves HTTP never waits for the disk. While a group
 * of entries is being written, the next ones gather: under load many requests share a sync, and without load none waits
 * for more than one. A segment is deleted once all of its entries are trimmed.
 */
import { mkdir, readdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { resolvesWithin } from '../../lib/resolves-within.ts';
import { syncToDisk } from '../../lib/sync-to-disk.ts';
import type { IngestLog, LogState, NewLogEntry } from '../ingest/ingest-log.ts';
import { unavailable } from '../unavailable.ts';
import { ActiveSegment, UNFINISHED } from './active-segment.ts';
import { diskFailure } from './disk-failure.ts';
import { addCounts, type LogFolder, NO_COUNTS, readLogFolder, type Segment, subtractCounts } from './log-folder.ts';
import { LogHead } from './log-head.ts';
import { newSalt } from './new-salt.ts';
import { deleteFiles, PendingSegments } from './pending-segments.ts';
import { encodeEntry, encodeTrim } from './record.ts';
import type { LogCounts } from './segment-header.ts';

interface IngestLogOptions {
  /** Maximum size of pending payloads. */
  maxBytes: number;
  /** Maximum number of pending events; default: unlimited. */
  maxEvents?: number;
  /** New entries get higher numbers. If the log was lost, others still have its positions. */
  startAfter?: number;
  /** How many events were accepted at least, since others have processed them. */
  acceptedAtLeast?: number;
  /** A segment that has reached this size is followed by a new one. */
  segmentBytes?: number;
  /** How long a purge waits for entries that came before it; default 10 s. */
  maxPurgeWaitMs?: number;
}

/** Little enough to be read at start in an instant, and to be deleted soon. */
const DEFAULT_SEGMENT_BYTES = 32 * 1024 * 1024;

/** Limits of one group. */
const MAX_GROUP_ENTRIES = 1000;
const MAX_GROUP_BYTES = 8 * 1024 * 1024;

/** Written to find out whether an entry could be: a few bytes fit where it would not. */
const PROBE_BYTES = 4096;

/** When everything has been trimmed for about this long, a new segment is begun, so that the old one can go. */
const IDLE_MS = 60_000;
const DEFAULT_PURGE_WAIT_MS = 10_000;

interface Waiter<T> {
  resolve(value: T): void;
  reject(error: unknown): void;
}

interface PendingEntry extends Waiter<number> {
  entry: NewLogEntry;
}

interface Trim extends Waiter<void> {
  seq: number;
}

export interface SegmentLog extends IngestLog {
  /** Where readers, also in other threads, look up how far they may read. */
  readonly head: LogHead;
}

export async function openIngestLog(folder: string, options: IngestLogOptions): Promise<SegmentLog> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await syncToDisk(dirname(folder));
  for (const name of await readdir(folder)) {
    if (name.endsWith(UNFINISHED)) await rm(join(folder, name), { force: true });
  }
  const opened = await openSegments(folder, readLogFolder(folder), options);
  const log = new SegmentIngestLog(folder, opened, options);
  await log.trim(opened.found.trimmed);
  return log;
}

interface OpenedLog {
  found: LogFolder;
  active: ActiveSegment;
  /** The segments before the active one. */
  older: Segment[];
}

/** Goes on with the last segment, or with a new one if there is none or numbers have to be skipped. */
async function openSegments(folder: string, found: LogFolder, options: IngestLogOptions): Promise<OpenedLog> {
  const { startAfter = 0, acceptedAtLeast = 0 } = options;
  const { segments, head, accepted, trimmed, tornBytes } = found;
  const last = segments.at(-1);
  if (last && head >= startAfter && accepted >= acceptedAtLeast) {
    return { found, active: await ActiveSegment.open(last, tornBytes), older: segments.slice(0, -1) };
  }
  const first = Math.max(head, startAfter) + 1;
  // An empty segment may have this name already, and is replaced.
  const isReplaced = last?.header.first === first;
  const active = await ActiveSegment.create(folder, {
    first,
    salt: newSalt(),
    before: last ? addCounts(last.header.before, last.counts) : NO_COUNTS,
    accepted: Math.max(accepted, acceptedAtLeast),
    trimmed,
    previous: isReplaced ? last.header.previous : previousOf(last),
  });
  return { found, active, older: isReplaced ? segments.slice(0, -1) : segments };
}

const previousOf = (segment: Segment | undefined) =>
  segment ? { first: segment.header.first, length: segment.length } : null;

class SegmentIngestLog implements SegmentLog {
  readonly head = new LogHead();
  readonly #folder: string;
  readonly #options: IngestLogOptions;
  readonly #segmentBytes: number;
  #active: ActiveSegment;
  readonly #pending: PendingSegments;

  #queue: PendingEntry[] = [];
  /** Of the queue and of the group that is being written. */
  #waiting: LogCounts = NO_COUNTS;
  #trims: Trim[] = [];
  #rotations: Waiter<void>[] = [];
  #probes: Waiter<void>[] = [];
  #purges: { first: number; resolve(): void }[] = [];
  #isTrimRecordDue = false;
  #isScheduled = false;
  #writing: Promise<void> | null = null;
  #trimming: Promise<void> | null = null;
  #idleTimer: NodeJS.Timeout | null = null;
  #isClosing = false;
  #closed: Promise<void> | null = null;
  /** Why the last write failed. */
  #failure: string | null = null;

  constructor(folder: string, { found, older, active }: OpenedLog, options: IngestLogOptions) {
    this.#folder = folder;
    this.#options = options;
    this.#segmentBytes = options.segmentBytes ?? DEFAULT_SEGMENT_BYTES;
    this.#active = active;
    this.#pending = new PendingSegments(older, active.segment);
    this.head.trimmed = found.trimmed;
    this.head.active = active.segment.header.first;
    this.head.head = active.segment.last;
  }

  append(entry: NewLogEntry): Promise<number> {
    const refusal = this.#refusal(entry.events, entry.payload.length);
    if (refusal !== null) return Promise.reject(unavailable(refusal));
    this.#waiting = addCounts(this.#waiting, sizeOf(entry));
    return new Promise((resolve, reject) => {
      this.#queue.push({ entry, resolve, reject });
      this.#schedule();
    });
  }

  trim(seq: number): Promise<void> {
    if (this.#isClosing) return Promise.reject(stopping());
    return new Promise((resolve, reject) => {
      // Not past the newest entry: what arrives meanwhile has not been processed.
      this.#trims.push({ seq: Math.min(seq, this.#active.segment.last), resolve, reject });
      this.#trimming ??= this.#trimAll();
    });
  }

  /** Entries that are still pending go with their segment, when they are processed too. */
  async purge(): Promise<void> {
    if (this.#isClosing) throw stopping();
    await this.#rotate();
    const { first } = this.#active.segment.header;
    const gone = new Promise<void>((resolve) => {
      if (this.#pending.first >= first) resolve();
      else this.#purges.push({ first, resolve });
    });
    if (await resolvesWithin(this.#options.maxPurgeWaitMs ?? DEFAULT_PURGE_WAIT_MS, gone)) return;
    throw unavailable('The ingest log cannot be purged while so many events wait to be processed.');
  }

  state(): LogState {
    return {
      head: this.#active.segment.last,
      accepted: this.#accepted,
      ...this.#pending.counts,
      oldestReceivedAt: this.#pending.oldestReceivedAt,
    };
  }

  async refusal(): Promise<string | null> {
    const refusal = this.#refusal(1, 1);
    if (refusal !== null || this.#failure === null) return refusal;
    await new Promise<void>((resolve, reject) => {
      this.#probes.push({ resolve, reject });
      this.#schedule();
    }).catch(() => undefined);
    return this.#failure;
  }

  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    this.#isClosing = true;
    if (this.#idleTimer) clearTimeout(this.#idleTimer);
    await this.#trimming;
    await this.#startWriting();
    await this.#deleteTrimmed().catch(() => undefined);
    await this.#pending.close();
    await this.#active.close();
  }

  /** Where nothing is pending, no entry stays on disk. */
  async #deleteTrimmed(): Promise<void> {
    if (this.#pending.counts.entries > 0 || this.#active.segment.counts.entries === 0) return;
    await this.#beginSegment();
    await deleteFiles(await this.#pending.trim(this.head.trimmed));
  }

  get #accepted(): number {
    const { header, counts } = this.#active.segment;
    return header.accepted + counts.events;
  }

  #refusal(events: number, bytes: number): string | null {
    if (this.#isClosing) return stopping().message;
    const { maxBytes, maxEvents = Number.POSITIVE_INFINITY } = this.#options;
    const isFull =
      this.#pending.counts.bytes + this.#waiting.bytes + bytes > maxBytes ||
      this.#pending.counts.events + this.#waiting.events + events > maxEvents;
    return isFull ? 'Too many events are waiting to be processed. Try again in a moment.' : null;
  }

  // Writing: one group at a time.

  /** At the end of this turn of the event loop, with everything that it brings. */
  #schedule(): void {
    if (this.#isScheduled || this.#writing !== null) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      void this.#startWriting();
    });
  }

  #startWriting(): Promise<void> {
    if (this.#writing === null && this.#hasWork()) this.#writing = this.#writeAll();
    return this.#writing ?? Promise.resolve();
  }

  #hasWork(): boolean {
    return this.#queue.length + this.#probes.length + this.#rotations.length > 0 || this.#isTrimRecordDue;
  }

  async #writeAll(): Promise<void> {
    while (this.#hasWork()) await this.#writeGroup();
    this.#writing = null;
  }

  async #writeGroup(): Promise<void> {
    const group = this.#takeGroup();
    const probes = this.#probes.splice(0);
    const rotations = this.#rotations.splice(0);
    const waiting: Pick<Waiter<never>, 'reject'>[] = [...group, ...probes, ...rotations];
    try {
      const sync = group.length + probes.length > 0;
      if (rotations.length > 0 || (sync && this.#mustRotate())) await this.#beginSegment();
      for (const { resolve } of rotations) resolve();
      await this.#append(group, { sync });
      if (sync) this.#failure = null;
      for (const { resolve } of probes) resolve();
    } catch (error) {
      this.#isTrimRecordDue = false;
      const failure = diskFailure(error);
      this.#failure = failure.message;
      for (const { reject } of waiting) reject(failure);
    } finally {
      for (const { entry } of group) this.#waiting = subtractCounts(this.#waiting, sizeOf(entry));
    }
  }

  #takeGroup(): PendingEntry[] {
    let count = 0;
    let bytes = 0;
    for (const { entry } of this.#queue) {
      if (count === MAX_GROUP_ENTRIES || (count > 0 && bytes + entry.payload.length > MAX_GROUP_BYTES)) break;
      count++;
      bytes += entry.payload.length;
    }
    return this.#queue.splice(0, count);
  }

  async #append(group: readonly PendingEntry[], { sync }: { sync: boolean }): Promise<void> {
    const { segment } = this.#active;
    const place = { groupStart: segment.length, salt: segment.header.salt };
    const buffers = group.flatMap(({ entry }, i) => encodeEntry({ ...entry, seq: segment.last + 1 + i }, place));
    const isProbe = sync && group.length === 0;
    if (this.#isTrimRecordDue || group.length === 0) {
      buffers.push(encodeTrim(this.head.trimmed, place, isProbe ? PROBE_BYTES : 0));
    }
    this.#isTrimRecordDue = false;
    if (this.#active.isBroken) return;
    await this.#active.write(buffers, { sync });
    segment.length += buffers.reduce((sum, { length }) => sum + length, 0);
    this.#commit(segment, group);
  }

  /** They are on disk. */
  #commit(segment: Segment, group: readonly PendingEntry[]): void {
    const [oldest] = group;
    if (!oldest) return;
    const before = segment.last;
    const added = group.map(({ entry }) => sizeOf(entry)).reduce(addCounts);
    segment.last += group.length;
    segment.counts = addCounts(segment.counts, added);
    this.#pending.add(added, oldest.entry.receivedAt);
    this.head.head = segment.last;
    group.forEach(({ resolve }, i) => {
      resolve(before + 1 + i);
    });
  }

  // Segments.

  #mustRotate(): boolean {
    return this.#active.isBroken || this.#active.segment.length >= this.#segmentBytes;
  }

  /** Begins a new segment, if the active one has entries. */
  async #rotate(): Promise<void> {
    if (this.#active.segment.counts.entries === 0) return;
    await new Promise<void>((resolve, reject) => {
      this.#rotations.push({ resolve, reject });
      this.#schedule();
    });
    // The old one may have been trimmed completely.
    await this.trim(this.head.trimmed);
  }

  async #beginSegment(): Promise<void> {
    const old = this.#active;
    const { header, last, counts } = old.segment;
    const isReplaced = counts.entries === 0;
    this.#active = await ActiveSegment.create(this.#folder, {
      first: last + 1,
      // A reader may know the header of the empty one.
      salt: isReplaced ? header.salt : newSalt(),
      before: addCounts(header.before, counts),
      accepted: this.#accepted,
      trimmed: this.head.trimmed,
      previous: isReplaced ? header.previous : previousOf(old.segment),
    });
    await this.#pending.push(this.#active.segment);
    this.head.active = this.#active.segment.header.first;
    await old.close();
  }

  // Trimming.

  async #trimAll(): Promise<void> {
    while (this.#trims.length > 0) await this.#trimOnce(this.#trims.splice(0));
    this.#trimming = null;
  }

  async #trimOnce(trims: readonly Trim[]): Promise<void> {
    try {
      const seq = trims.reduce((most, trim) => Math.max(most, trim.seq), this.head.trimmed);
      const obsolete = await this.#pending.trim(seq);
      if (seq > this.head.trimmed) this.#isTrimRecordDue = true;
      this.head.trimmed = seq;
      await deleteFiles(obsolete);
      this.#afterTrim();
      for (const { resolve } of trims) resolve();
    } catch (error) {
      for (const { reject } of trims) reject(error);
    }
  }

  #afterTrim(): void {
    if (this.#isTrimRecordDue) this.#schedule();
    const { first, counts } = this.#pending;
    for (const { resolve } of this.#purges.filter((purge) => purge.first <= first)) resolve();
    this.#purges = this.#purges.filter((purge) => purge.first > first);
    if (counts.entries === 0 && this.#active.segment.counts.entries > 0 && !this.#isClosing) this.#rotateWhenIdle();
  }

  #rotateWhenIdle(): void {
    this.#idleTimer ??= setTimeout(() => {
      this.#idleTimer = null;
      // A failure shows with the next entry.
      if (this.#pending.counts.entries === 0) this.#rotate().catch(() => undefined);
    }, IDLE_MS).unref();
  }
}

const stopping = () => unavailable('The server is stopping.');

const sizeOf = ({ events, payload }: NewLogEntry): LogCounts => ({ entries: 1, events, bytes: payload.length });
