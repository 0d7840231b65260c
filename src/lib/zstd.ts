import type { Transform } from 'node:stream';
import * as zlib from 'node:zlib';

const { createZstdCompress } = zlib as unknown as { createZstdCompress?: () => Transform };

/** Compresses a stream; null where Node has no zstd: it came with 22.15. */
export const createZstd: (() => Transform) | null = createZstdCompress ?? null;
