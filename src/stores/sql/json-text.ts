import type { Json } from '../../core/json/json.ts';

/**
 * Stored JSON, where one damaged row must not hide all the others: text that is no JSON is given back as the text that
 * it is, and whoever looks into it finds nothing there that could be used.
 */
export function parseStoredJson(text: string): Json {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
