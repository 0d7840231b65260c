/** The data folder that is moved. No server may be running on it, and its files are only read. */
import { createHash } from 'node:crypto';
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type Database from 'better-sqlite3';
import { DATA_FILES } from '../../stores/data-files.ts';
import { hasDuckDbJournal as eventsHaveJournal, ReadOnlyEventFile } from '../../stores/duckdb/read-only.ts';
import { aheadFromText, isPast, type LogProgress } from '../../stores/ingest/log-progress.ts';
import { openIngestLogReader, type SegmentLogReader } from '../../stores/segment-log/ingest-log-reader.ts';
import { readLogFolder, segmentsIn } from '../../stores/segment-log/log-folder.ts';
import { totalsOf } from '../../stores/segment-log/log-totals.ts';
import { FolderInUse, type FolderLock, lockFolder } from '../../stores/sqlite/folder-lock.ts';
import { hasSqliteJournal, openReadOnly } from '../../stores/sqlite/read-only.ts';
import { MoveError } from './move-error.ts';

export interface SourceIdentity {
  /** Identifies the installation. */
  installation: string;
  /** Changes whenever a server runs on the folder. */
  state: string;
}

export interface MoveSource {
  identity: SourceIdentity;
  metadata: Database.Database;
  log: SegmentLogReader;
  logTotals: { accepted: number; waiting: number };
  /** How far the log has been processed. */
  progress: LogProgress;
  /** The version of the schema. */
  version: number;
  events: ReadOnlyEventFile;
  close(): void;
}

export async function openSource(folder: string): Promise<MoveSource> {
  if (!existsSync(join(folder, DATA_FILES.metadata))) {
    throw new MoveError(`There is no installation in ${folder}: --from names the DATA_DIR of the server to move.`);
  }
  const closing: (() => void)[] = [];
  const close = (): void => {
    for (const end of closing.splice(0).reverse()) end();
  };
  try {
    const lock = lockSource(folder);
    closing.push(() => lock.release());
    return { ...(await openFiles(folder, closing)), close };
  } catch (error) {
    close();
    throw error;
  }
}

function lockSource(folder: string): FolderLock {
  try {
    return lockFolder(folder);
  } catch (error) {
    if (!(error instanceof FolderInUse)) throw error;
    throw new MoveError(`A server is running on ${folder}. Stop it before the move.`, { cause: error });
  }
}

async function openFiles(folder: string, closing: (() => void)[]): Promise<Omit<MoveSource, 'close'>> {
  const paths = [DATA_FILES.metadata, DATA_FILES.log, DATA_FILES.events].map((name) => join(folder, name));
  const [metadataPath = '', logPath = '', eventsPath = ''] = paths;
  for (const path of paths) {
    if (!existsSync(path)) throw notReady(`${path} is missing`);
  }
  const logFolder = readLogFolder(logPath);
  if (hasSqliteJournal(metadataPath) || logFolder.tornBytes > 0 || eventsHaveJournal(eventsPath)) {
    throw notReady(`The server that used ${folder} was not stopped cleanly`);
  }
  const metadata = openReadOnly(metadataPath);
  closing.push(() => metadata.close());
  const log = openIngestLogReader(logPath);
  closing.push(() => log.close());
  const events = await ReadOnlyEventFile.open(eventsPath);
  closing.push(() => events.close());
  const progress = readProgress(metadata.db);
  const totals = totalsOf(logFolder, progress);
  if (!(await events.isCurrent())) throw notReady('The event store is not of this version');
  if (isPast(await events.progress(), progress)) throw notReady('The last events were processed only in part');
  return {
    identity: {
      installation: installationOf(metadata.db),
      state: stateOf([metadataPath, eventsPath, ...segmentsIn(logPath)]),
    },
    metadata: metadata.db,
    log,
    logTotals: { accepted: totals.accepted, waiting: totals.pending },
    progress,
    version: selectNumber(metadata.db, 'select max(version) from schema_version'),
    events,
  };
}

export const notReady = (why: string): MoveError =>
  new MoveError(`${why}. Start and stop a server of this version on it, then move.`);

export const selectNumber = (db: Database.Database, sql: string, ...values: unknown[]): number =>
  Number(
    db
      .prepare(sql)
      .pluck()
      .get(...values) ?? 0,
  );

function readProgress(db: Database.Database): LogProgress {
  const row = db.prepare(`select position, ahead from ingest_position where log = 'main'`).get();
  const { position, ahead } = (row ?? { position: 0, ahead: '{}' }) as { position: number; ahead: string };
  return { position, ahead: aheadFromText(ahead) };
}

/** Organization ids are unique across installations. */
function installationOf(db: Database.Database): string {
  const first = db.prepare('select id from organizations order by created_at, id limit 1').pluck().get();
  if (first === undefined) throw new MoveError('There is nothing to move: the installation has no organization yet.');
  return String(first);
}

function stateOf(paths: readonly string[]): string {
  const facts = paths.map((path) => statSync(path)).map(({ size, mtimeMs }) => [size, mtimeMs]);
  return createHash('sha256').update(JSON.stringify(facts)).digest('hex');
}
