import { broken } from './check.ts';

/** Stored JSON, read field by field. What is absent may also be null. */
export type Fields = Readonly<Record<string, unknown>>;

export function readObject(value: unknown, what: string): Fields {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw broken(`${what} is not an object`);
  return value as Fields;
}

export function readList(value: unknown, what: string): readonly unknown[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) throw broken(`${what} is not a list`);
  return value;
}

/** Null where there is none. */
export function readText(value: unknown, what: string): string | null {
  if (value === undefined || value === null) return null;
  if (typeof value !== 'string') throw broken(`${what} is not a text`);
  return value;
}

export function readNumber(value: unknown, what: string): number | null {
  if (value === undefined || value === null) return null;
  if (typeof value !== 'number' || !Number.isFinite(value)) throw broken(`${what} is not a number`);
  return value;
}

export function readIndex(value: unknown, what: string): number | null {
  const index = readNumber(value, what);
  if (index !== null && !(Number.isInteger(index) && index >= 0)) throw broken(`${what} is not an index`);
  return index;
}

/** Ids are whole numbers, or their text. Null where it is neither. */
export function readId(value: unknown): number | null {
  const id = typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value;
  return typeof id === 'number' && Number.isSafeInteger(id) ? id : null;
}
