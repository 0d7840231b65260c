/**
 * Where a property is read from is settled when a statement runs, by the store that runs it: whoever writes the
 * statement cannot know which columns there will be by then. The dialect leaves a note in its place; the key in it is
 * in hex, so that nothing a user sent becomes part of the text.
 */
import { isHotProperty } from '../../core/events/hot-properties.ts';
import type { SqlValue } from './event-store.ts';

/** How a property is read: its text or null, whether it is there, or the text that stands for it in any case. */
export type PropertyReading = 'value' | 'key' | 'text';

/** Whose properties: those of events, or of the copied persons. */
export type ColumnOwner = 'event' | 'person';

export interface PropertyRead {
  owner: ColumnOwner;
  key: string;
}

/** `prefix` is the alias of the table with its dot, or nothing. */
export const propertyPlaceholder = (
  reading: PropertyReading,
  owner: ColumnOwner,
  prefix: string,
  key: string,
): string => `@${reading}(${owner} ${prefix}properties ${Buffer.from(key).toString('hex')})`;

const PLACEHOLDER = /@(value|key|text)\((event|person) (\w+\.)?properties ([0-9a-f]*)\)/g;

/** How an engine says what a note asks for. */
interface PlaceholderSql {
  /** The value to be bound by which the engine finds a key in JSON. */
  path(key: string): string;
  /** From JSON; `own` is a column that holds the property's text already, if there is one. */
  fromJson(reading: PropertyReading, json: string, path: string, own?: string): string;
  /** From a column of its own; undefined where there is none to read. */
  fromColumn(reading: PropertyReading, read: PropertyRead, prefix: string): string | undefined;
}

export interface ResolvedSql {
  sql: string;
  values: readonly SqlValue[];
  /** Everything that was read, once each. */
  reads: readonly PropertyRead[];
}

export function resolvePlaceholders(sql: string, values: readonly SqlValue[], words: PlaceholderSql): ResolvedSql {
  const reads = new Map<string, PropertyRead>();
  const all = [...values];
  const paths = new Map<string, string>();
  const placeOf = (key: string): string => {
    const known = paths.get(key);
    if (known !== undefined) return known;
    const place = `$${all.push(words.path(key))}`;
    paths.set(key, place);
    return place;
  };
  const text = sql.replace(PLACEHOLDER, (_, reading: PropertyReading, owner: ColumnOwner, prefix = '', hex: string) => {
    const read = { owner, key: Buffer.from(hex, 'hex').toString() };
    reads.set(`${owner} ${read.key}`, read);
    const column = words.fromColumn(reading, read, prefix);
    if (column !== undefined) return column;
    const own = owner === 'event' && isHotProperty(read.key) ? `${prefix}"${read.key}"` : undefined;
    return words.fromJson(reading, `${prefix}properties`, placeOf(read.key), own);
  });
  return { sql: text, values: all, reads: [...reads.values()] };
}
