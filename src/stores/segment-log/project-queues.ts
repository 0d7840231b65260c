/** Pending entries by project, for turns. Built only while more is pending than fits into one chunk. */
import { isProcessed, type LogProgress, processedUpTo } from '../ingest/log-progress.ts';
import type { SegmentSet } from './segment-set.ts';

/** Looked at before a chunk, so that no chunk waits for a whole backlog to be read. */
const MAX_STEP_ENTRIES = 50_000;
/** Bounds memory; a project whose first pending entry is behind so many others waits until they are fewer. */
const MAX_ENTRIES = 2_000_000;
/** Processed entries at the front of a queue are removed when they are so many. */
const MAX_PROCESSED = 10_000;

interface Queue {
  seqs: number[];
  /** Index of the first one that is not processed. */
  start: number;
}

export class ProjectQueues {
  readonly #log: SegmentSet;
  #queues = new Map<number, Queue>();
  /** Up to where entries were looked at. */
  #seen = 0;
  #entries = 0;

  constructor(log: SegmentSet) {
    this.#log = log;
  }

  clear(): void {
    this.#queues = new Map();
    this.#seen = 0;
    this.#entries = 0;
  }

  /** Projects with pending entries, as far as they were looked at; ascending. */
  waiting(progress: LogProgress): number[] {
    this.#removeProcessed(progress);
    this.#lookAhead(progress);
    return [...this.#queues.keys()].sort((a, b) => a - b);
  }

  *ofProject(id: number): Generator<number> {
    const { seqs, start } = this.#queues.get(id) ?? { seqs: [], start: 0 };
    for (let i = start; i < seqs.length; i++) yield seqs[i] ?? 0;
  }

  #removeProcessed(progress: LogProgress): void {
    for (const [id, queue] of this.#queues) {
      const upTo = processedUpTo(progress, id);
      const before = queue.start;
      while ((queue.seqs[queue.start] ?? Number.POSITIVE_INFINITY) <= upTo) queue.start++;
      this.#entries -= queue.start - before;
      if (queue.start === queue.seqs.length) this.#queues.delete(id);
      else if (queue.start > MAX_PROCESSED) this.#queues.set(id, { seqs: queue.seqs.slice(queue.start), start: 0 });
    }
  }

  #lookAhead(progress: LogProgress): void {
    this.#seen = Math.max(this.#seen, progress.position);
    let left = Math.min(MAX_STEP_ENTRIES, MAX_ENTRIES - this.#entries);
    for (const seq of this.#log.seqsAfter(this.#seen)) {
      if (left-- <= 0) return;
      this.#seen = seq;
      const projectId = this.#log.projectOf(seq) ?? 0;
      if (isProcessed(progress, { projectId, seq })) continue;
      const queue = this.#queues.get(projectId);
      if (queue) queue.seqs.push(seq);
      else this.#queues.set(projectId, { seqs: [seq], start: 0 });
      this.#entries++;
    }
  }
}
