import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bytesMayHaveLongNumber, mayHaveLongNumber } from './long-numbers.ts';

/** Bytes at any offset, as in a pool of buffers. */
function bytesAt(offset: number, text: string): Buffer {
  const whole = Buffer.from(`${'1'.repeat(offset)}${text}`);
  return whole.subarray(offset);
}

const FILLER = '{"key": "value", "flag": true, "size": 12.5}, '.repeat(60);

describe.each<[string, (text: string, offset: number) => boolean]>([
  ['a text', (text) => mayHaveLongNumber(text)],
  ['few bytes', (text, offset) => bytesMayHaveLongNumber(bytesAt(offset, text))],
  ['many bytes before', (text, offset) => bytesMayHaveLongNumber(bytesAt(offset, FILLER + text))],
  ['many bytes after', (text, offset) => bytesMayHaveLongNumber(bytesAt(offset, `${text} ${FILLER}`))],
])('a long number in %s', (_name, mayHave) => {
  it.each<[string, boolean]>([
    ['9007199254740993', true],
    ['-9007199254740993', true],
    ['[9007199254740993]', true],
    [':9007199254740993}', true],
    [`,${'9'.repeat(100)}`, true],
    ['123456789012345 6789012345678901', true],
    ['"9007199254740993"', false],
    ['0.9007199254740993', false],
    ['"a9007199254740993"', false],
    ['123456789012345', false],
    ['123456789012345,123456789012345', false],
    ['"2026-01-15T12:00:00.000Z","018a981f-4b35-7c66-825e-123456789012"', false],
  ])('%s: %s', (text, expected) => {
    for (let at = 0; at < 40; at++) {
      for (let offset = 0; offset < 5; offset++) {
        expect(mayHave(' '.repeat(at) + text, offset), `after ${at} spaces, at offset ${offset}`).toBe(expected);
      }
    }
  });

  it('is found in any JSON', () => {
    const whole = fc.bigInt({ min: 10n ** 15n, max: 10n ** 40n });
    fc.assert(
      fc.property(fc.json(), whole, fc.json(), fc.nat(4), (before, digits, after, offset) => {
        expect(mayHave(`[${before},${digits},${after}]`, offset)).toBe(true);
      }),
    );
  });
});
