import { DuckDBInstance } from '@duckdb/node-api';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addChecksum, addText, type Checksums, differences, totalCount } from './checksums.ts';

const sumsOf = (rows: readonly (readonly [string, string])[]): Checksums => {
  const sums: Checksums = new Map();
  for (const [key, text] of rows) addText(sums, key, text);
  return sums;
};

const rows = fc.array(fc.tuple(fc.constantFrom('1', '2', '10'), fc.string({ unit: 'grapheme' })));

describe('checksums of rows', () => {
  it('do not depend on the order of rows', () => {
    fc.assert(
      fc.property(rows, (given) => {
        expect(differences(sumsOf(given), sumsOf(given.toReversed()))).toEqual([]);
        expect(totalCount(sumsOf(given))).toBe(given.length);
      }),
    );
  });

  it('differ if a row is missing, duplicated or changed', () => {
    fc.assert(
      fc.property(rows, fc.string(), (given, text) => {
        const more = sumsOf([...given, ['2', text]]);
        expect(differences(sumsOf(given), more)).toEqual(['2']);
        expect(differences(sumsOf([...given, ['2', `${text}.`]]), more)).toEqual(['2']);
        expect(differences(sumsOf([...given, ['2', text], ['2', text]]), more)).toEqual(['2']);
        expect(differences(sumsOf([...given, ['10', text]]), more)).toEqual(['2', '10']);
      }),
    );
  });

  it('match what DuckDB computes', async () => {
    const texts = ['', 'abc', 'ä 😀 \u001f \u001e', '{"a":"\\u0000"}', '\ufffd', 'x'.repeat(5000)];
    const instance = await DuckDBInstance.create();
    const connection = await instance.connect();
    const list = texts.map((text) => `('${text}')`).join(', ');
    const result = await connection.run(
      `select sum(h >> 32)::varchar, sum(h & 4294967295)::varchar from (select md5_number_upper(t) as h from (values ${list}) v(t))`,
    );
    const [[high, low] = []] = await result.getRowsJS();
    const there: Checksums = new Map();
    addChecksum(there, '', { count: texts.length, high: BigInt(String(high)), low: BigInt(String(low)) });
    expect(differences(sumsOf(texts.map((text) => ['', text])), there)).toEqual([]);
    connection.closeSync();
    instance.closeSync();
  });
});
