import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { streamChunks } from './stream-chunks.ts';

let instance: DuckDBInstance;
let connection: DuckDBConnection;

beforeAll(async () => {
  instance = await DuckDBInstance.create(':memory:', { threads: '2' });
  connection = await instance.connect();
});
afterAll(() => {
  connection.closeSync();
  instance.closeSync();
});

async function read(sql: string, parameter?: number) {
  const { types, chunks } = await streamChunks(sql, async (text) => {
    const statement = await connection.prepare(text);
    if (parameter !== undefined) statement.bindInteger(1, parameter);
    return statement;
  });
  const rows: unknown[][] = [];
  for await (const { chunk, rowCount } of chunks) rows.push(...chunk.getRows().slice(0, rowCount));
  return { types: types.map(String), rows };
}

describe('rows that are read while the engine finds them', () => {
  it('come whole, in their order, with a column that says that none is the one after the last', async () => {
    const sql = 'select i, i * 2 as i from range(300000) t(i) order by hash(i) limit 250001';
    const expected = await (await connection.run(sql)).getRows();
    const { types, rows } = await read(`${sql};`);
    expect(types).toEqual(['BIGINT', 'BIGINT', 'BOOLEAN']);
    expect(rows).toHaveLength(250_001);
    expect(rows).toEqual(expected.map((row) => [...row, false]));
  });

  it.each([0, 1, 2047, 2048, 2049, 4096])('of %i rows', async (count) => {
    const { rows } = await read('select i from range($1) t(i)', count);
    expect(rows).toEqual(Array.from({ length: count }, (_, i) => [BigInt(i), false]));
  });

  it('keep the types of nested values, and are not taken for the last one by what they hold', async () => {
    const { types, rows } = await read(`select null as n, [1] as l, {'a': true} as s, true as t`);
    expect(types).toEqual(['INTEGER', 'INTEGER[]', 'STRUCT("a" BOOLEAN)', 'BOOLEAN', 'BOOLEAN']);
    expect(rows.map((row) => [row[0], row[3], row[4]])).toEqual([[null, true, false]]);
  });

  it('are refused with the reason if the statement fails after some of them', async () => {
    const failing = `select case when i = 150000 then cast('x' || i as integer) else i end from range(200000) t(i)`;
    await expect(read(failing)).rejects.toThrow(/^Conversion Error/);
  });
});
