/**
 * The installation that is moved: a data folder on which no server runs. Every file of it is opened for reading only and
 * is the same afterwards, byte for byte.
 */
import { createHash } from 'node:crypto';
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type Database from 'better-sqlite3';
import { FILES } from '../../stores/data-files.ts';
import { EventFile, hasJournal as eventsHaveJournal } from '../../stores/duckdb/read-only.ts';
import { FolderInUse, type FolderLock, lockFolder } from '../../stores/sqlite/folder-lock.ts';
import { openIngestLogReader, type SqliteLogReader } from '../../stores/sqlite/ingest-log-reader.ts';
import { hasJournal, openReadOnly, removeTraces } from '../../stores/sqlite/read-only.ts';
import { MoverError } from './move-error.ts';

export interface SourceIdentity {
  /** Tells one installation from another. */
  installation: string;
  /** Changes with anything that a server does there. */
  state: string;
}

export interface Source {
  identity: SourceIdentity;
  shelf: Database.Database;
  log: SqliteLogReader;
  /** What the log says of itself. */
  logTotals: { accepted: number; waiting: number };
  /** Up to where the log has been processed. */
  position: number;
  /** The version of the shelf's shape. */
  version: number;
  events: EventFile;
  close(): void;
}

export async function openSource(folder: string): Promise<Source> {
  if (!existsSync(join(folder, FILES.metadata))) {
    throw new MoverError(`There is no installation in ${folder}: --from names the DATA_DIR of the server to move.`);
  }
  const closing: (() => void)[] = [];
  const close = (): void => {
    for (const end of closing.splice(0).reverse()) end();
  };
  try {
    const lock = takeFolder(folder);
    closing.push(() => lock.release());
    return { ...(await openFiles(folder, closing)), close };
  } catch (error) {
    close();
    throw error;
  }
}

function takeFolder(folder: string): FolderLock {
  try {
    return lockFolder(folder);
  } catch (error) {
    if (!(error instanceof FolderInUse)) throw error;
    throw new MoverError(`A server is running on ${folder}. Stop it, then move.`, { cause: error });
  }
}

async function openFiles(folder: string, closing: (() => void)[]): Promise<Omit<Source, 'close'>> {
  const paths = [FILES.metadata, FILES.log, FILES.events].map((name) => join(folder, name));
  const [shelfPath = '', logPath = '', eventsPath = ''] = paths;
  for (const path of paths) {
    if (!existsSync(path)) throw unready(`${path} is missing`);
  }
  if (hasJournal(shelfPath) || hasJournal(logPath) || eventsHaveJournal(eventsPath)) {
    throw unready(`The server that used ${folder} was not stopped in peace`);
  }
  const shelf = openReadOnly(shelfPath);
  closing.push(() => shelf.close());
  const log = openIngestLogReader(logPath);
  closing.push(() => {
    log.close();
    removeTraces(logPath);
  });
  const events = await EventFile.open(eventsPath);
  closing.push(() => events.close());
  const position = numberOf(shelf.db, `select max(position) from ingest_position where log = 'main'`);
  if (!(await events.isCurrent())) throw unready('The event store is not of this version');
  if ((await events.position()) > position) throw unready('The last events were not processed wholly');
  return {
    identity: { installation: installationOf(shelf.db), state: stateOf(paths) },
    shelf: shelf.db,
    log,
    logTotals: readTotals(logPath, position),
    position,
    version: numberOf(shelf.db, 'select max(version) from schema_version'),
    events,
  };
}

export const unready = (why: string): MoverError =>
  new MoverError(`${why}. Start the server of this version on it once, stop it, then move.`);

export const numberOf = (db: Database.Database, sql: string, ...values: unknown[]): number =>
  Number(
    db
      .prepare(sql)
      .pluck()
      .get(...values) ?? 0,
  );

function readTotals(path: string, position: number): Source['logTotals'] {
  const { db, close } = openReadOnly(path);
  try {
    return {
      accepted: numberOf(db, 'select accepted from totals'),
      waiting: numberOf(db, 'select sum(events) from entries where seq > ?', position),
    };
  } finally {
    close();
  }
}

/** Nobody's organization has the id of another. */
function installationOf(db: Database.Database): string {
  const first = db.prepare('select id from organizations order by created_at, id limit 1').pluck().get();
  if (first === undefined) throw new MoverError('There is nothing to move: the installation has no organization yet.');
  return String(first);
}

function stateOf(paths: readonly string[]): string {
  const facts = paths.map((path) => statSync(path)).map(({ size, mtimeMs }) => [size, mtimeMs]);
  return createHash('sha256').update(JSON.stringify(facts)).digest('hex');
}
