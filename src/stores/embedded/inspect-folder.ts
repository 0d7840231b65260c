/** Checks a data folder that is not in use: can its stores be read, and are they consistent? */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import Database from 'better-sqlite3';
import { DATA_FILES } from '../data-files.ts';
import { READ_EVERYTHING_SQL } from '../duckdb/copy-file.ts';
import type { SnapshotCounts } from '../folder-snapshots.ts';
import { readLogFolder } from '../segment-log/log-folder.ts';
import { totalsOf } from '../segment-log/log-totals.ts';
import { verifyLog } from '../segment-log/verify-log.ts';
import { describeSizes } from './describe-sizes.ts';
import { countMetadata, progressIn } from './take-snapshot.ts';

export interface Inspection {
  counts: SnapshotCounts;
  /** Empty if everything is consistent. */
  problems: string[];
}

/** Throws if a store cannot be read. */
export async function inspectFolder(folder: string): Promise<Inspection> {
  const metadata = openCheckedDatabase(join(folder, DATA_FILES.metadata));
  try {
    const log = readLogFolder(join(folder, DATA_FILES.log));
    verifyLog(log);
    const progress = progressIn(metadata);
    const events = await inspectEvents(join(folder, DATA_FILES.events));
    const counts = {
      events: events.count,
      ...countMetadata(metadata.readNumber),
      ...totalsOf(log, progress),
    };
    return { counts, problems: problemsOf(counts, progress.position, events.position) };
  } finally {
    metadata.close();
  }
}

function problemsOf({ accepted, settled, pending }: SnapshotCounts, metadata: number, events: number): string[] {
  const problems: string[] = [];
  if (accepted !== settled + pending) {
    problems.push(`${accepted} events were accepted, but ${settled} are processed and ${pending} pending`);
  }
  // The other way round is a crash between two commits, which the next start recovers from the log.
  if (metadata > events) problems.push(`the metadata is at log position ${metadata}, the events only at ${events}`);
  return problems;
}

interface CheckedDatabase {
  readNumber(sql: string): number;
  readText(sql: string): string;
  /** Where its bytes go. */
  describeSizes(): string;
  close(): void;
}

/** Runs SQLite's check of the whole file first. */
export function openCheckedDatabase(path: string): CheckedDatabase {
  if (!existsSync(path)) throw new Error(`${path} is missing.`);
  // Not read-only: then the last connection could not remove the journal.
  const database = new Database(path, { fileMustExist: true });
  const close = (): void => void database.close();
  try {
    const found = String(database.pragma('quick_check(1)', { simple: true }));
    if (found !== 'ok') throw new Error(found);
    return {
      readNumber: (sql) => Number(database.prepare(sql).pluck().get() ?? 0),
      readText: (sql) => String(database.prepare(sql).pluck().get() ?? ''),
      describeSizes: () => describeSizes(database),
      close,
    };
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
