/** The tables of a project's copy that are not its events. */
import { BOOLEAN, type DuckDBConnection, type DuckDBType, INTEGER, TIMESTAMP, UUID, VARCHAR } from '@duckdb/node-api';
import type { CopiedCohort, CopiedDistinctId, CopiedGroup, CopiedMember, CopySource } from '../events/project-copy.ts';

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
  await writeMetadata(connection, projectId, source);
  await connection.run(`create or replace table person_rows as
    select p.person_id, p.created_at, p.properties, coalesce(i.is_identified, false) as is_identified
    from ${store}.person_rows p
    left join (select person_id, bool_or(is_identified) as is_identified from distinct_id_rows group by 1) i
      on i.person_id = p.person_id
    where p.project_id = ${projectId}`);
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
