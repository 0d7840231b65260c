/**
 * Where a property is read from is settled when a statement runs, by the store that runs it: whoever writes the
 * statement cannot know which columns there will be by then. The dialect leaves a note in its place; the key in it is
 * in hex, so that nothing a user sent becomes part of the text.
 */
import { isHotProperty } from '../../core/events/hot-properties.ts';
import type { SqlValue } from './event-store.ts';

/** How a property is read: its text or null, whether it is there, or the text that stands for it in any case. */
export type Reading = 'value' | 'key' | 'text';

/** Whose properties: those of events, or of the copied persons. */
export type PropertyOwner = 'event' | 'person';

export interface PropertyRead {
  owner: PropertyOwner;
  key: string;
}

/** `prefix` is the alias of the table with its dot, or nothing. */
export const propertyNote = (reading: Reading, owner: PropertyOwner, prefix: string, key: string): string =>
  `@${reading}(${owner} ${prefix}properties ${Buffer.from(key).toString('hex')})`;

const NOTE = /@(value|key|text)\((event|person) (\w+\.)?properties ([0-9a-f]*)\)/g;

/** How an engine says what a note asks for. */
export interface NoteWords {
  /** The value to be bound by which the engine finds a key in JSON. */
  path(key: string): string;
  /** From JSON; `own` is a column that holds the property's text already, if there is one. */
  fromJson(reading: Reading, json: string, path: string, own?: string): string;
  /** From a column of its own; undefined where there is none to read. */
  fromColumn(reading: Reading, read: PropertyRead, prefix: string): string | undefined;
}

export interface ResolvedNotes {
  sql: string;
  values: readonly SqlValue[];
  /** Everything that was read, once each. */
  reads: readonly PropertyRead[];
}

export function resolveNotes(sql: string, values: readonly SqlValue[], words: NoteWords): ResolvedNotes {
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
  const text = sql.replace(NOTE, (_, reading: Reading, owner: PropertyOwner, prefix = '', hex: string) => {
    const read = { owner, key: Buffer.from(hex, 'hex').toString() };
    reads.set(`${owner} ${read.key}`, read);
    const column = words.fromColumn(reading, read, prefix);
    if (column !== undefined) return column;
    const own = owner === 'event' && isHotProperty(read.key) ? `${prefix}"${read.key}"` : undefined;
    return words.fromJson(reading, `${prefix}properties`, placeOf(read.key), own);
  });
  return { sql: text, values: all, reads: [...reads.values()] };
}
