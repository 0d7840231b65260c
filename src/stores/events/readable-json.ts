const SURROGATE_ESCAPES = /\\u[dD][89abAB]..\\u[dD][c-fC-F]..|\\u[dD][89a-fA-F]..|\\./g;

/**
 * DuckDB rejects JSON with half a surrogate pair (`"\ud800"`), and one such event would fail every query that reads it.
 * Replaces them with U+FFFD.
 */
export function readableJson(json: string): string {
  if (!json.includes('\\u')) return json;
  const isHalf = (found: string): boolean => found.length === 6;
  return json.replace(SURROGATE_ESCAPES, (found) => (isHalf(found) ? '\\ufffd' : found));
}

const STRINGS_AND_NUMBERS = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g;
const WIDE_INTEGER = /^-?\d{20,}$/;

/**
 * ClickHouse does not parse JSON with an integer of more than 64 bits. JavaScript writes numbers up to 1e21 in plain
 * digits; this adds an exponent.
 */
export function withoutWideIntegers(json: string): string {
  if (!/\d{20}/.test(json)) return json;
  return json.replace(STRINGS_AND_NUMBERS, (found) =>
    WIDE_INTEGER.test(found) ? Number(found).toExponential() : found,
  );
}
