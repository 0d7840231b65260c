import { DuckDBInstance } from '@duckdb/node-api';
import { expect, test } from 'vitest';
import { commit } from './commit.ts';

test('a commit that fails is reported, and nothing of it is stored', async () => {
  const instance = await DuckDBInstance.create(':memory:');
  const [first, second] = [await instance.connect(), await instance.connect()];
  await first.run('create table ids (id integer primary key)');
  for (const connection of [first, second]) await connection.run('begin');
  for (const connection of [first, second]) await connection.run('insert into ids values (1)');
  await second.run('insert into ids values (2)');
  await commit(first);
  await expect(commit(second)).rejects.toThrow(/^TransactionContext Error: Failed to commit/);
  expect((await first.runAndReadAll('select id from ids')).getRows()).toEqual([[1]]);
  instance.closeSync();
});
