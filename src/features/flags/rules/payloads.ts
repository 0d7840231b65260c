import { parseExact } from '../../../core/json/exact-json.ts';
import type { Json } from '../../../core/json/json.ts';

/** Payloads are JSON, JSON in a text as consoles store it, or plain text. */
export function parsePayload(value: Json): Json {
  if (typeof value !== 'string') return value;
  try {
    return parseExact(value);
  } catch {
    return value;
  }
}
