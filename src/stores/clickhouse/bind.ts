/** Binds values for ClickHouse: `$1` becomes `{p1:String}`, with the value as a parameter of the request. */
import type { SqlValue } from '../events/event-store.ts';

export interface BoundStatement {
  sql: string;
  params: Readonly<Record<string, SqlValue>>;
}

/** A request field may have 128 KiB: longer texts are sent in pieces. At most three bytes per character. */
const MAX_PIECE_CHARS = 30_000;

const QUOTED_OR_PLACE = /'(?:[^'\\]|\\.|'')*'|"[^"]*"|\$(\d+)/g;

export function bind(sql: string, values: readonly SqlValue[]): BoundStatement {
  const params: Record<string, SqlValue> = {};
  const places = new Map<string, string>();
  const text = sql.replace(QUOTED_OR_PLACE, (found, place?: string) => {
    if (place === undefined) return found;
    const known = places.get(place) ?? placeholderOf(`p${place}`, values[Number(place) - 1] ?? null, params);
    places.set(place, known);
    return known;
  });
  return { sql: text, params };
}

function placeholderOf(name: string, value: SqlValue, params: Record<string, SqlValue>): string {
  if (typeof value !== 'string' || value.length <= MAX_PIECE_CHARS) {
    params[name] = value;
    return `{${name}:${typeOf(value)}}`;
  }
  const pieces = piecesOf(value).map((piece, at) => placeholderOf(`${name}_${at}`, piece, params));
  return `concat(${pieces.join(', ')})`;
}

function typeOf(value: SqlValue): string {
  if (value === null) return 'Nullable(String)';
  if (typeof value === 'string') return 'String';
  if (typeof value === 'boolean') return 'Bool';
  return typeof value === 'bigint' || Number.isSafeInteger(value) ? 'Int64' : 'Float64';
}

/** Does not split surrogate pairs. */
function piecesOf(text: string): string[] {
  const pieces: string[] = [];
  for (let at = 0; at < text.length; ) {
    const last = text.charCodeAt(at + MAX_PIECE_CHARS - 1);
    const end = at + MAX_PIECE_CHARS - (last >= 0xd800 && last < 0xdc00 ? 1 : 0);
    pieces.push(text.slice(at, end));
    at = end;
  }
  return pieces;
}

const READS = /^\s*(?:select|with|explain)\b/i;

/** The server also enforces read-only; this also rejects a second statement. */
export function checkReadOnly(sql: string): void {
  const bare = sql.replace(QUOTED_OR_PLACE, '');
  if (!READS.test(bare) || bare.includes(';')) {
    throw new Error(`Only statements that read are run here, one at a time, not: ${sql.trim().slice(0, 60)}`);
  }
}
