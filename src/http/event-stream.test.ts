import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { EventStream, type ResponseStream } from './event-stream.ts';

const open = (highWaterMark: number) => {
  const wire = new PassThrough({ highWaterMark });
  return { wire, stream: new EventStream(wire as unknown as ResponseStream) };
};
const read = (wire: PassThrough): string => String(wire.read() ?? '');

it('writes events and comments', () => {
  const { wire, stream } = open(10_000);
  stream.comment('watching');
  stream.send('{"a":1}');
  stream.send('{"b":2}', 'dropped');
  expect(read(wire)).toBe(': watching\n\ndata: {"a":1}\n\nevent: dropped\ndata: {"b":2}\n\n');
});

it('buffers a limited amount for a slow client, and says how many events were dropped', async () => {
  const { wire, stream } = open(1000);
  for (let n = 0; n < 100_000; n++) stream.send(JSON.stringify({ n, fill: 'x'.repeat(100) }));
  expect(wire.writableLength + wire.readableLength).toBeLessThan(3000);
  const first = read(wire);
  const shown = first.match(/^data/gm)?.length ?? 0;
  await new Promise((resolve) => setImmediate(resolve));
  const rest = read(wire);
  const later = rest.match(/^data: \{"n"/gm)?.length ?? 0;
  expect(rest).toContain(`event: dropped\ndata: {"count":${100_000 - shown - later}}`);
  stream.send('again');
  expect(read(wire)).toBe('data: again\n\n');
});

it('is silent after its end', () => {
  const { wire, stream } = open(1000);
  stream.end();
  stream.end();
  stream.send('late');
  expect(read(wire)).toBe('');
});
