import { parseExact } from '../../core/json/exact-json.ts';
import type { Json } from '../../core/json/json.ts';

/**
 * Parses stored JSON. One damaged row must not hide all the others: invalid JSON is returned as plain text.
 */
export function parseStoredJson(text: string): Json {
  try {
    return parseExact(text);
  } catch {
    return text;
  }
}
