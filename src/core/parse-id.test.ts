import { expect, it } from 'vitest';
import { parseId } from './parse-id.ts';

it.each<[unknown, number | null]>([
  [7, 7],
  ['7', 7],
  [0, 0],
  [Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER],
  // 9007199254740993 and its text would become 9007199254740992.
  ['9007199254740993', null],
  [2 ** 53, null],
  ['1e3', null],
  ['', null],
  [' 7', null],
  ['7.0', null],
  [7.5, null],
  [-7, null],
  [true, null],
  [null, null],
  [[7], null],
  [undefined, null],
])('reads %j as %j', (value, id) => {
  expect(parseId(value)).toBe(id);
});
