import { payloadTooLarge } from './decode-failures.ts';

/** Decoding takes 20 ms; the browsers that send base64 send tens of kilobytes. */
const MAX_BASE64_BYTES = 4 * 1024 * 1024;
const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/-_ \r\n=';
const IS_LETTER = new Uint8Array(256);
for (const byte of Buffer.from(LETTERS, 'latin1')) IS_LETTER[byte] = 1;

/**
 * Decodes base64, or undefined where the body is none. Forms turn `+` into spaces and old SDKs omit the padding; both are
 * repaired. The result must begin like JSON or gzip: words such as `null` are valid base64.
 */
export function unwrapBase64(body: Buffer): Buffer | undefined {
  if (!isBase64(body.subarray(0, MAX_BASE64_BYTES))) return undefined;
  if (body.length > MAX_BASE64_BYTES) throw payloadTooLarge();
  const decoded = Buffer.from(body.toString('latin1').trim().replaceAll(' ', '+'), 'base64');
  return looksLikePayload(decoded) ? decoded : undefined;
}

/** False at the first byte of plain JSON. A loop, since a regular expression may backtrack. */
function isBase64(body: Buffer): boolean {
  for (let i = 0; i < body.length; i++) {
    if (IS_LETTER[body[i] ?? 0] === 0) return false;
  }
  return body.length > 0;
}

function looksLikePayload(decoded: Buffer): boolean {
  const first = decoded.find((byte) => byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09);
  return first === 0x7b || first === 0x5b || first === 0x1f;
}
