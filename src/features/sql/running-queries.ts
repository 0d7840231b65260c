/** Queries of this process that can be ended, and answers of those that nobody waits for. */
import { Failure, forbidden, notFound } from '../../core/errors.ts';
import { MINUTE_MS } from '../../core/time/units.ts';
import type { Clock } from '../../lib/clock.ts';

const KEPT_MS = 10 * MINUTE_MS;
const MAX_KEPT = 100;

interface RunningQuery {
  id: string;
  projectId: number;
  userId: number;
  startedAt: number;
  endedAt: number | null;
  controller: AbortController;
  answer: unknown;
  error: Failure | null;
}

interface Owner {
  userId: number;
  isAdmin: boolean;
}

export class RunningQueries {
  readonly #clock: Clock;
  readonly #queries = new Map<string, RunningQuery>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** `run` gets a signal that is aborted when the query is ended, or when `stopped` is. */
  async run<T>(
    about: { id: string; projectId: number; userId: number },
    stopped: AbortSignal | null,
    run: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const key = keyOf(about.projectId, about.id);
    if (this.#queries.get(key)?.endedAt === null) {
      throw new Failure('conflict', 'A query with this client_query_id is running.', { attr: 'client_query_id' });
    }
    this.#forgetOld();
    const controller = new AbortController();
    const query: RunningQuery = {
      ...about,
      startedAt: this.#clock.now(),
      endedAt: null,
      controller,
      answer: null,
      error: null,
    };
    this.#queries.set(key, query);
    try {
      const answer = await run(stopped === null ? controller.signal : AbortSignal.any([stopped, controller.signal]));
      // Answers that were sent are not needed again.
      if (stopped === null) query.answer = answer;
      return answer;
    } catch (error) {
      query.error =
        error instanceof Failure ? error : new Failure('unavailable', 'The query failed.', { cause: error });
      throw error;
    } finally {
      query.endedAt = this.#clock.now();
      if (stopped !== null) this.#queries.delete(key);
    }
  }

  get(projectId: number, id: string): RunningQuery {
    const query = this.#queries.get(keyOf(projectId, id));
    if (query === undefined || this.#isOld(query)) throw notFound('There is no query with this id.');
    return query;
  }

  /** Users end their own; admins those of everybody. */
  end(projectId: number, id: string, owner: Owner): void {
    const query = this.get(projectId, id);
    if (query.userId !== owner.userId && !owner.isAdmin) throw forbidden();
    query.controller.abort(new Failure('invalid', 'The query was cancelled.', { code: 'query_cancelled' }));
    this.#queries.delete(keyOf(projectId, id));
  }

  #isOld({ endedAt }: RunningQuery): boolean {
    return endedAt !== null && endedAt < this.#clock.now() - KEPT_MS;
  }

  #forgetOld(): void {
    for (const [key, query] of this.#queries) {
      if (this.#isOld(query) || (query.endedAt !== null && this.#queries.size > MAX_KEPT)) this.#queries.delete(key);
    }
  }
}

const keyOf = (projectId: number, id: string): string => `${projectId} ${id}`;
