import type pg from 'pg';
import { unavailable } from '../unavailable.ts';
import { rethrowConnectionLoss } from './errors.ts';
import { openPool } from './pool.ts';

/**
 * Connections for short statements that must succeed quickly or fail. Commits wait for the disk whatever the server's
 * settings: a successful capture response promises that.
 */
export async function openLogPool(url: string, size: number): Promise<pg.Pool> {
  const pool = await openPool(url, { size });
  // Otherwise a connection lost during a statement would end the process.
  pool.on('connect', (client) => void client.on('error', () => undefined));
  const { options } = pool as unknown as { options: { onConnect?(client: pg.PoolClient): Promise<unknown> } };
  options.onConnect = (client) => client.query(DURABLE);
  return pool;
}

const DURABLE = `select set_config('synchronous_commit', 'on', false)
  where current_setting('synchronous_commit') in ('off', 'local')`;

const QUERY_TIMEOUT_MS = 8_000;

/** Runs one statement, prepared under `name`, on any connection. */
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
      throw unavailable('The database does not respond.', error);
    return rethrowConnectionLoss(error);
  }
}

/** The driver has no code for this error. */
const TIMEOUT_MESSAGE = 'Query read timeout';
