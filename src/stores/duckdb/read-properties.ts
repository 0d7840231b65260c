/**
 * Where a property is read from is settled when a statement runs, on the thread that owns the file: whoever writes the
 * statement cannot know which columns there will be by then. The dialect leaves a note in its place; the key in it is
 * in hex, so that nothing a user sent becomes part of the text.
 */
import { isHotProperty } from '../../core/events/hot-properties.ts';
import type { SqlValue } from '../event-store.ts';
import { columnName, type PromotedColumn, type PropertyOwner, type PropertyRead } from './promoted-columns.ts';
import { type Reading, readJson, readPromoted } from './promoted-text.ts';

/** `prefix` is the alias of the table with its dot, or nothing. */
export const propertyNote = (reading: Reading, owner: PropertyOwner, prefix: string, key: string): string =>
  `@${reading}(${owner} ${prefix}properties ${Buffer.from(key).toString('hex')})`;

const NOTE = /@(value|key|text)\((event|person) (\w+\.)?properties ([0-9a-f]*)\)/g;

export interface Resolved {
  sql: string;
  values: readonly SqlValue[];
  reads: readonly PropertyRead[];
  /** Whether the columns that it reads have meant the same ever since. */
  isCurrent(): boolean;
}

interface Columns {
  find(read: PropertyRead): PromotedColumn | undefined;
  has(column: PromotedColumn): boolean;
}

export function resolveProperties(sql: string, values: readonly SqlValue[], columns: Columns): Resolved {
  const reads = new Map<string, PropertyRead>();
  const used = new Map<PromotedColumn, boolean>();
  const all = [...values];
  const pointers = new Map<string, string>();
  const pointerTo = (key: string): string => {
    const known = pointers.get(key);
    if (known !== undefined) return known;
    const place = `$${all.push(jsonPointer(key))}`;
    pointers.set(key, place);
    return place;
  };
  const text = sql.replace(NOTE, (_, reading: Reading, owner: PropertyOwner, prefix = '', hex: string) => {
    const key = Buffer.from(hex, 'hex').toString();
    const read = { owner, key };
    reads.set(`${owner} ${key}`, read);
    const column = columns.find(read);
    if (column?.isReady) {
      used.set(column, column.hasMarks);
      return readPromoted(reading, `${prefix}${columnName(column)}`, column.hasMarks);
    }
    const own = owner === 'event' && isHotProperty(key) ? `${prefix}"${key}"` : undefined;
    return readJson(reading, `${prefix}properties`, pointerTo(key), own);
  });
  return {
    sql: text,
    values: all,
    reads: [...reads.values()],
    isCurrent: () => [...used].every(([column, hadMarks]) => columns.has(column) && column.hasMarks === hadMarks),
  };
}

/**
 * A JSON pointer (RFC 6901) to a top-level key. DuckDB also knows paths such as `$.a.b`, but in those dots, quotes,
 * stars and brackets have a meaning, and keys are user data; a pointer gives only `~` and `/` one.
 */
export const jsonPointer = (key: string): string => `/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`;
