/** Looks at a data folder that nobody uses: whether its stores can be read, and whether they fit together. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import Database from 'better-sqlite3';
import { DATA_FILES } from '../data-files.ts';
import { READ_EVERYTHING_SQL } from '../duckdb/copy-file.ts';
import type { SnapshotCounts } from '../folder-snapshots.ts';
import { countLog, countMetadata, POSITION_SQL } from './take-snapshot.ts';

export interface Inspection {
  counts: SnapshotCounts;
  /** What does not fit; empty where all is well. */
  problems: string[];
}

/** Throws where a store cannot be read at all. */
export async function inspectFolder(folder: string): Promise<Inspection> {
  const metadata = openCheckedDatabase(join(folder, DATA_FILES.metadata));
  const log = openCheckedDatabase(join(folder, DATA_FILES.log));
  try {
    const position = metadata.count(POSITION_SQL);
    const events = await inspectEvents(join(folder, DATA_FILES.events));
    const counts = { events: events.count, ...countMetadata(metadata.count), ...countLog(log.count, position) };
    return { counts, problems: problemsOf(counts, position, events.position) };
  } finally {
    metadata.close();
    log.close();
  }
}

function problemsOf({ accepted, settled, pending }: SnapshotCounts, shelf: number, events: number): string[] {
  const problems: string[] = [];
  if (accepted !== settled + pending) {
    problems.push(`${accepted} events were accepted, but ${settled} are settled and ${pending} wait`);
  }
  // The other way round is as after a crash between two commits: the next start finishes it from the log.
  if (shelf > events) problems.push(`the shelf has reached log position ${shelf}, the events only ${events}`);
  return problems;
}

interface CheckedDatabase {
  count(sql: string): number;
  close(): void;
}

/** SQLite's own check of the whole file comes first. */
export function openCheckedDatabase(path: string): CheckedDatabase {
  if (!existsSync(path)) throw new Error(`${path} is missing.`);
  // Not for reading alone: the last reader of a journal could not tidy it away then.
  const database = new Database(path, { fileMustExist: true });
  const close = (): void => void database.close();
  try {
    const found = String(database.pragma('quick_check(1)', { simple: true }));
    if (found !== 'ok') throw new Error(found);
    return { count: (sql) => Number(database.prepare(sql).pluck().get() ?? 0), close };
  } catch (error) {
    close();
    throw new Error(`${path} is damaged: ${(error as Error).message}`, { cause: error });
  }
}

async function inspectEvents(path: string): Promise<{ count: number; position: number }> {
  if (!existsSync(path)) throw new Error(`${path} is missing.`);
  const instance = await DuckDBInstance.create(path, { memory_limit: '512MB', threads: '2' });
  try {
    const connection = await instance.connect();
    const ask = async (sql: string): Promise<number> => Number((await (await connection.run(sql)).getRowsJS())[0]?.[0]);
    const [count, position] = [await ask(READ_EVERYTHING_SQL), await ask('select position from log_position')];
    connection.closeSync();
    return { count, position };
  } catch (error) {
    throw new Error(`${path} is damaged: ${(error as Error).message}`, { cause: error });
  } finally {
    instance.closeSync();
  }
}
