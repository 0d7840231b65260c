import { describe, expect, it } from 'vitest';
import { BodyBytes } from './body-bytes.ts';

const MB = 1024 * 1024;

function sum(announced: number, sizes: readonly number[]): Buffer {
  const bytes = new BodyBytes(announced);
  for (const [n, size] of sizes.entries()) bytes.add(Buffer.alloc(size, n + 1));
  return bytes.take();
}

describe('the bytes of a body', () => {
  it.each([
    ['none', 0, []],
    ['a small one', 30, [10, 20]],
    ['a large one', 3 * MB, [MB, MB, MB]],
    ['a large one in uneven pieces', 2 * MB, [1, 2 * MB - 3, 2]],
    ['a large one at once', 2 * MB, [2 * MB]],
    ['a large one of unknown length', 0, [MB, MB, 5]],
    ['less than announced', 4 * MB, [MB, MB, 7]],
  ])('%s', (_name, announced, sizes) => {
    const expected = Buffer.concat(sizes.map((size, n) => Buffer.alloc(size, n + 1)));
    expect(sum(announced, sizes).equals(expected)).toBe(true);
  });
});
