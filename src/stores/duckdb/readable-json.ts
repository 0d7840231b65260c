const SURROGATE_ESCAPES = /\\u[dD][89abAB]..\\u[dD][c-fC-F]..|\\u[dD][89a-fA-F]..|\\./g;

/**
 * DuckDB refuses JSON with half a surrogate pair (`"\ud800"`), and one such event would fail every question that
 * looks into it; JavaScript writes them without complaint. They become the replacement character.
 */
export function readableJson(json: string): string {
  if (!json.includes('\\u')) return json;
  const isHalf = (found: string): boolean => found.length === 6;
  return json.replace(SURROGATE_ESCAPES, (found) => (isHalf(found) ? '\\ufffd' : found));
}
