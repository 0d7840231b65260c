/**
 * Which column a property is read from is decided when a statement runs, since promoted columns come and go. Until then
 * the statement contains a placeholder, with the key in hex so that user input never becomes part of the text.
 */
import { isHotProperty } from '../../core/events/hot-properties.ts';
import type { SqlValue } from './event-store.ts';

/** `value`: its text or null; `key`: whether it is present; `text`: its text, never null. */
export type PropertyReading = 'value' | 'key' | 'text';

/** Properties of events or of mirrored persons. */
export type ColumnOwner = 'event' | 'person';

export interface PropertyRead {
  owner: ColumnOwner;
  key: string;
}

/** `prefix` is the table's alias with a dot, or empty. */
export const propertyPlaceholder = (
  reading: PropertyReading,
  owner: ColumnOwner,
  prefix: string,
  key: string,
): string => `@${reading}(${owner} ${prefix}properties ${Buffer.from(key).toString('hex')})`;

const PLACEHOLDER = /@(value|key|text)\((event|person) (\w+\.)?properties ([0-9a-f]*)\)/g;

/** How an engine reads a property. */
interface PlaceholderSql {
  /** The bound value that finds a key in JSON. */
  path(key: string): string;
  /** From JSON; `own` is a column that already holds the property's text, if any. */
  fromJson(reading: PropertyReading, json: string, path: string, own?: string): string;
  /** From a promoted column; undefined if there is none. */
  fromColumn(reading: PropertyReading, read: PropertyRead, prefix: string): string | undefined;
}

export interface ResolvedSql {
  sql: string;
  values: readonly SqlValue[];
  /** Each property once. */
  reads: readonly PropertyRead[];
}

export function resolvePlaceholders(sql: string, values: readonly SqlValue[], engine: PlaceholderSql): ResolvedSql {
  const reads = new Map<string, PropertyRead>();
  const all = [...values];
  const paths = new Map<string, string>();
  const pathOf = (key: string): string => {
    const known = paths.get(key);
    if (known !== undefined) return known;
    const path = `$${all.push(engine.path(key))}`;
    paths.set(key, path);
    return path;
  };
  const text = sql.replace(PLACEHOLDER, (_, reading: PropertyReading, owner: ColumnOwner, prefix = '', hex: string) => {
    const read = { owner, key: Buffer.from(hex, 'hex').toString() };
    reads.set(`${owner} ${read.key}`, read);
    const column = engine.fromColumn(reading, read, prefix);
    if (column !== undefined) return column;
    const own = owner === 'event' && isHotProperty(read.key) ? `${prefix}"${read.key}"` : undefined;
    return engine.fromJson(reading, `${prefix}properties`, pathOf(read.key), own);
  });
  return { sql: text, values: all, reads: [...reads.values()] };
}
