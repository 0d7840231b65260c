/**
 * Answers of insights, kept until something that they were made from changes. A project has a generation, a number that
 * grows with each such change: events were stored, persons or cohorts have changed, something was deleted. Dates are no
 * part of it: a question is kept with the range that its dates meant, and tomorrow they mean another.
 *
 * Whoever asks what is being worked out already waits for the same answer; when all who wait have gone, the work ends.
 */
import { deserialize, serialize } from 'node:v8';
import type { Clock } from '../../lib/clock.ts';

interface CachedAnswer<T> {
  answer: T;
  isCached: boolean;
  /** When it was worked out, ms UTC. */
  computedAt: number;
}

interface CacheQuery {
  projectId: number;
  /** All that the answer depends on beside the project's data: equal texts have equal answers. */
  question: string;
  /** Work it out anew, whatever is kept. */
  refresh: boolean;
  /** Whoever asks may go away. */
  signal: AbortSignal;
}

/** The answer is kept written out: so its size is known, and nobody can change it. */
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
  readonly #mostBytes: number;
  readonly #entries = new Map<string, Entry>();
  readonly #work = new Map<string, Computation>();
  readonly #generations = new Map<number, number>();
  #everything = 0;
  #bytes = 0;

  constructor(clock: Clock, mostBytes = MAX_CACHE_BYTES) {
    this.#clock = clock;
    this.#mostBytes = mostBytes;
  }

  /** Others that keep answers to the same questions hear through this of what was changed here. */
  onInvalidate: (projectId: number) => void = () => undefined;

  /** Something in the project has changed. To be said after the change, and before anybody is told of it. */
  invalidate(projectId: number): void {
    this.invalidateHere(projectId);
    this.onInvalidate(projectId);
  }

  /** The same where others know it already. */
  invalidateHere(projectId: number): void {
    this.#generations.set(projectId, this.#ownGeneration(projectId) + 1);
  }

  /** Nobody knows what has changed. */
  invalidateAll(): void {
    this.#everything++;
  }

  async getOrCompute<T>(options: CacheQuery, workOut: (signal: AbortSignal) => Promise<T>): Promise<CachedAnswer<T>> {
    const { projectId, question, refresh, signal } = options;
    signal.throwIfAborted();
    const key = `${projectId} ${question}`;
    // Taken before the work begins: a change while it is under way makes the answer an old one.
    const generation = this.#generation(projectId);
    const kept = refresh ? undefined : this.#entries.get(key);
    if (kept?.generation === generation) {
      this.#entries.delete(key);
      this.#entries.set(key, kept);
      return { answer: deserialize(kept.answer) as T, isCached: true, computedAt: kept.computedAt };
    }
    const work = this.#join(`${generation} ${key}`, async (stopped) => {
      const computedAt = this.#clock.now();
      const answer = await workOut(stopped);
      this.#keep(key, { generation, answer: serialize(answer), computedAt });
      return { answer, isCached: false, computedAt };
    });
    return (await this.#wait(work, signal)) as CachedAnswer<T>;
  }

  #ownGeneration = (projectId: number): number => this.#generations.get(projectId) ?? 0;

  /** Both only grow, so their sum tells every change. */
  #generation = (projectId: number): number => this.#everything + this.#ownGeneration(projectId);

  #join(name: string, begin: (signal: AbortSignal) => Promise<unknown>): Computation {
    const known = this.#work.get(name);
    if (known !== undefined) return known;
    const stop = new AbortController();
    const promise = begin(stop.signal).finally(() => {
      if (this.#work.get(name)?.stop === stop) this.#work.delete(name);
    });
    // Those who wait hear of a failure; when nobody does any more, it is no fault.
    promise.catch(() => undefined);
    const work = { promise, waiting: 0, stop };
    stop.signal.addEventListener('abort', () => this.#work.delete(name));
    this.#work.set(name, work);
    return work;
  }

  async #wait(work: Computation, signal: AbortSignal): Promise<unknown> {
    work.waiting++;
    let leave: (() => void) | undefined;
    const gone = new Promise<never>((_, reject) => {
      leave = () => reject(signal.reason);
      signal.addEventListener('abort', leave, { once: true });
    });
    try {
      return await Promise.race([work.promise, gone]);
    } finally {
      if (leave) signal.removeEventListener('abort', leave);
      work.waiting--;
      if (work.waiting === 0) work.stop.abort(signal.reason);
    }
  }

  #keep(key: string, entry: Entry): void {
    // Work that began before a change may end after that which began since.
    if ((this.#entries.get(key)?.generation ?? 0) > entry.generation) return;
    this.#forget(key);
    const size = sizeOf(key, entry);
    if (size > this.#mostBytes / 4) return;
    this.#entries.set(key, entry);
    this.#bytes += size;
    for (const oldest of this.#entries.keys()) {
      if (this.#bytes <= this.#mostBytes) break;
      this.#forget(oldest);
    }
  }

  #forget(key: string): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    this.#entries.delete(key);
    this.#bytes -= sizeOf(key, entry);
  }
}

/** With something for the objects themselves. */
const sizeOf = (key: string, { answer }: Entry): number => 2 * key.length + answer.byteLength + 200;
