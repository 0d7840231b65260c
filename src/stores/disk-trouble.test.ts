import { expect, it } from 'vitest';
import { isDiskTrouble } from './disk-trouble.ts';

const withCode = (code: string): Error => Object.assign(new Error('it failed'), { code });

it.each([
  [withCode('SQLITE_FULL'), true],
  [withCode('SQLITE_IOERR_WRITE'), true],
  [withCode('SQLITE_READONLY_DBMOVED'), true],
  [withCode('ENOSPC'), true],
  [withCode('EIO'), true],
  [withCode('EROFS'), true],
  [withCode('53100'), true],
  [new Error('IO Error: Could not write file "events.duckdb": No space left on device'), true],
  [new Error('it failed', { cause: withCode('ENOSPC') }), true],
  [withCode('SQLITE_CONSTRAINT_UNIQUE'), false],
  [withCode('ENOENT'), false],
  [new Error('Binder Error: no such column'), false],
  ['text', false],
])('%s: %s', (error, is) => {
  expect(isDiskTrouble(error)).toBe(is);
});
