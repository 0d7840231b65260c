import { DuckDBInstance } from '@duckdb/node-api';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { toJsonValue } from './read-values.ts';

let instance: DuckDBInstance;
beforeAll(async () => {
  instance = await DuckDBInstance.create(':memory:');
});
afterAll(() => instance.closeSync());

async function jsonOf(expression: string): Promise<unknown> {
  const connection = await instance.connect();
  try {
    const [row] = await (await connection.run(`select ${expression}`)).getRows();
    return toJsonValue(row?.[0]);
  } finally {
    connection.closeSync();
  }
}

it.each([
  [`timestamp '2026-01-15 09:00:00'`, '2026-01-15T09:00:00.000Z'],
  [`timestamp '2026-01-15 09:00:00.123'`, '2026-01-15T09:00:00.123Z'],
  [`timestamp '2026-01-15 09:00:00.123004'`, '2026-01-15T09:00:00.123004Z'],
  [`timestamptz '2026-01-15 09:00:00.000001+02'`, '2026-01-15T07:00:00.000001Z'],
  [`timestamp '1969-12-31 23:59:59.999999'`, '1969-12-31T23:59:59.999999Z'],
  [`timestamp '9999-12-31 23:59:59.999999'`, '9999-12-31T23:59:59.999999Z'],
  [`timestamp '2255-06-06 00:00:00.001'`, '2255-06-06T00:00:00.001Z'],
  [`timestamp '1600-01-01 00:00:00'`, '1600-01-01T00:00:00.000Z'],
  [`'infinity'::timestamp`, null],
  [`uuid '00000000-0000-0000-0000-000000000000'`, '00000000-0000-0000-0000-000000000000'],
  [`uuid '7fffffff-ffff-ffff-ffff-ffffffffffff'`, '7fffffff-ffff-ffff-ffff-ffffffffffff'],
  [`uuid '80000000-0000-0000-0000-000000000000'`, '80000000-0000-0000-0000-000000000000'],
  [`uuid 'ffffffff-ffff-ffff-ffff-fffffffffffe'`, 'ffffffff-ffff-ffff-ffff-fffffffffffe'],
  [`uuid '0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b'`, '0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b'],
  ['9007199254740991', 9007199254740991],
  ['9007199254740993', '9007199254740993'],
  [`'nan'::double`, null],
  ['1.25::decimal(5, 2)', 1.25],
  [`date '2026-01-15'`, '2026-01-15'],
  [`[timestamp '2026-01-15 09:00:00', null]`, ['2026-01-15T09:00:00.000Z', null]],
  [`{ 'a': 1, 'b': [true] }`, { a: 1, b: [true] }],
])('%s', async (expression, value) => {
  expect(await jsonOf(expression)).toEqual(value);
});
