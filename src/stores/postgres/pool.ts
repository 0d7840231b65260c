/** Connections to PostgreSQL for Kysely, with values converted as the queries in `sql/` expect. */

import type { PostgresPool, PostgresPoolClient } from 'kysely';
import type pg from 'pg';
import { cleanText } from '../../core/json/text.ts';
import { isOutdatedPlan, rethrowConnectionLoss } from './errors.ts';

export interface PoolOptions {
  /** Maximum number of connections. */
  size: number;
}

const CONNECT_TIMEOUT_MS = 5_000;
/** Longer than any expected statement, so that nothing holds a connection forever. */
const STATEMENT_TIMEOUT_MS = 60_000;
/** How long a node that disappears during a transaction keeps its locks. */
const IDLE_IN_TRANSACTION_TIMEOUT_MS = 15_000;

/** Only where PostgreSQL is used: it takes a twentieth of a start. */
export const loadPg = async (): Promise<typeof pg> => (await import('pg')).default;

/** Counts, ids and times stay far below 2⁵³. */
function typesOf({ builtins, getTypeParser }: typeof pg.types): pg.CustomTypesConfig {
  const numbers = new Set<number>([builtins.INT8, builtins.NUMERIC]);
  return {
    getTypeParser: ((id: number, format?: 'text') =>
      numbers.has(id) ? Number : getTypeParser(id, format)) as typeof getTypeParser,
  };
}

/** Lost connections are replaced by the next query. */
export async function openPool(url: string, { size }: PoolOptions): Promise<pg.Pool> {
  const { Pool, types } = await loadPg();
  const pool = new Pool({
    connectionString: url,
    max: size,
    types: typesOf(types),
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    statement_timeout: STATEMENT_TIMEOUT_MS,
    idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_TIMEOUT_MS,
    keepAlive: true,
    application_name: 'cairn',
  });
  // Lost idle connections need no handling.
  pool.on('error', () => undefined);
  return pool;
}

/** PostgreSQL text cannot contain NUL. Ingestion removes it, but a query may still contain one. */
const toStorable = (value: unknown): unknown => (typeof value === 'string' ? cleanText(value) : value);

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
  // Otherwise a connection lost during a transaction would end the process.
  client.on('error', () => undefined);
  const query = async (text: string, parameters: readonly unknown[]): Promise<unknown> => {
    const values = parameters.map(toStorable);
    const name = names.nameOf(text);
    if (name === undefined) return client.query({ text, values }).catch(rethrowConnectionLoss);
    try {
      return await client.query({ name, text, values });
    } catch (error) {
      if (!isOutdatedPlan(error)) return rethrowConnectionLoss(error);
      names.forget(text);
      // Inside a transaction this fails too: then the whole transaction has to be retried.
      return client.query({ text, values }).catch(() => Promise.reject(error));
    }
  };
  return { query: query as unknown as PostgresPoolClient['query'], release: () => client.release() };
}

/** Statements with lists of values vary without end, so not all can be prepared. */
const MAX_STATEMENTS = 500;

/** Names statements from their second use on, so that they are prepared: that costs more than running most once. */
class StatementNames {
  readonly #names = new Map<string, string | null>();
  #given = 0;

  nameOf(text: string): string | undefined {
    const name = this.#names.get(text);
    if (name === undefined) {
      if (this.#names.size < MAX_STATEMENTS) this.#names.set(text, null);
      return undefined;
    }
    if (name !== null) return name;
    const given = `cairn_${++this.#given}`;
    this.#names.set(text, given);
    return given;
  }

  /** The next use prepares it again, under another name. */
  forget(text: string): void {
    this.#names.delete(text);
  }
}
