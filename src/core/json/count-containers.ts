/**
 * Whether JSON text opens more lists and objects than `limit`. A parser takes half a microsecond for each, so some
 * megabytes of nothing but brackets would block the process for seconds; scanning the bytes takes milliseconds. Errors in
 * the JSON are left to the parser.
 */
export function hasMoreContainers(json: Uint8Array, limit: number): boolean {
  let count = 0;
  let isText = false;
  for (let i = 0; i < json.length; i++) {
    const byte = json[i];
    if (isText) {
      if (byte === BACKSLASH) i++;
      else if (byte === QUOTE) isText = false;
    } else if (byte === QUOTE) isText = true;
    else if ((byte === OPEN_LIST || byte === OPEN_OBJECT) && ++count > limit) return true;
  }
  return false;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_LIST = 0x5b;
const OPEN_OBJECT = 0x7b;

/** Twenty megabytes of real events have about a tenth of this. */
export const MAX_CONTAINERS = 1_000_000;

/** Smaller bodies are parsed quickly whatever they contain. */
export const MIN_CHECKED_BYTES = 256 * 1024;

/** Such bodies are not parsed at all. */
export const hasTooManyContainers = (json: Uint8Array): boolean =>
  json.length >= MIN_CHECKED_BYTES && hasMoreContainers(json, MAX_CONTAINERS);
