import type { DuckDBConnection } from '@duckdb/node-api';
import type { Json } from '../../core/json/json.ts';
import type { SqlRow } from '../events/event-store.ts';
import { usualProperties } from '../events/usual-properties.ts';
import { readNumber } from './schema.ts';

/** Every fiftieth of the latest events: a few megabytes, from several minutes and projects where there is much traffic. */
const LATEST_EVENTS = 100_000;
const EVERY = 50;

/** The properties that events usually have, most usual first. */
export async function readUsualProperties(
  writer: DuckDBConnection,
  query: (sql: string) => Promise<SqlRow[]>,
): Promise<string[]> {
  const last = await readNumber(writer, 'select coalesce(max(rowid), -1) from event_rows');
  const rows = await query(
    `select properties from event_rows where rowid > ${last - LATEST_EVENTS} and rowid % ${EVERY} = 0`,
  );
  return usualProperties(rows.map(({ properties }) => JSON.parse(String(properties)) as Record<string, Json>));
}
