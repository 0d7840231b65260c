import { DuckDBInstance } from '@duckdb/node-api';
import { expect, test } from 'vitest';
import { makeTempDir } from '../../../test/contract/temp-dir.ts';
import { checkpoint, commit, journalBytes, useJournal } from './commit.ts';

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

test('a commit does not wait for a query that occupies the thread of the engine', async () => {
  const instance = await DuckDBInstance.create(':memory:', { threads: '2' });
  const [writer, reader] = [await instance.connect(), await instance.connect()];
  await writer.run('create table ids (id bigint)');
  const ended: string[] = [];
  // Endless, on two threads: the engine's own and the reader's.
  const query = reader
    .run('select count(*) from range(1000000) a, range(1000000) b where a.range % 7 = b.range % 11')
    .then(() => ended.push('query'))
    .catch(() => ended.push('query'));
  await writer.run('begin');
  await writer.run('insert into ids values (1)');
  await commit(writer);
  ended.push('commit');
  reader.interrupt();
  await query;
  expect(ended).toEqual(['commit', 'query']);
  instance.closeSync();
});

test('a checkpoint empties the journal, but not while a query is reading', async () => {
  const dir = makeTempDir();
  const path = dir.path('ids.duckdb');
  const instance = await DuckDBInstance.create(path);
  const [writer, reader] = [await instance.connect(), await instance.connect()];
  useJournal(writer, `${path}.wal`);
  await writer.run('create table ids (id bigint)');
  await writer.run('begin');
  await writer.run('insert into ids select range from range(1000)');
  const before = journalBytes(writer);
  await commit(writer);
  expect(journalBytes(writer)).toBeGreaterThan(before);
  await reader.run('begin transaction read only');
  await reader.run('select count(*) from ids');
  await writer.run('update ids set id = id + 1');
  await expect(checkpoint(writer)).rejects.toThrow(/^TransactionContext Error: Cannot CHECKPOINT/);
  await reader.run('commit');
  await checkpoint(writer);
  expect(journalBytes(writer)).toBe(0);
  expect((await reader.runAndReadAll('select count(*)::integer from ids')).getRows()).toEqual([[1000]]);
  instance.closeSync();
  dir.remove();
});
