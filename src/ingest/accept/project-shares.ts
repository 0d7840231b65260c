/**
 * One project must not fill the log for all: once it is more than half full, projects with more than a quarter of it
 * are refused until some of theirs is processed. Many entries are counted together, since there may be millions. What was
 * in the log when the process started is not counted.
 */
import { unavailable } from '../../stores/unavailable.ts';

const ENTRIES_TOGETHER = 1024;

interface Counted {
  lastSeq: number;
  bytes: Map<number, number>;
}

export class ProjectShares {
  readonly #maxBytes: number;
  readonly #pending = new Map<number, number>();
  /** Oldest first. */
  readonly #counted: Counted[] = [];

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Throws if the project has to wait. `usedBytes`: of the log. */
  requireRoom(projectId: number, usedBytes: number): void {
    if (usedBytes <= this.#maxBytes / 2 || (this.#pending.get(projectId) ?? 0) <= this.#maxBytes / 4) return;
    throw unavailable('Too many events of this project wait to be processed; try again in a moment.');
  }

  add(seq: number, projectId: number, bytes: number): void {
    const newest = this.#counted.at(-1);
    const isSame = newest !== undefined && groupOf(newest.lastSeq) === groupOf(seq);
    const counted = isSame ? newest : { lastSeq: seq, bytes: new Map<number, number>() };
    if (!isSame) this.#counted.push(counted);
    counted.lastSeq = Math.max(seq, counted.lastSeq);
    addTo(counted.bytes, projectId, bytes);
    addTo(this.#pending, projectId, bytes);
  }

  /** Everything up to `position` has been processed. */
  onProcessed(position: number): void {
    for (let oldest = this.#counted[0]; oldest !== undefined && oldest.lastSeq <= position; oldest = this.#counted[0]) {
      for (const [projectId, bytes] of oldest.bytes) addTo(this.#pending, projectId, -bytes);
      this.#counted.shift();
    }
  }
}

const groupOf = (seq: number): number => Math.floor(seq / ENTRIES_TOGETHER);

function addTo(sums: Map<number, number>, key: number, bytes: number): void {
  const sum = (sums.get(key) ?? 0) + bytes;
  if (sum === 0) sums.delete(key);
  else sums.set(key, sum);
}
