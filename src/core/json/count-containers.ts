/**
 * Whether JSON text opens more lists and objects than `limit`, told from the bytes alone. A parser takes half a
 * microsecond for each, so some megabytes of nothing but brackets keep it busy for seconds, and everybody else waiting;
 * a look at the bytes takes milliseconds. What is no JSON is none of its business: the parser will say so.
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

/** Twenty megabytes of honest events hold about a tenth of this. */
export const MAX_CONTAINERS = 1_000_000;

/** A body below this cannot take long whatever it holds, and is not worth the look. */
export const MIN_CHECKED_BYTES = 256 * 1024;

/** Bodies that are not even parsed. */
export const hasTooManyContainers = (json: Uint8Array): boolean =>
  json.length >= MIN_CHECKED_BYTES && hasMoreContainers(json, MAX_CONTAINERS);
