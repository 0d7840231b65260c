import { hash } from 'node:crypto';

/** The largest number of 15 hexadecimal digits, 2 ** 60 - 1, as a double has it. */
const SCALE = 2 ** 60;

/** A text and, if it is ASCII, its bytes. */
export interface EncodedKey {
  readonly text: string;
  readonly bytes: Uint8Array | null;
}

export function encodeKey(text: string): EncodedKey {
  const bytes = new Uint8Array(text.length);
  return { text, bytes: writeAscii(text, bytes) ? bytes : null };
}

/**
 * Maps an identifier to [0, 1]: the first 60 bits of SHA-1 over `<prefix><identifier><salt>`, as all SDKs compute it. The
 * digest is read as a binary string, since a detour over hexadecimal takes a tenth of the time of an evaluation.
 */
export function bucket(prefix: EncodedKey, identifier: string, salt: Salt): number {
  const bytes = digest(prefix, identifier, salt);
  const upper = bytes.charCodeAt(0) * 2 ** 20 + (bytes.charCodeAt(1) << 12) + (bytes.charCodeAt(2) << 4);
  const middle = bytes.charCodeAt(3);
  const lower = (bytes.charCodeAt(4) << 20) + (bytes.charCodeAt(5) << 12) + (bytes.charCodeAt(6) << 4);
  const last = (middle & 15) * 2 ** 28 + lower + (bytes.charCodeAt(7) >> 4);
  return ((upper + (middle >> 4)) * 2 ** 32 + last) / SCALE;
}

type Salt = '' | 'variant';
const VARIANT = new TextEncoder().encode('variant');

/** Up to this length the input is assembled in a byte buffer. */
const MAX_BUFFER_LENGTH = 256;
/** One reused buffer for each length. */
const buffers: Uint8Array[] = [];
/** The last identifier and its bytes: the next flag is mostly evaluated for the same one. */
const lastIdentifier = { identifier: '', bytes: new Uint8Array(MAX_BUFFER_LENGTH), isAscii: true };

/**
 * Copies bytes instead of joining strings: a joined string is a rope that the hash has to flatten first, and reading
 * strings character by character is three times slower. Together this saves a tenth of the time.
 */
function digest(prefix: EncodedKey, identifier: string, salt: Salt): string {
  const afterPrefix = prefix.text.length;
  const afterIdentifier = afterPrefix + identifier.length;
  const length = afterIdentifier + salt.length;
  if (prefix.bytes === null || length > MAX_BUFFER_LENGTH || !isAscii(identifier))
    return hash('sha1', prefix.text + identifier + salt, 'binary');
  buffers[length] ??= new Uint8Array(length);
  const buffer = buffers[length];
  copy(prefix.bytes, buffer, 0, afterPrefix);
  copy(lastIdentifier.bytes, buffer, afterPrefix, identifier.length);
  if (salt !== '') copy(VARIANT, buffer, afterIdentifier, salt.length);
  return hash('sha1', buffer, 'binary');
}

/** If true, its bytes are in `lastIdentifier`. */
function isAscii(identifier: string): boolean {
  if (identifier !== lastIdentifier.identifier) {
    lastIdentifier.identifier = identifier;
    lastIdentifier.isAscii = writeAscii(identifier, lastIdentifier.bytes);
  }
  return lastIdentifier.isAscii;
}

function copy(from: Uint8Array, to: Uint8Array, at: number, count: number): void {
  for (let index = 0; index < count; index++) to[at + index] = from[index] as number;
}

/** False if the text is not ASCII; only ASCII codes are their own bytes. */
function writeAscii(text: string, bytes: Uint8Array): boolean {
  let codes = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    codes |= code;
    bytes[at] = code;
  }
  return codes < 0x80;
}
