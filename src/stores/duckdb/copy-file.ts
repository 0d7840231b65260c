/**
 * Why a copy: rows that are deleted stay in the file. A checkpoint drops only groups of rows that are wholly gone, and
 * the blocks it frees keep their old bytes until something else is written there; the same holds for a table that is
 * copied and dropped (all three tried with a planted text). A file that never held the rows holds nothing of them.
 */
import { closeSync, constants, existsSync, fsyncSync, openSync, renameSync } from 'node:fs';
import { copyFile as copyBytes } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { quoteText, removeRewrite, rewritePath, STORAGE_VERSION } from './engine.ts';
import { addPromoted, migrateDuckDb, TABLES } from './schema.ts';

/** Writes every row of every table to a fresh file beside `path`. Nobody may write meanwhile. */
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
 * Puts the fresh file in the place of the old one, which must be closed. The journal of the old file must be folded
 * into it by then: beside the fresh one it would be read as the fresh one's.
 */
export function swapFile(path: string): void {
  if (existsSync(`${path}.wal`)) throw new Error(`${path} was not closed cleanly; its fresh copy is not used.`);
  renameSync(rewritePath(path), path);
  const folder = openSync(dirname(path), 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}

/**
 * Copies the file as it is, deleted rows and all: many times as fast as writing its rows afresh. Nobody may write
 * meanwhile. The journal is folded in first; where that cannot be, it is copied beside, and read by whoever opens the copy.
 */
export async function copyDatabaseFile(writer: DuckDBConnection, path: string, target: string): Promise<void> {
  await writer.run('checkpoint').catch(() => undefined);
  await copyBytes(path, target, constants.COPYFILE_FICLONE);
  const journal = `${path}.wal`;
  if (existsSync(journal)) await copyBytes(journal, `${target}.wal`, constants.COPYFILE_FICLONE);
}

/** Touches every column: a block that was damaged on disk does not pass. */
export const READ_EVERYTHING_SQL = `
  select count(*) as events, max(hash(e)) as all_events, (select max(hash(p)) from person_rows p) as all_persons
  from event_rows e`;
