/**
 * The id of something that is stored: a whole number, or its digits as forms and URLs send them. Null for anything else,
 * and for numbers too large to be exact, which would be rounded to the id of something else.
 */
export function parseId(value: unknown): number | null {
  const id = typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value;
  return typeof id === 'number' && Number.isSafeInteger(id) && id >= 0 ? id : null;
}
