import { promisify } from 'node:util';
import * as zlib from 'node:zlib';
import { Failure } from '../../../core/errors.ts';
import { malformed, tooLarge } from './decode-failures.ts';

export type Packing = 'gzip' | 'deflate' | 'br' | 'zstd';

type Unpack = (body: Buffer, options: zlib.ZlibOptions) => Promise<Buffer>;
interface Codec {
  sync: (body: Buffer, options: zlib.ZlibOptions) => Buffer;
  async: Unpack;
}

/** Up to this size a thread hand-over costs more than the work itself. */
const SMALL = 64 * 1024;
/** What the small ones may grow to on the main thread; a bomb among them is sent to the pool like a large body. */
const SMALL_RESULT = 1024 * 1024;

const CODECS: Record<Packing, Codec | undefined> = {
  gzip: { sync: zlib.gunzipSync, async: promisify(zlib.gunzip) as Unpack },
  deflate: { sync: zlib.inflateSync, async: promisify(zlib.inflate) as Unpack },
  br: { sync: zlib.brotliDecompressSync, async: promisify(zlib.brotliDecompress) as Unpack },
  zstd: zstdCodec(),
};

/** Node learnt zstd in 22.15; on older ones the encoding is answered as unsupported. */
function zstdCodec(): Codec | undefined {
  const { zstdDecompressSync, zstdDecompress } = zlib as unknown as Record<string, unknown>;
  if (typeof zstdDecompressSync !== 'function' || typeof zstdDecompress !== 'function') return undefined;
  const callbackStyle = zstdDecompress as (body: Buffer, done: (error: Error | null, result: Buffer) => void) => void;
  return { sync: zstdDecompressSync as Codec['sync'], async: promisify(callbackStyle) as Unpack };
}

/** Unpacks a body to at most `maxBytes`; zlib stops there by itself, so a bomb costs no more than an honest body. */
export async function unpack(body: Buffer, packing: Packing, maxBytes: number): Promise<Buffer> {
  const codec = CODECS[packing];
  if (codec === undefined)
    throw new Failure('unsupported_media_type', `Content-Encoding '${packing}' is not supported.`);
  try {
    if (body.length <= SMALL) {
      const quick = unpackSmall(codec, body, Math.min(maxBytes, SMALL_RESULT));
      if (quick !== undefined) return quick;
    }
    return await codec.async(body, { maxOutputLength: maxBytes });
  } catch (error) {
    if (isTooLarge(error)) throw tooLarge();
    const why = error instanceof Error ? ` ${error.message}` : '';
    throw malformed(`Failed to decompress data.${why}`, error);
  }
}

/** Undefined where the result is not small. */
function unpackSmall(codec: Codec, body: Buffer, maxBytes: number): Buffer | undefined {
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
