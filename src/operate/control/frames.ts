/** Messages on a stream of bytes: a letter for the kind, four bytes of length, and the payload. */
const HEADER_BYTES = 5;

interface Frame {
  kind: string;
  payload: Buffer;
}

export function encodeFrame(kind: string, payload: Uint8Array): Buffer {
  const head = Buffer.allocUnsafe(HEADER_BYTES);
  head.write(kind.slice(0, 1), 0, 'latin1');
  head.writeUInt32BE(payload.length, 1);
  return Buffer.concat([head, payload]);
}

/** Ends with the stream; an incomplete frame is dropped. */
export async function* decodeFrames(stream: AsyncIterable<Uint8Array>): AsyncGenerator<Frame> {
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of stream) {
    rest = rest.length === 0 ? Buffer.from(chunk) : Buffer.concat([rest, chunk]);
    while (rest.length >= HEADER_BYTES) {
      const end = HEADER_BYTES + rest.readUInt32BE(1);
      if (rest.length < end) break;
      yield { kind: rest.toString('latin1', 0, 1), payload: rest.subarray(HEADER_BYTES, end) };
      rest = rest.subarray(end);
    }
  }
}
