import fc from 'fast-check';
import { expect, it } from 'vitest';
import { decodeFrames, encodeFrame } from './frames.ts';

const collect = async (chunks: readonly Uint8Array[]) => {
  async function* stream() {
    yield* chunks;
  }
  const found: [string, string][] = [];
  for await (const { kind, payload } of decodeFrames(stream())) found.push([kind, payload.toString('hex')]);
  return found;
};

it('decodes what was encoded, however the stream is chunked', async () => {
  const frames = fc.array(fc.tuple(fc.constantFrom('d', 'p', 'r'), fc.uint8Array({ maxLength: 40 })), { maxLength: 8 });
  await fc.assert(
    fc.asyncProperty(frames, fc.integer({ min: 1, max: 17 }), async (sent, size) => {
      const bytes = Buffer.concat(sent.map(([kind, payload]) => encodeFrame(kind, payload)));
      const chunks: Uint8Array[] = [];
      for (let at = 0; at < bytes.length; at += size) chunks.push(bytes.subarray(at, at + size));
      expect(await collect(chunks)).toEqual(
        sent.map(([kind, payload]) => [kind, Buffer.from(payload).toString('hex')]),
      );
    }),
  );
});

it('drops a truncated frame', async () => {
  const whole = encodeFrame('d', Buffer.from('whole'));
  const cut = encodeFrame('r', Buffer.from('{"n":1}')).subarray(0, 8);
  expect(await collect([Buffer.concat([whole, cut])])).toEqual([['d', Buffer.from('whole').toString('hex')]]);
});
