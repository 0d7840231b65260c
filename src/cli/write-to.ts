import { once } from 'node:events';
import type { Writable } from 'node:stream';

/** Resolves when there is room for more; rejects when the other end is gone. */
export async function writeTo(stream: Writable, chunk: Uint8Array | string): Promise<void> {
  if (stream.errored) throw stream.errored;
  if (!stream.write(chunk)) await once(stream, 'drain');
}
