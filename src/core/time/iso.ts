/** ISO 8601 in UTC; a fraction has six digits and is omitted when zero. */
export function iso(ms: number): string {
  const text = new Date(ms).toISOString();
  return text.endsWith('.000Z') ? `${text.slice(0, 19)}Z` : `${text.slice(0, 23)}000Z`;
}
