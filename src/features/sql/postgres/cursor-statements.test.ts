import { describe, expect, it } from 'vitest';
import { cursorStatement } from './cursor-statements.ts';

const declared = { kind: 'declare', cursor: 'c', sql: 'select 1', isBinary: false, isHeld: false };

describe('a statement about a cursor', () => {
  it.each([
    ['declare c cursor for select 1', declared],
    ['DECLARE C NO SCROLL CURSOR FOR\nselect 1', declared],
    ['declare c binary insensitive cursor with hold for select 1', { ...declared, isBinary: true, isHeld: true }],
    ['declare c cursor without hold for select 1', declared],
    ['declare "A ""b""" cursor for select 1', { ...declared, cursor: 'A "b"' }],
    ['fetch c', { kind: 'fetch', cursor: 'c', count: 1 }],
    ['fetch from c', { kind: 'fetch', cursor: 'c', count: 1 }],
    ['FETCH NEXT FROM c', { kind: 'fetch', cursor: 'c', count: 1 }],
    ['fetch forward in c', { kind: 'fetch', cursor: 'c', count: 1 }],
    ['FETCH FORWARD 20 FROM _psql_cursor', { kind: 'fetch', cursor: '_psql_cursor', count: 20 }],
    ['fetch 7 c ', { kind: 'fetch', cursor: 'c', count: 7 }],
    ['fetch all from "C"', { kind: 'fetch', cursor: 'C', count: null }],
    ['fetch forward all from c', { kind: 'fetch', cursor: 'c', count: null }],
    ['close c', { kind: 'close', cursor: 'c' }],
    ['CLOSE ALL', { kind: 'close', cursor: null }],
    ['close "all"', { kind: 'close', cursor: 'all' }],
    ['select 1', null],
    ['declare c table for select 1', null],
    ['declare 1c cursor for select 1', null],
    [`fetch ${' '.repeat(1_000_000)}`, null],
    [`declare c ${'no '.repeat(300_000)}`, null],
    [`declare ${' '.repeat(1_000_000)}`, null],
  ])('is understood: %.60s', (text, expected) => {
    expect(cursorStatement(text)).toEqual(expected);
  });

  it.each(['prior', 'backward 2', 'absolute 3', 'relative 1', 'first', 'last', '-1', '0', 'forward 0'])(
    'does not go back: fetch %s',
    (direction) => {
      expect(() => cursorStatement(`fetch ${direction} from c`)).toThrow('Cursors only go forward.');
    },
  );
});
