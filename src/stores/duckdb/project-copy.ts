/**
 * A file with the data of one project, for statements of users: they run in a process of its own, which must not be able
 * to read anything else. Rows have no project id there. Where not all events fit, it has those of the newest months.
 */
import { copyFile, rename, rm, stat } from 'node:fs/promises';
import type { DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { HOT_PROPERTIES } from '../../core/events/hot-properties.ts';
import { CopyTooLarge, type ProjectCopyRequest } from '../events/project-copy.ts';
import { writeCopiedTables } from './copied-tables.ts';
import { copyPath, filesOf, quoteText, STORAGE_VERSION } from './engine.ts';
import { countMonthsToAdd } from './months-to-add.ts';
import { readNumber } from './schema.ts';

const GROUPS = [0, 1, 2, 3, 4].map((index) => `group_${index}`);
const EVENT_COLUMNS = [
  ...['uuid', 'event', 'distinct_id', 'person_id', 'timestamp', 'created_at', 'properties', 'elements_chain'],
  ...GROUPS,
  ...HOT_PROPERTIES.map((name) => `"${name}"`),
].join(', ');

/** How full a copy of the newest months is made: later events are added to it. */
const FULL = 0.8;

interface WrittenCopy {
  /** Of `event_rows`. */
  lastRow: number;
  events: number;
  eventsFrom: number | null;
}

type CopyRequest = Omit<ProjectCopyRequest, 'target'>;

/** `path`: of the event store. */
export async function writeProjectCopy(
  instance: DuckDBInstance,
  path: string,
  { target, ...request }: ProjectCopyRequest,
): Promise<WrittenCopy> {
  const file = copyPath(path);
  const connection = await instance.connect();
  try {
    const written = await write(connection, file, request);
    await rename(file, target);
    return written;
  } catch (error) {
    await removeFiles(file);
    throw error;
  } finally {
    connection.closeSync();
  }
}

async function write(connection: DuckDBConnection, file: string, request: CopyRequest): Promise<WrittenCopy> {
  const { base, isAddition, maxBytes } = request;
  const copyAll = async (eventsFrom: number | null): Promise<WrittenCopy> => {
    await removeFiles(file);
    const hasEvents = base !== null && !isAddition;
    if (hasEvents) await copyFile(base.path, file);
    const written = await writeAll(connection, file, { ...request, eventsFrom, hasEvents });
    const size = (await sizeOf(file)) + (isAddition && base !== null ? await sizeOf(base.path) : 0);
    if (size > maxBytes) throw new CopyTooLarge(size);
    return written;
  };
  if (base !== null) return copyAll(base.eventsFrom);
  const project = await estimate(connection, request.projectId);
  try {
    if (project.bytes <= maxBytes) return await copyAll(null);
  } catch (error) {
    if (!(error instanceof CopyTooLarge)) throw error;
  }
  await removeFiles(file);
  const newest = await writeNewest(connection, file, { ...request, bytesPerEvent: project.bytesPerEvent });
  return (await sizeOf(file)) <= maxBytes ? newest.written : copyAll(newest.fitting);
}

const sizeOf = async (file: string): Promise<number> => (await stat(file)).size;

const removeFiles = async (path: string): Promise<void> => {
  for (const file of filesOf(path)) await rm(file, { force: true });
};

/** Before anything is written: the project's share of the events is about its share of the file. */
async function estimate(connection: DuckDBConnection, projectId: number) {
  const used = await readNumber(
    connection,
    'select used_blocks * block_size from pragma_database_size() where database_name = current_database()',
  );
  const all = await readNumber(connection, 'select count(*) from event_rows');
  const own = await readNumber(connection, `select count(*) from event_rows where project_id = ${projectId}`);
  const bytesPerEvent = used / Math.max(all, 1);
  return { bytesPerEvent, bytes: Math.round(bytesPerEvent * own) };
}

/** `work` writes into the file; it gets the name of the schema of the event store. */
async function withFile<T>(
  connection: DuckDBConnection,
  file: string,
  work: (store: string) => Promise<T>,
): Promise<T> {
  const [[home] = []] = await (await connection.run('select current_database()')).getRowsJS();
  const store = `"${String(home).replaceAll('"', '""')}".main`;
  // Without a journal: a file that was not finished is never used.
  const options = `storage_version ${quoteText(STORAGE_VERSION)}, recovery_mode 'no_wal_writes'`;
  await connection.run(`attach ${quoteText(file)} as project_copy (${options})`);
  try {
    await connection.run('use project_copy.main');
    return await work(store);
  } finally {
    await connection.run('rollback').catch(() => undefined);
    await connection.run(`use ${store}`);
    await connection.run('detach project_copy');
  }
}

const readLastRow = (connection: DuckDBConnection, store: string): Promise<number> =>
  readNumber(connection, `select coalesce(max(rowid), -1) from ${store}.event_rows`);

interface WantedEvents {
  projectId: number;
  store: string;
  /** The last row that is not wanted, and the last that is. */
  after: number;
  lastRow: number;
  /** By their time, ms UTC. */
  from: number | null;
  until: number | null;
}

const eventsSql = ({ projectId, store, after, lastRow, from, until }: WantedEvents): string =>
  `select ${EVENT_COLUMNS} from ${store}.event_rows
    where project_id = ${projectId} and rowid > ${after} and rowid <= ${lastRow}
      ${from === null ? '' : `and timestamp >= make_timestamp_ms(${from})`}
      ${until === null ? '' : `and timestamp < make_timestamp_ms(${until})`}`;

const countEvents = (connection: DuckDBConnection): Promise<number> =>
  readNumber(connection, 'select count(*) from event_rows');

interface WriteAllOptions extends CopyRequest {
  eventsFrom: number | null;
  /** Whether the file has the events of `base`. */
  hasEvents: boolean;
}

const writeAll = (connection: DuckDBConnection, file: string, options: WriteAllOptions): Promise<WrittenCopy> =>
  withFile(connection, file, async (store) => {
    const { projectId, base, eventsFrom, hasEvents } = options;
    await connection.run('begin');
    const lastRow = await readLastRow(connection, store);
    const after = base?.lastRow ?? -1;
    const added = eventsSql({ projectId, store, after, lastRow, from: eventsFrom, until: null });
    await connection.run(hasEvents ? `insert into event_rows ${added}` : `create table event_rows as ${added}`);
    const events = await countEvents(connection);
    await writeCopiedTables(connection, { ...options, store });
    await connection.run('commit');
    return { lastRow, events, eventsFrom };
  });

interface Month {
  /** Ms UTC. */
  start: number;
  events: number;
}

interface NewestMonths {
  written: WrittenCopy;
  /** The month from which on the events do fit, if those that were written do not. */
  fitting: number | null;
}

interface WriteNewestOptions extends CopyRequest {
  /** About. */
  bytesPerEvent: number;
}

/**
 * Month by month, the newest first, for as long as they fit: only then is it known how much they take. Persons are
 * written before: once events have been moved to another person, the store forgets that there was a merge.
 */
const writeNewest = (connection: DuckDBConnection, file: string, options: WriteNewestOptions): Promise<NewestMonths> =>
  withFile(connection, file, async (store) => {
    const { projectId, maxBytes, bytesPerEvent } = options;
    await connection.run('begin');
    const lastRow = await readLastRow(connection, store);
    const months = await listMonths(connection, store, projectId);
    const newest = Math.round((months[0]?.events ?? 0) * bytesPerEvent);
    if (newest > maxBytes) throw new CopyTooLarge(newest);
    const wanted = { projectId, store, after: -1, lastRow };
    await connection.run(`create table event_rows as ${eventsSql({ ...wanted, from: null, until: null })} limit 0`);
    await writeCopiedTables(connection, { ...options, store });
    await connection.run('commit');
    const fitting = await addMonths(connection, file, { months, wanted, maxBytes });
    const events = await countEvents(connection);
    const eventsFrom = fitting === months.at(-1)?.start ? null : fitting;
    return { written: { lastRow, events, eventsFrom }, fitting };
  });

interface AddMonthsOptions {
  months: readonly Month[];
  wanted: Omit<WantedEvents, 'from' | 'until'>;
  maxBytes: number;
}

/** Returns the start of the first month that fits. Those before it may have been written, too. */
async function addMonths(
  connection: DuckDBConnection,
  file: string,
  { months, wanted, maxBytes }: AddMonthsOptions,
): Promise<number | null> {
  const sizeNow = async (): Promise<number> => {
    await connection.run('checkpoint project_copy');
    return sizeOf(file);
  };
  const empty = await sizeNow();
  let fitting: number | null = null;
  let events = 0;
  for (let taken = 0, more = 1; more > 0 && taken < months.length; ) {
    const added = months.slice(taken, taken + more);
    const from: number | null = added.at(-1)?.start ?? null;
    await connection.run(`insert into event_rows ${eventsSql({ ...wanted, from, until: fitting })}`);
    const size = await sizeNow();
    if (size > maxBytes) {
      if (fitting === null) throw new CopyTooLarge(size);
      break;
    }
    fitting = from;
    taken += more;
    events += added.reduce((sum, month) => sum + month.events, 0);
    const free = Math.max(0, maxBytes * FULL - size);
    const next = months.slice(taken).map((month) => month.events);
    more = countMonthsToAdd(next, (free * events) / Math.max(size - empty, 1));
  }
  return fitting;
}

/** The newest first. */
async function listMonths(connection: DuckDBConnection, store: string, projectId: number): Promise<Month[]> {
  const found = await connection.run(
    `select epoch_ms(date_trunc('month', timestamp)), count(*)
     from ${store}.event_rows where project_id = ${projectId} group by 1 order by 1 desc`,
  );
  return (await found.getRowsJS()).map(([start, events]) => ({ start: Number(start), events: Number(events) }));
}
