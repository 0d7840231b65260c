import type { Json } from '../json/json.ts';

/** The number of an action, which forms and old clients send as text; null where it is none. */
export function parseActionId(value: Json | undefined): number | null {
  const id = typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value;
  return typeof id === 'number' && Number.isSafeInteger(id) ? id : null;
}
