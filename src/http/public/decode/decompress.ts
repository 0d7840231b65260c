import { promisify } from 'node:util';
import * as zlib from 'node:zlib';
import { Failure } from '../../../core/errors.ts';
import { malformed, payloadTooLarge } from './decode-failures.ts';

export type Compression = 'gzip' | 'deflate' | 'br' | 'zstd';

type Decompress = (body: Buffer, options: zlib.ZlibOptions) => Promise<Buffer>;
interface Codec {
  sync: (body: Buffer, options: zlib.ZlibOptions) => Buffer;
  async: Decompress;
}

/** Up to this size a thread hand-over costs more than the work itself. */
const SMALL_BODY_BYTES = 64 * 1024;
/** What the small ones may grow to on the main thread; a bomb among them is sent to the pool like a large body. */
const SMALL_RESULT_BYTES = 1024 * 1024;

const CODECS: Record<Compression, Codec | undefined> = {
  gzip: { sync: zlib.gunzipSync, async: promisify(zlib.gunzip) as Decompress },
  deflate: { sync: zlib.inflateSync, async: promisify(zlib.inflate) as Decompress },
  br: { sync: zlib.brotliDecompressSync, async: promisify(zlib.brotliDecompress) as Decompress },
  zstd: zstdCodec(),
};

/** Node learnt zstd in 22.15; on older ones the encoding is answered as unsupported. */
function zstdCodec(): Codec | undefined {
  const { zstdDecompressSync, zstdDecompress } = zlib as unknown as Record<string, unknown>;
  if (typeof zstdDecompressSync !== 'function' || typeof zstdDecompress !== 'function') return undefined;
  const callbackStyle = zstdDecompress as (body: Buffer, done: (error: Error | null, result: Buffer) => void) => void;
  return { sync: zstdDecompressSync as Codec['sync'], async: promisify(callbackStyle) as Decompress };
}

/** Unpacks a body to at most `maxBytes`; zlib stops there by itself, so a bomb costs no more than an honest body. */
export async function decompress(body: Buffer, packing: Compression, maxBytes: number): Promise<Buffer> {
  const codec = CODECS[packing];
  if (codec === undefined)
    throw new Failure('unsupported_media_type', `Content-Encoding '${packing}' is not supported.`);
  try {
    if (body.length <= SMALL_BODY_BYTES) {
      const quick = decompressSmall(codec, body, Math.min(maxBytes, SMALL_RESULT_BYTES));
      if (quick !== undefined) return quick;
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

/** Browsers send gzip without any hint; the first bytes tell. */
export const isGzip = (body: Buffer): boolean => body[0] === 0x1f && body[1] === 0x8b && body[2] === 0x08;
