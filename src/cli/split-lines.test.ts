import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type Line, splitLines } from './split-lines.ts';

async function linesOf(bytes: Buffer, size: number, most = 1000): Promise<Line[]> {
  async function* stream() {
    for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
  }
  const lines: Line[] = [];
  for await (const line of splitLines(stream(), most)) lines.push(line);
  return lines;
}

it('finds the same lines and places wherever the stream is cut', async () => {
  const texts = fc.array(fc.string({ unit: 'grapheme', maxLength: 12 }).map((text) => text.replaceAll('\n', '')));
  await fc.assert(
    fc.asyncProperty(texts, fc.integer({ min: 1, max: 9 }), fc.boolean(), async (lines, size, isEnded) => {
      const bytes = Buffer.from(lines.join('\n') + (isEnded && lines.length > 0 ? '\n' : ''));
      const found = await linesOf(bytes, size);
      for (const { at, end, text } of found) expect(bytes.toString('utf8', at, end).replace(/\n$/, '')).toBe(text);
      expect(found.map(({ at }) => at)).toEqual([0, ...found.map(({ end }) => end)].slice(0, found.length));
      expect(found.at(-1)?.end ?? 0).toBe(bytes.length);
    }),
  );
});

it('passes over a line that is too long, and goes on after it', async () => {
  const lines = await linesOf(Buffer.from(`a\n${'x'.repeat(50)}\nb`), 7, 20);
  expect(lines.map(({ at, text }) => [at, text])).toEqual([
    [0, 'a'],
    [2, null],
    [53, 'b'],
  ]);
});
