/** Queries of this process that can be ended, and answers of those that nobody waits for. */
import { Failure, forbidden, notFound } from '../../core/errors.ts';
import { MINUTE_MS } from '../../core/time/units.ts';
import type { Clock } from '../../lib/clock.ts';

const KEPT_MS = 10 * MINUTE_MS;
const MAX_KEPT = 100;
/** Of all answers together. */
const MAX_KEPT_BYTES = 100_000_000;

interface QueryIdentity {
  id: string;
  projectId: number;
  userId: number;
}

interface RunningQuery extends QueryIdentity {
  startedAt: number;
  endedAt: number | null;
  controller: AbortController;
  /** JSON in pieces; null: there is none, or whoever asked has it. */
  answer: readonly Buffer[] | null;
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
  async run<T>(about: QueryIdentity, stopped: AbortSignal, run: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const query = this.#add(about);
    try {
      return await run(AbortSignal.any([stopped, query.controller.signal]));
    } finally {
      this.#forget(query);
    }
  }

  /** Nobody waits for it: its answer, or its error, is kept for a while. */
  start(about: QueryIdentity, run: (signal: AbortSignal) => Promise<readonly Buffer[]>): void {
    const query = this.#add(about);
    void run(query.controller.signal)
      .then((answer) => {
        query.answer = answer;
      })
      .catch((error: unknown) => {
        query.error =
          error instanceof Failure ? error : new Failure('unavailable', 'The query failed.', { cause: error });
      })
      .finally(() => {
        query.endedAt = this.#clock.now();
        this.#forgetOld();
      });
  }

  get(projectId: number, id: string): RunningQuery {
    const query = this.#queries.get(keyOf({ projectId, id }));
    if (query === undefined || this.#isOld(query)) throw notFound('There is no query with this id.');
    return query;
  }

  /** Users end their own; admins those of everybody. */
  end(projectId: number, id: string, owner: Owner): void {
    const query = this.get(projectId, id);
    if (query.userId !== owner.userId && !owner.isAdmin) throw forbidden();
    query.controller.abort(new Failure('invalid', 'The query was cancelled.', { code: 'query_cancelled' }));
    this.#forget(query);
  }

  #add(about: QueryIdentity): RunningQuery {
    const key = keyOf(about);
    if (this.#queries.get(key)?.endedAt === null) {
      throw new Failure('conflict', 'A query with this client_query_id is running.', { attr: 'client_query_id' });
    }
    this.#forgetOld();
    const controller = new AbortController();
    const query = { ...about, startedAt: this.#clock.now(), endedAt: null, controller, answer: null, error: null };
    // Behind those that are older.
    this.#queries.delete(key);
    this.#queries.set(key, query);
    return query;
  }

  #forget(query: RunningQuery): void {
    if (this.#queries.get(keyOf(query)) === query) this.#queries.delete(keyOf(query));
  }

  #isOld({ endedAt }: RunningQuery): boolean {
    return endedAt !== null && endedAt < this.#clock.now() - KEPT_MS;
  }

  /** And as many others as there are too many, the oldest first. */
  #forgetOld(): void {
    let bytes = [...this.#queries.values()].reduce((sum, query) => sum + sizeOf(query), 0);
    for (const query of this.#queries.values()) {
      const isTooMuch = this.#queries.size > MAX_KEPT || bytes > MAX_KEPT_BYTES;
      if (!this.#isOld(query) && (query.endedAt === null || !isTooMuch)) continue;
      bytes -= sizeOf(query);
      this.#forget(query);
    }
  }
}

const sizeOf = ({ answer }: RunningQuery): number => (answer ?? []).reduce((sum, piece) => sum + piece.length, 0);

const keyOf = ({ projectId, id }: { projectId: number; id: string }): string => `${projectId} ${id}`;
