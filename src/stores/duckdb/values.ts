import {
  DuckDBDateValue,
  DuckDBDecimalValue,
  type DuckDBResult,
  DuckDBTimestampMillisecondsValue,
  DuckDBTimestampSecondsValue,
  DuckDBTimestampTZValue,
  DuckDBTimestampValue,
  type DuckDBValue,
} from '@duckdb/node-api';
import type { SqlRow, SqlValue } from '../events/event-store.ts';

const MS_PER_DAY = 86_400_000;

/** Rows in the values that `EventStore.query` promises. */
export async function toSqlRows(result: DuckDBResult): Promise<SqlRow[]> {
  const names = result.deduplicatedColumnNames();
  const rows = await result.getRows();
  return rows.map((row) => Object.fromEntries(names.map((name, i) => [name, plainValue(row[i])])));
}

function plainValue(value: DuckDBValue | undefined): SqlValue {
  if (value === null || value === undefined) return null;
  if (typeof value === 'bigint') return Number(value);
  if (typeof value !== 'object') return value;
  return timeOf(value) ?? (value instanceof DuckDBDecimalValue ? value.toDouble() : value.toString());
}

/** Rounds down, also before 1970. Stays bigint until it fits into a number. */
const millis = (micros: bigint): number => Number((micros - (micros < 0n ? 999n : 0n)) / 1000n);

/** Ms UTC; undefined if the value is not a point in time. */
function timeOf(value: DuckDBValue): number | undefined {
  if (value instanceof DuckDBTimestampValue || value instanceof DuckDBTimestampTZValue) {
    return millis(value.micros);
  }
  if (value instanceof DuckDBTimestampMillisecondsValue) return Number(value.millis);
  if (value instanceof DuckDBTimestampSecondsValue) return Number(value.seconds) * 1000;
  return value instanceof DuckDBDateValue ? value.days * MS_PER_DAY : undefined;
}
