import { once } from 'node:events';
import type { Writable } from 'node:stream';

/** Resolves when the stream accepts more; rejects when it has failed. */
export async function writeTo(stream: Writable, chunk: Uint8Array | string): Promise<void> {
  if (stream.errored) throw stream.errored;
  if (!stream.write(chunk)) await once(stream, 'drain');
}
