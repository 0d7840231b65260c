/** Values of ClickHouse as DuckDB's would be: by the type of the column, which both engines share. */

const WHOLE = /^U?Int/;
const FLOAT = /^(?:Float|Decimal)/;
const TIME = /^(\d{4}-\d{2}-\d{2})(?:[ T](\d{2}:\d{2}:\d{2})(?:\.(\d+))?)?/;

export function readClickHouseValue(value: unknown, type: string): unknown {
  if (value === null || value === undefined) return null;
  const item = /^Array\((.*)\)$/.exec(type)?.[1];
  if (item !== undefined) return Array.isArray(value) ? value.map((one) => readClickHouseValue(one, item)) : value;
  if (WHOLE.test(type)) return wholeNumber(value);
  if (FLOAT.test(type)) return Number.isFinite(Number(value)) ? Number(value) : null;
  if (type === 'Bool') return value === true || Number(value) === 1;
  if (type.startsWith('DateTime')) return isoTime(String(value));
  if (type === 'Date') return String(value).slice(0, 10);
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

function wholeNumber(value: unknown): number | string {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : String(value);
}

/** Milliseconds unless there is more to tell. */
function isoTime(text: string): string {
  const [, day, time = '00:00:00', fraction = ''] = TIME.exec(text) ?? [];
  const digits = fraction.padEnd(6, '0');
  return `${day}T${time}.${digits.endsWith('000') ? digits.slice(0, 3) : digits}Z`;
}
