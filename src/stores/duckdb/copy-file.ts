/**
 * Removing data for good needs a new file: deleted rows stay in the old one. A checkpoint only drops row groups that are
 * completely deleted, and freed blocks keep their bytes until they are reused; copying and dropping a table does not help
 * either (all tested with a marker text).
 */
import { closeSync, constants, existsSync, fsyncSync, openSync, renameSync } from 'node:fs';
import { copyFile as copyBytes } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { checkpoint } from './commit.ts';
import { quoteText, removeRewrite, rewritePath, STORAGE_VERSION } from './engine.ts';
import { addPromoted, migrateDuckDb, TABLES } from './schema.ts';

/** Writes every row of every table to a new file beside `path`. No writes may run meanwhile. */
export async function rewriteFile(instance: DuckDBInstance, path: string): Promise<void> {
  removeRewrite(path);
  const connection = await instance.connect();
  try {
    await copyTables(connection, path);
  } finally {
    connection.closeSync();
  }
}

async function copyTables(connection: DuckDBConnection, path: string): Promise<void> {
  const [[home] = []] = await (await connection.run('select current_database()')).getRowsJS();
  const old = `"${String(home).replaceAll('"', '""')}".main`;
  const fresh = rewritePath(path);
  await connection.run(`attach ${quoteText(fresh)} as fresh (storage_version ${quoteText(STORAGE_VERSION)})`);
  try {
    await connection.run('use fresh.main');
    await migrateDuckDb(connection, fresh);
    await addPromoted(connection, `${old}.promoted_columns`);
    for (const table of TABLES) {
      await connection.run(`delete from ${table}`);
      await connection.run(`insert into ${table} select * from ${old}.${table}`);
    }
    await connection.run('checkpoint fresh');
  } finally {
    await connection.run(`use ${old}`);
    await connection.run('detach fresh');
  }
}

/**
 * Replaces the old file, which must be closed, with the new one. The old journal must have been checkpointed: otherwise it
 * would be read as the new file's.
 */
export function swapFile(path: string): void {
  if (existsSync(`${path}.wal`)) throw new Error(`${path} was not closed cleanly; its rewritten copy is not used.`);
  renameSync(rewritePath(path), path);
  const folder = openSync(dirname(path), 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}

/**
 * Copies the file with its deleted rows, which is many times as fast as rewriting it. No writes may run meanwhile. The
 * journal is checkpointed first or, if that fails, copied too.
 */
export async function copyDatabaseFile(writer: DuckDBConnection, path: string, target: string): Promise<void> {
  await checkpoint(writer).catch(() => undefined);
  await copyBytes(path, target, constants.COPYFILE_FICLONE);
  const journal = `${path}.wal`;
  if (existsSync(journal)) await copyBytes(journal, `${target}.wal`, constants.COPYFILE_FICLONE);
}

/** Reads every column, so that a damaged block is found. */
export const READ_EVERYTHING_SQL = `
  select count(*) as events, max(hash(e)) as all_events, (select max(hash(p)) from person_rows p) as all_persons,
    (select max(hash(l)) from large_texts l) as all_large_texts
  from event_rows e`;
