/** Values of the engine as JSON, and its types in PostHog's words. */
import {
  DuckDBDateValue,
  DuckDBDecimalValue,
  DuckDBIntervalValue,
  DuckDBListValue,
  DuckDBStructValue,
  DuckDBTimestampTZValue,
  DuckDBTimestampValue,
  type DuckDBType,
  DuckDBTypeId,
  DuckDBUUIDValue,
} from '@duckdb/node-api';

export function toJsonValue(value: unknown): unknown {
  if (value === null || value === undefined) return null;
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
  if (typeof value === 'number') return Number.isFinite(value) ? value : null;
  if (typeof value !== 'object') return value;
  if (value instanceof DuckDBTimestampValue || value instanceof DuckDBTimestampTZValue) return isoTime(value.micros);
  if (value instanceof DuckDBUUIDValue) return uuidText(value);
  if (value instanceof DuckDBDateValue || value instanceof DuckDBIntervalValue) return String(value);
  if (value instanceof DuckDBDecimalValue) return value.toDouble();
  if (value instanceof DuckDBListValue) return value.items.map(toJsonValue);
  if (value instanceof DuckDBStructValue) {
    return Object.fromEntries(Object.entries(value.entries).map(([key, item]) => [key, toJsonValue(item)]));
  }
  return String(value);
}

/** Milliseconds unless there is more to tell. */
function isoTime(micros: bigint): string | null {
  const number = Number(micros);
  // So it is in the years 1685 to 2255, and five times as fast.
  const isExact = Number.isSafeInteger(number);
  const ms = isExact ? Math.floor(number / 1000) : Number(micros / 1000n);
  if (Math.abs(ms) > MAX_DATE_MS) return null;
  const text = new Date(ms).toISOString();
  const rest = isExact ? number - ms * 1000 : Number(micros % 1000n);
  return rest > 0 ? `${text.slice(0, -1)}${String(rest).padStart(3, '0')}Z` : text;
}

const MAX_DATE_MS = 8.64e15;

/** The engine keeps them as signed numbers, of which the smallest is the UUID of zeros; the first digit is cut off. */
const UUID_OFFSET = 2n ** 127n + 2n ** 128n;

function uuidText({ hugeint }: DuckDBUUIDValue): string {
  const hex = (hugeint + UUID_OFFSET).toString(16);
  return `${hex.slice(1, 9)}-${hex.slice(9, 13)}-${hex.slice(13, 17)}-${hex.slice(17, 21)}-${hex.slice(21)}`;
}

const NAMES: Partial<Record<DuckDBTypeId, string>> = {
  [DuckDBTypeId.BOOLEAN]: 'Bool',
  [DuckDBTypeId.TINYINT]: 'Int8',
  [DuckDBTypeId.SMALLINT]: 'Int16',
  [DuckDBTypeId.INTEGER]: 'Int32',
  [DuckDBTypeId.BIGINT]: 'Int64',
  [DuckDBTypeId.HUGEINT]: 'Int128',
  [DuckDBTypeId.UTINYINT]: 'UInt8',
  [DuckDBTypeId.USMALLINT]: 'UInt16',
  [DuckDBTypeId.UINTEGER]: 'UInt32',
  [DuckDBTypeId.UBIGINT]: 'UInt64',
  [DuckDBTypeId.FLOAT]: 'Float32',
  [DuckDBTypeId.DOUBLE]: 'Float64',
  [DuckDBTypeId.DECIMAL]: 'Decimal',
  [DuckDBTypeId.DATE]: 'Date',
  [DuckDBTypeId.TIMESTAMP]: `DateTime64(6, 'UTC')`,
  [DuckDBTypeId.TIMESTAMP_TZ]: `DateTime64(6, 'UTC')`,
  [DuckDBTypeId.UUID]: 'UUID',
};

export function typeName(type: DuckDBType): string {
  if (type.typeId === DuckDBTypeId.LIST) return `Array(${typeName((type as { valueType: DuckDBType }).valueType)})`;
  return NAMES[type.typeId] ?? 'String';
}
