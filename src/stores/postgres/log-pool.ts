import type pg from 'pg';
import { rethrowConnectionLoss } from './errors.ts';
import { openPool } from './pool.ts';
import { unavailable } from './unavailable.ts';

/**
 * Connections for what must be answered soon or not at all. Whatever the server is set to, a commit here has reached the
 * disk: that is what an answer to a capture request means.
 */
export function openLogPool(url: string, size: number): pg.Pool {
  const pool = openPool(url, { size });
  // Otherwise a connection lost in the middle of a statement would end the process.
  pool.on('connect', (client) => void client.on('error', () => undefined));
  const { options } = pool as unknown as { options: { onConnect?(client: pg.PoolClient): Promise<unknown> } };
  options.onConnect = (client) => client.query(DURABLE);
  return pool;
}

const DURABLE = `select set_config('synchronous_commit', 'on', false)
  where current_setting('synchronous_commit') in ('off', 'local')`;

/** Nobody waits longer than this for the database, even one that hangs without a word. */
const QUERY_TIMEOUT_MS = 8_000;

/** One statement on any connection, prepared under its name. */
export async function queryRows<R extends pg.QueryResultRow>(
  pool: Pick<pg.Pool, 'query'>,
  name: string,
  text: string,
  values: readonly unknown[] = [],
): Promise<R[]> {
  const config = { name, text, values: [...values], query_timeout: QUERY_TIMEOUT_MS };
  try {
    return (await pool.query<R>(config as pg.QueryConfig)).rows;
  } catch (error) {
    if (error instanceof Error && error.message === TIMEOUT_MESSAGE)
      throw unavailable('The database does not answer.', error);
    return rethrowConnectionLoss(error);
  }
}

/** The driver has no code for it. */
const TIMEOUT_MESSAGE = 'Query read timeout';
