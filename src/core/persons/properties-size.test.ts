import { expect, it } from 'vitest';
import { growsTooLarge } from './properties-size.ts';

const text = (length: number): string => 'x'.repeat(length);

it.each([
  ['an ordinary change', {}, { plan: 'pro' }, false],
  ['a long text', {}, { a: text(130_000) }, false],
  ['a text beyond the limit', {}, { a: text(132_000) }, true],
  ['a list beyond the limit', {}, { a: [text(132_000)] }, true],
  ['several texts together', { a: text(70_000) }, { a: text(70_000), b: text(70_000) }, true],
  ['many names', {}, Object.fromEntries(Array.from({ length: 20_000 }, (_, i) => [`n${i}`, 1])), true],
  ['what is too large already, made smaller', { a: text(900_000) }, { a: text(800_000) }, false],
  ['what is too large already, with more', { a: text(900_000) }, { a: text(900_000), b: 1 }, true],
])('%s', (_name, before, after, expected) => {
  expect(growsTooLarge(before, after)).toBe(expected);
});
