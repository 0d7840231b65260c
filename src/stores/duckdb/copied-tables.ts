/** The tables of a project's copy that are not its events. */
import { BOOLEAN, DOUBLE, type DuckDBConnection, INTEGER, TIMESTAMP, UUID, VARCHAR } from '@duckdb/node-api';
import type { CopiedCohort, CopiedDistinctId, CopiedGroup, CopiedMember, CopySource } from '../events/project-copy.ts';
import { appendChunks } from './append-chunks.ts';
import { booleanColumn, integerColumn, textColumn, timestampColumn, uuidColumn } from './column-writer.ts';
import { type Columns, chunks } from './event-rows.ts';

interface TablesSource {
  projectId: number;
  source: CopySource;
  /** The schema of the event store. */
  store: string;
}

/** Into the schema that is used. */
export async function writeCopiedTables(
  connection: DuckDBConnection,
  { projectId, source, store }: TablesSource,
): Promise<void> {
  await connection.run(`create or replace table person_overrides as
    select from_id, to_id from ${store}.person_overrides where project_id = ${projectId}`);
  await connection.run(TABLES_SQL);
  await append(connection, 'distinct_id_rows', DISTINCT_ID_COLUMNS, source.distinctIds(projectId));
  await append(connection, 'group_rows', GROUP_COLUMNS, source.groups(projectId));
  for (const cohort of await source.cohorts(projectId)) await insertCohort(connection, cohort);
  await append(connection, 'cohort_member_rows', MEMBER_COLUMNS, source.members(projectId));
  await connection.run(`create or replace table person_rows as
    select p.person_id, p.created_at, p.properties, coalesce(i.is_identified, false) as is_identified
    from ${store}.person_rows p
    left join (select person_id, bool_or(is_identified) as is_identified from distinct_id_rows group by 1) i
      on i.person_id = p.person_id
    where p.project_id = ${projectId}`);
}

const TABLES_SQL = `
  create or replace table distinct_id_rows (distinct_id varchar, person_id uuid, is_identified boolean);
  create or replace table group_rows ("index" integer, "type" varchar, "key" varchar, created_at timestamp, properties varchar);
  create or replace table cohort_rows (id integer, name varchar, is_static boolean, count integer, last_calculation timestamp);
  create or replace table cohort_member_rows (cohort_id integer, person_id uuid);`;

/** In the order of the tables' columns. */
const DISTINCT_ID_COLUMNS: Columns<CopiedDistinctId> = [
  [VARCHAR, textColumn((row) => row.distinctId)],
  [UUID, uuidColumn((row) => row.personUuid)],
  [BOOLEAN, booleanColumn((row) => row.isIdentified)],
];

const GROUP_COLUMNS: Columns<CopiedGroup> = [
  [INTEGER, integerColumn((row) => row.typeIndex)],
  [VARCHAR, textColumn((row) => row.type)],
  [VARCHAR, textColumn((row) => row.key)],
  [TIMESTAMP, timestampColumn((row) => row.createdAt)],
  [VARCHAR, textColumn((row) => row.properties)],
];

const MEMBER_COLUMNS: Columns<CopiedMember> = [
  [INTEGER, integerColumn((row) => row.cohortId)],
  [UUID, uuidColumn((row) => row.personUuid)],
];

async function append<Row>(
  connection: DuckDBConnection,
  table: string,
  columns: Columns<Row>,
  pages: AsyncIterable<readonly Row[]>,
): Promise<void> {
  for await (const page of pages) await appendChunks(connection, table, chunks(columns, page));
}

/** A project has few of them. */
async function insertCohort(connection: DuckDBConnection, cohort: CopiedCohort): Promise<void> {
  const { id, name, isStatic, count, lastCalculation } = cohort;
  await connection.run(
    'insert into cohort_rows values ($1, $2, $3, $4, make_timestamp_ms(cast($5 as bigint)))',
    [id, name, isStatic, count, lastCalculation],
    [INTEGER, VARCHAR, BOOLEAN, INTEGER, DOUBLE],
  );
}
