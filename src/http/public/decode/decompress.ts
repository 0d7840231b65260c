import { promisify } from 'node:util';
import * as zlib from 'node:zlib';
import lzString from 'lz-string';
import { Failure } from '../../../core/errors.ts';
import { malformed, payloadTooLarge } from './decode-failures.ts';
import { measureLz } from './measure-lz.ts';

export type Compression = 'gzip' | 'deflate' | 'br' | 'zstd';

type Decompress = (body: Buffer, options: zlib.ZlibOptions) => Promise<Buffer>;
interface Codec {
  sync: (body: Buffer, options: zlib.ZlibOptions) => Buffer;
  async: Decompress;
}

/** Up to this size, handing over to another thread costs more than the work itself. */
const SMALL_BODY_BYTES = 64 * 1024;
/** What they may grow to on the main thread; others go to the thread pool like large bodies. */
const SMALL_RESULT_BYTES = 1024 * 1024;

const CODECS: Record<Compression, Codec | undefined> = {
  gzip: { sync: zlib.gunzipSync, async: promisify(zlib.gunzip) as Decompress },
  deflate: { sync: zlib.inflateSync, async: promisify(zlib.inflate) as Decompress },
  br: { sync: zlib.brotliDecompressSync, async: promisify(zlib.brotliDecompress) as Decompress },
  zstd: zstdCodec(),
};

/** Since Node 22.15; on older ones the encoding is not supported. */
function zstdCodec(): Codec | undefined {
  const { zstdDecompressSync, zstdDecompress } = zlib as unknown as Record<string, unknown>;
  if (typeof zstdDecompressSync !== 'function' || typeof zstdDecompress !== 'function') return undefined;
  const callbackStyle = zstdDecompress as (body: Buffer, done: (error: Error | null, result: Buffer) => void) => void;
  return { sync: zstdDecompressSync as Codec['sync'], async: promisify(callbackStyle) as Decompress };
}

/** At most `maxBytes`: zlib stops there, so a decompression bomb costs no more than any other body. */
export async function decompress(body: Buffer, compression: Compression, maxBytes: number): Promise<Buffer> {
  const codec = CODECS[compression];
  if (codec === undefined)
    throw new Failure('unsupported_media_type', `Content-Encoding '${compression}' is not supported.`);
  try {
    if (body.length <= SMALL_BODY_BYTES) {
      const result = decompressSmall(codec, body, Math.min(maxBytes, SMALL_RESULT_BYTES));
      if (result !== undefined) return result;
    }
    return await codec.async(body, { maxOutputLength: maxBytes });
  } catch (error) {
    if (isTooLarge(error)) throw payloadTooLarge();
    const why = error instanceof Error ? ` ${error.message}` : '';
    throw malformed(`Failed to decompress data.${why}`, error);
  }
}

/** Undefined where the result is not small. */
function decompressSmall(codec: Codec, body: Buffer, maxBytes: number): Buffer | undefined {
  try {
    return codec.sync(body, { maxOutputLength: maxBytes });
  } catch (error) {
    if (isTooLarge(error)) return undefined;
    throw error;
  }
}

const isTooLarge = (error: unknown): boolean =>
  error instanceof RangeError && (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE';

/** By the first bytes: browsers send gzip without a header. */
export const isGzip = (body: Buffer): boolean => body[0] === 0x1f && body[1] === 0x8b && body[2] === 0x08;

/** The library runs on the calling thread at about 3 MB/s; browsers that use it send tens of kilobytes. */
const MAX_INPUT_BYTES = 128 * 1024;
const MAX_OUTPUT_BYTES = 1024 * 1024;

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
