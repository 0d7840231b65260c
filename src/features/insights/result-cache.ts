/**
 * Answers of insights, cached until data of the project changes. Each project has a generation, a number that grows with
 * every change: events stored, persons or cohorts changed, something deleted. Relative dates need none: the question is
 * cached with the range that they resolved to.
 *
 * Callers with the same question share one computation; it is cancelled when all of them are gone.
 */
import { deserialize, serialize } from 'node:v8';
import type { Clock } from '../../lib/clock.ts';

interface CachedAnswer<T> {
  answer: T;
  isCached: boolean;
  /** Ms UTC. */
  computedAt: number;
}

interface CacheQuery {
  projectId: number;
  /** Everything besides the project's data that the answer depends on. */
  question: string;
  refresh: boolean;
  /** Aborted when the caller is gone. */
  signal: AbortSignal;
}

/** Answers are serialized: their size is known, and callers cannot change them. */
interface Entry {
  generation: number;
  answer: Buffer;
  computedAt: number;
}

interface Computation {
  promise: Promise<unknown>;
  waiting: number;
  stop: AbortController;
}

const MAX_CACHE_BYTES = 32 * 1024 * 1024;

export class ResultCache {
  readonly #clock: Clock;
  readonly #maxBytes: number;
  readonly #entries = new Map<string, Entry>();
  readonly #running = new Map<string, Computation>();
  readonly #generations = new Map<number, number>();
  #allGeneration = 0;
  #bytes = 0;

  constructor(clock: Clock, maxBytes = MAX_CACHE_BYTES) {
    this.#clock = clock;
    this.#maxBytes = maxBytes;
  }

  /** To invalidate the caches of the other nodes. */
  onInvalidate: (projectId: number) => void = () => undefined;

  /** Data of the project has changed. Call it after the change, and before the change is confirmed to anyone. */
  invalidate(projectId: number): void {
    this.invalidateHere(projectId);
    this.onInvalidate(projectId);
  }

  /** The same where the other nodes know it already. */
  invalidateHere(projectId: number): void {
    this.#generations.set(projectId, this.#ownGeneration(projectId) + 1);
  }

  /** It is not known what has changed. */
  invalidateAll(): void {
    this.#allGeneration++;
  }

  async getOrCompute<T>(options: CacheQuery, compute: (signal: AbortSignal) => Promise<T>): Promise<CachedAnswer<T>> {
    const { projectId, question, refresh, signal } = options;
    signal.throwIfAborted();
    const key = `${projectId} ${question}`;
    // Read before the computation starts: a change meanwhile makes its answer outdated.
    const generation = this.#generation(projectId);
    const entry = refresh ? undefined : this.#entries.get(key);
    if (entry?.generation === generation) {
      this.#entries.delete(key);
      this.#entries.set(key, entry);
      return { answer: deserialize(entry.answer) as T, isCached: true, computedAt: entry.computedAt };
    }
    const computation = this.#join(`${generation} ${key}`, async (stopped) => {
      const computedAt = this.#clock.now();
      const answer = await compute(stopped);
      this.#set(key, { generation, answer: serialize(answer), computedAt });
      return { answer, isCached: false, computedAt };
    });
    return (await this.#wait(computation, signal)) as CachedAnswer<T>;
  }

  #ownGeneration = (projectId: number): number => this.#generations.get(projectId) ?? 0;

  /** Both only grow, so the sum changes with every change. */
  #generation = (projectId: number): number => this.#allGeneration + this.#ownGeneration(projectId);

  #join(name: string, start: (signal: AbortSignal) => Promise<unknown>): Computation {
    const known = this.#running.get(name);
    if (known !== undefined) return known;
    const stop = new AbortController();
    const promise = start(stop.signal).finally(() => {
      if (this.#running.get(name)?.stop === stop) this.#running.delete(name);
    });
    // Waiting callers get the failure; without any it is not an unhandled one.
    promise.catch(() => undefined);
    const computation = { promise, waiting: 0, stop };
    stop.signal.addEventListener('abort', () => this.#running.delete(name));
    this.#running.set(name, computation);
    return computation;
  }

  async #wait(computation: Computation, signal: AbortSignal): Promise<unknown> {
    computation.waiting++;
    let leave: (() => void) | undefined;
    const aborted = new Promise<never>((_, reject) => {
      leave = () => reject(signal.reason);
      signal.addEventListener('abort', leave, { once: true });
    });
    try {
      return await Promise.race([computation.promise, aborted]);
    } finally {
      if (leave) signal.removeEventListener('abort', leave);
      computation.waiting--;
      if (computation.waiting === 0) computation.stop.abort(signal.reason);
    }
  }

  #set(key: string, entry: Entry): void {
    // A computation from before a change may end after a later one.
    if ((this.#entries.get(key)?.generation ?? 0) > entry.generation) return;
    this.#delete(key);
    const size = sizeOf(key, entry);
    if (size > this.#maxBytes / 4) return;
    this.#entries.set(key, entry);
    this.#bytes += size;
    for (const oldest of this.#entries.keys()) {
      if (this.#bytes <= this.#maxBytes) break;
      this.#delete(oldest);
    }
  }

  #delete(key: string): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    this.#entries.delete(key);
    this.#bytes -= sizeOf(key, entry);
  }
}

/** About: 200 bytes for the objects. */
const sizeOf = (key: string, { answer }: Entry): number => 2 * key.length + answer.byteLength + 200;
