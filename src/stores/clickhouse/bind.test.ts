import { describe, expect, it } from 'vitest';
import { bind, checkReadOnly } from './bind.ts';

describe('bind', () => {
  it('declares each parameter once, with its type', () => {
    const { sql, params } = bind('select $1, $2, $1 where a < $3 and b = $4 and c > $5 or d is $6', [
      "it's",
      1.5,
      2n,
      true,
      7,
      null,
    ]);
    expect(sql).toBe(
      'select {p1:String}, {p2:Float64}, {p1:String} where a < {p3:Int64} and b = {p4:Bool} and c > {p5:Int64} or d is {p6:Nullable(String)}',
    );
    expect(params).toEqual({ p1: "it's", p2: 1.5, p3: 2n, p4: true, p5: 7, p6: null });
  });

  it('leaves string literals and identifiers alone', () => {
    const sql = `select '$1', "$1", 'it\\'s $1', '''$1'`;
    expect(bind(sql, ['x'])).toEqual({ sql, params: {} });
  });

  it('binds numbers that are not 64-bit integers as doubles', () => {
    expect(bind('$1 $2', [1e300, Number.MAX_SAFE_INTEGER]).sql).toBe('{p1:Float64} {p2:Int64}');
  });

  it('splits a long string between characters', () => {
    const text = `${'x'.repeat(29_999)}${'😀'.repeat(20_000)}`;
    const { sql, params } = bind('select $1', [text]);
    expect(sql).toBe('select concat({p1_0:String}, {p1_1:String}, {p1_2:String})');
    const pieces = Object.values(params).map(String);
    expect(pieces.join('')).toBe(text);
    expect(pieces.every((piece) => piece.isWellFormed() && Buffer.byteLength(piece) < 131_072)).toBe(true);
  });
});

describe('checkReadOnly', () => {
  it.each(['select 1', ' with a as (select 1) select * from a', `select ';'`, 'EXPLAIN select 1'])(
    'accepts %s',
    (sql) => {
      expect(() => checkReadOnly(sql)).not.toThrow();
    },
  );

  it.each(['insert into a values (1)', 'select 1; drop table a', 'alter table a delete where 1', 'selected'])(
    'rejects %s',
    (sql) => {
      expect(() => checkReadOnly(sql)).toThrow('Only statements that read');
    },
  );
});
