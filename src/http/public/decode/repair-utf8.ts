import { isUtf8 } from 'node:buffer';
import { malformed } from './decode-failures.ts';

/** It takes 100 ms at most; browsers send tens of kilobytes. */
const MAX_REPAIRED_BYTES = 1024 * 1024;

/**
 * The body as valid UTF-8; throws where it cannot be repaired. Some browsers encode characters beyond the basic plane as
 * two surrogates of three bytes each (CESU-8): these are joined. A byte order mark is removed. Valid bodies are not copied.
 */
export function repairUtf8(body: Buffer): Buffer {
  if (isUtf8(body)) return withoutMark(body);
  const repaired = body.length <= MAX_REPAIRED_BYTES ? joinSurrogates(body) : body;
  if (!isUtf8(repaired)) throw malformed('invalid UTF-8 in the request body');
  return withoutMark(repaired);
}

const withoutMark = (body: Buffer): Buffer =>
  body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf ? body.subarray(3) : body;

/** In one pass into one buffer: what is repaired is never longer. */
function joinSurrogates(body: Buffer): Buffer {
  const repaired = Buffer.from(body);
  let [from, length] = [0, 0];
  const write = (bytes: Uint8Array): void => {
    repaired.set(bytes, length);
    length += bytes.length;
  };
  // Every surrogate begins with 0xED.
  for (let at = body.indexOf(0xed); at !== -1; at = body.indexOf(0xed, Math.max(from, at + 1))) {
    const high = surrogateAt(body, at);
    if (high === undefined) continue;
    const low = high < 0xdc00 ? surrogateAt(body, at + 3) : undefined;
    const isPair = low !== undefined && low >= 0xdc00;
    write(body.subarray(from, at));
    write(isPair ? pairBytes(high, low) : REPLACEMENT);
    from = at + (isPair ? 6 : 3);
  }
  write(body.subarray(from));
  return repaired.subarray(0, length);
}

/** For half a pair. */
const REPLACEMENT = Buffer.from('\ufffd', 'utf8');

const pairBytes = (high: number, low: number): Buffer => Buffer.from(String.fromCharCode(high, low), 'utf8');

/** The surrogate encoded by the three bytes at `at`, or undefined. */
function surrogateAt(body: Buffer, at: number): number | undefined {
  const [first, second = 0, third = 0] = body.subarray(at, at + 3);
  const isSurrogate = first === 0xed && second >= 0xa0 && second <= 0xbf && third >= 0x80 && third <= 0xbf;
  return isSurrogate ? 0xd000 | ((second & 0x3f) << 6) | (third & 0x3f) : undefined;
}
