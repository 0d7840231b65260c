/** Connections to PostgreSQL, as Kysely wants them, with the values turned the way the queries of `sql/` expect. */
import type { PostgresPool, PostgresPoolClient } from 'kysely';
import pg from 'pg';
import { cleanText } from '../../core/json/text.ts';
import { isOutdatedPlan, rethrowConnectionLoss } from './errors.ts';
import { StatementNames } from './statement-names.ts';

export interface PoolOptions {
  /** Connections at the most. */
  size: number;
}

const CONNECT_TIMEOUT_MS = 5_000;
/** Longer than anything that is meant to run, so that nothing holds a connection for ever. */
const STATEMENT_TIMEOUT_MS = 60_000;
/** A machine that vanished in the middle of a transaction holds its locks no longer than this. */
const IDLE_IN_TRANSACTION_TIMEOUT_MS = 15_000;

const NUMBERS = new Set<number>([pg.types.builtins.INT8, pg.types.builtins.NUMERIC]);
/** Counts, ids and times stay far below 2⁵³, where numbers are exact. */
const types = {
  getTypeParser: ((id: number, format?: 'text') =>
    NUMBERS.has(id) ? Number : pg.types.getTypeParser(id, format)) as typeof pg.types.getTypeParser,
};

/** A pool that mends itself: a lost connection is replaced by the next question. */
export function openPool(url: string, { size }: PoolOptions): pg.Pool {
  const pool = new pg.Pool({
    connectionString: url,
    max: size,
    types,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    statement_timeout: STATEMENT_TIMEOUT_MS,
    idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_TIMEOUT_MS,
    keepAlive: true,
    application_name: 'cairn',
  });
  // Connections that are lost while nobody uses them are of no concern to anybody.
  pool.on('error', () => undefined);
  return pool;
}

/** Text cannot hold NUL here. Events and requests bring none past the door, but a question may still ask for one. */
const toStorable = (value: unknown): unknown => (typeof value === 'string' ? cleanText(value) : value);

/** The pool as Kysely uses it. */
export function kyselyPool(pool: pg.Pool): PostgresPool {
  const names = new StatementNames();
  const clients = new WeakMap<pg.PoolClient, PostgresPoolClient>();
  return {
    async connect() {
      const client = await pool.connect().catch(rethrowConnectionLoss);
      const known = clients.get(client) ?? kyselyClient(client, names);
      clients.set(client, known);
      return known;
    },
    end: () => pool.end(),
  };
}

function kyselyClient(client: pg.PoolClient, names: StatementNames): PostgresPoolClient {
  // Otherwise a connection lost in the middle of a transaction would end the process.
  client.on('error', () => undefined);
  const ask = async (text: string, parameters: readonly unknown[]): Promise<unknown> => {
    const values = parameters.map(toStorable);
    const name = names.nameOf(text);
    if (name === undefined) return client.query({ text, values }).catch(rethrowConnectionLoss);
    try {
      return await client.query({ name, text, values });
    } catch (error) {
      if (!isOutdatedPlan(error)) return rethrowConnectionLoss(error);
      names.forget(text);
      // Inside of a transaction nothing more can be asked: then it is the transaction that is to be tried again.
      return client.query({ text, values }).catch(() => Promise.reject(error));
    }
  };
  return { query: ask as unknown as PostgresPoolClient['query'], release: () => client.release() };
}
