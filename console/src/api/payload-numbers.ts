/**
 * Payloads of flags may have whole numbers beyond 2^53, which `JSON.parse` rounds: saving the flag would change them.
 * Where the browser can, they are kept as raw JSON, which `JSON.stringify` writes as it was. Only in payloads: other code
 * expects numbers.
 */
interface RawJson {
  rawJSON?: (text: string) => unknown;
}

type Reviver = (key: string, value: unknown, context?: { source?: string }) => unknown;

const LONG_NUMBER = /\d{16}/;

export function parseWithPayloads(text: string): unknown {
  const parsed: unknown = JSON.parse(text);
  const { rawJSON } = JSON as RawJson;
  if (rawJSON === undefined || !text.includes('"payloads"') || !LONG_NUMBER.test(text)) return parsed;
  const keepDigits: Reviver = (_key, value, { source = '' } = {}) =>
    /^-?\d{16,}$/.test(source) && String(value) !== source ? rawJSON(source) : value;
  copyPayloads(JSON.parse(text, keepDigits), parsed);
  return parsed;
}

/** Both are the same but for their long numbers. */
function copyPayloads(from: unknown, to: unknown): void {
  if (!isContainer(from) || !isContainer(to)) return;
  for (const [key, value] of Object.entries(from)) {
    if (key === 'payloads') to[key] = value;
    else copyPayloads(value, to[key]);
  }
}

const isContainer = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;
