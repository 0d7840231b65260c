import { stringifyExact } from './exact-json.ts';
import { isJsonObject, type Json } from './json.ts';

export interface NameCount {
  name: string;
  count: number;
}

/** The most frequent first, then by name. */
export const byCount = (counts: ReadonlyMap<string, number>): NameCount[] =>
  [...counts].map(([name, count]) => ({ name, count })).sort((a, b) => b.count - a.count || (a.name < b.name ? -1 : 1));

/** A property value as text. Objects with the same fields have the same text, whatever their order. */
export const valueText = (value: Json): string => {
  if (value === null) return '';
  return typeof value === 'string' ? value : stringifyExact(withSortedKeys(value));
};

function withSortedKeys(value: Json): Json {
  if (Array.isArray(value)) return value.map(withSortedKeys);
  if (!isJsonObject(value)) return value;
  const keys = Object.keys(value).sort();
  return Object.fromEntries(keys.map((key) => [key, withSortedKeys(value[key] ?? null)]));
}
