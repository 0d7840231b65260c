/**
 * A file with the data of one project, for statements of users: they run in a process of its own, which must not be able
 * to read anything else. Rows have no project id there.
 */
import { copyFile, rename, rm, stat } from 'node:fs/promises';
import {
  BOOLEAN,
  type DuckDBConnection,
  type DuckDBInstance,
  type DuckDBType,
  INTEGER,
  TIMESTAMP,
  UUID,
  VARCHAR,
} from '@duckdb/node-api';
import { HOT_PROPERTIES } from '../../core/events/hot-properties.ts';
import {
  type CopiedCohort,
  type CopiedDistinctId,
  type CopiedGroup,
  type CopiedMember,
  type CopySource,
  CopyTooLarge,
  type ProjectCopyRequest,
} from '../events/project-copy.ts';
import { copyPath, filesOf, quoteText, STORAGE_VERSION } from './engine.ts';
import { readNumber } from './schema.ts';

const GROUPS = [0, 1, 2, 3, 4].map((index) => `group_${index}`);
const EVENT_COLUMNS = [
  ...['uuid', 'event', 'distinct_id', 'person_id', 'timestamp', 'created_at', 'properties', 'elements_chain'],
  ...GROUPS,
  ...HOT_PROPERTIES.map((name) => `"${name}"`),
].join(', ');

/** `lastRow`: of `event_rows`. */
interface WrittenCopy {
  lastRow: number;
  events: number;
}

/** `path`: of the event store. */
export async function writeProjectCopy(
  instance: DuckDBInstance,
  path: string,
  { projectId, target, source, base, isAddition, maxBytes }: ProjectCopyRequest,
): Promise<WrittenCopy> {
  const unfinished = copyPath(path);
  await removeFiles(unfinished);
  if (base !== null && !isAddition) await copyFile(base.path, unfinished);
  const connection = await instance.connect();
  try {
    if (base === null) await requireRoom(connection, path, projectId, maxBytes);
    const hasEvents = base !== null && !isAddition;
    const written = await fill(connection, unfinished, { projectId, source, after: base?.lastRow ?? -1, hasEvents });
    const sizes = await Promise.all([unfinished, ...(isAddition && base ? [base.path] : [])].map((file) => stat(file)));
    const size = sizes.reduce((sum, one) => sum + one.size, 0);
    if (size > maxBytes) throw new CopyTooLarge(size);
    await rename(unfinished, target);
    return written;
  } catch (error) {
    await removeFiles(unfinished);
    throw error;
  } finally {
    connection.closeSync();
  }
}

/** Before anything is written: the project's share of the rows is about its share of the file. */
async function requireRoom(
  connection: DuckDBConnection,
  path: string,
  projectId: number,
  maxBytes: number,
): Promise<void> {
  const { size } = await stat(path);
  if (size <= maxBytes) return;
  const share = await readNumber(
    connection,
    `select count(*) filter (where project_id = ${projectId}) / greatest(count(*), 1) from event_rows`,
  );
  const bytes = Math.round(size * share);
  if (bytes > maxBytes) throw new CopyTooLarge(bytes);
}

const removeFiles = async (path: string): Promise<void> => {
  for (const file of filesOf(path)) await rm(file, { force: true });
};

interface FillOptions {
  projectId: number;
  source: CopySource;
  /** The last row that is not wanted. */
  after: number;
  /** Whether the file has the events up to there. */
  hasEvents: boolean;
}

async function fill(connection: DuckDBConnection, file: string, options: FillOptions): Promise<WrittenCopy> {
  const { projectId, source, after, hasEvents } = options;
  const [[home] = []] = await (await connection.run('select current_database()')).getRowsJS();
  const store = `"${String(home).replaceAll('"', '""')}".main`;
  await connection.run(`attach ${quoteText(file)} as project_copy (storage_version ${quoteText(STORAGE_VERSION)})`);
  try {
    await connection.run('use project_copy.main');
    await connection.run('begin');
    const lastRow = await readNumber(connection, `select coalesce(max(rowid), -1) from ${store}.event_rows`);
    const added = `select ${EVENT_COLUMNS} from ${store}.event_rows
      where project_id = ${projectId} and rowid > ${after} and rowid <= ${lastRow}`;
    await connection.run(hasEvents ? `insert into event_rows ${added}` : `create table event_rows as ${added}`);
    const events = await readNumber(connection, 'select count(*) from event_rows');
    await connection.run(`create or replace table person_overrides as
      select from_id, to_id from ${store}.person_overrides where project_id = ${projectId}`);
    await writeMetadata(connection, projectId, source);
    await connection.run(`create or replace table person_rows as
      select p.person_id, p.created_at, p.properties, coalesce(i.is_identified, false) as is_identified
      from ${store}.person_rows p
      left join (select person_id, bool_or(is_identified) as is_identified from distinct_id_rows group by 1) i
        on i.person_id = p.person_id
      where p.project_id = ${projectId}`);
    await connection.run('commit');
    return { lastRow, events };
  } finally {
    await connection.run('rollback').catch(() => undefined);
    await connection.run(`use ${store}`);
    await connection.run('detach project_copy');
  }
}

async function writeMetadata(connection: DuckDBConnection, projectId: number, source: CopySource): Promise<void> {
  await writeTable<CopiedDistinctId>(connection, 'distinct_id_rows', source.distinctIds(projectId), [
    ['distinct_id', VARCHAR, (row) => row.distinctId],
    ['person_id', UUID, (row) => row.personUuid],
    ['is_identified', BOOLEAN, (row) => row.isIdentified],
  ]);
  await writeTable<CopiedGroup>(connection, 'group_rows', source.groups(projectId), [
    ['index', INTEGER, (row) => row.typeIndex],
    ['type', VARCHAR, (row) => row.type],
    ['key', VARCHAR, (row) => row.key],
    ['created_at', TIMESTAMP, (row) => row.createdAt],
    ['properties', VARCHAR, (row) => row.properties],
  ]);
  await writeTable<CopiedCohort>(
    connection,
    'cohort_rows',
    [await source.cohorts(projectId)],
    [
      ['id', INTEGER, (row) => row.id],
      ['name', VARCHAR, (row) => row.name],
      ['is_static', BOOLEAN, (row) => row.isStatic],
      ['count', INTEGER, (row) => row.count],
      ['last_calculation', TIMESTAMP, (row) => row.lastCalculation],
    ],
  );
  await writeTable<CopiedMember>(connection, 'cohort_member_rows', source.members(projectId), [
    ['cohort_id', INTEGER, (row) => row.cohortId],
    ['person_id', UUID, (row) => row.personUuid],
  ]);
}

type CopyColumn<Row> = readonly [name: string, type: DuckDBType, read: (row: Row) => string | number | boolean | null];

/** Rows go through one JSON text a page, which is quick enough for what is small beside the events. */
async function writeTable<Row>(
  connection: DuckDBConnection,
  table: string,
  pages: Iterable<readonly Row[]> | AsyncIterable<readonly Row[]>,
  columns: readonly CopyColumn<Row>[],
): Promise<void> {
  const defined = columns.map(([name, type]) => `"${name}" ${type}`).join(', ');
  await connection.run(`create or replace table ${table} (${defined})`);
  const values = columns.map(([, type], i) => {
    const text = `json_extract_string(r, '$[${i}]')`;
    return type === TIMESTAMP ? `make_timestamp_ms(cast(${text} as bigint))` : `cast(${text} as ${type})`;
  });
  for await (const page of pages) {
    if (page.length === 0) continue;
    const rows = page.map((row) => JSON.stringify(columns.map(([, , read]) => read(row))));
    await connection.run(
      `insert into ${table} select ${values.join(', ')} from (select unnest(from_json($1::json, '["json"]')) as r)`,
      [`[${rows.join(',')}]`],
    );
  }
}
