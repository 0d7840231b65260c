import lzString from 'lz-string';
import { malformed, payloadTooLarge } from './decode-failures.ts';
import { measureLz } from './measure-lz.ts';

/** The library runs on the calling thread at about 3 MB/s; browsers that use it send tens of kilobytes. */
const MAX_INPUT_BYTES = 1024 * 1024;
const MAX_OUTPUT_BYTES = 8 * 1024 * 1024;

/** LZ-string in base64 (`compression=lz64`), as browsers of 2020 to 2023 send it. `+` may have become a space on the way. */
export function decompressLz(body: Buffer, maxBytes: number): Buffer {
  if (body.length > MAX_INPUT_BYTES) throw payloadTooLarge();
  const text = body.toString('latin1').trim().replaceAll(' ', '+');
  const limit = Math.min(maxBytes, MAX_OUTPUT_BYTES);
  const length = measureLz(text, limit);
  if (length !== undefined && length > limit) throw payloadTooLarge();
  const decompressed = length ? lzString.decompressFromBase64(text) : undefined;
  if (!decompressed) throw malformed('Failed to decompress data.');
  return Buffer.from(decompressed.toWellFormed(), 'utf8');
}
