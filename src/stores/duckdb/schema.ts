import type { DuckDBConnection } from '@duckdb/node-api';
import type { ColumnOwner } from '../events/property-placeholders.ts';
import { aheadFromText, type LogProgress } from '../ingest/log-progress.ts';
import { columnName, TABLE_OF } from './promoted-columns.ts';

/**
 * The tables of the event store, in numbered steps, forward only. A released step is never changed.
 *
 * `properties` is compressed with zstd: half the size of DuckDB's default, for a sixth more scan time. Timestamps are
 * microseconds in UTC without a zone, which DuckDB's time functions handle fastest. There are no indexes: they would be
 * kept in memory, and queries scan columns anyway.
 */
const MIGRATION_STEPS: readonly string[] = [
  `create table event_rows (
    project_id integer not null,
    uuid uuid not null,
    event varchar not null,
    distinct_id varchar not null,
    person_id uuid not null,
    timestamp timestamp not null,
    created_at timestamp not null,
    properties varchar not null using compression zstd,
    elements_chain varchar not null,
    group_0 varchar,
    group_1 varchar,
    group_2 varchar,
    group_3 varchar,
    group_4 varchar,
    "$current_url" varchar,
    "$pathname" varchar,
    "$host" varchar,
    "$browser" varchar,
    "$os" varchar,
    "$device_type" varchar,
    "$referring_domain" varchar,
    utm_source varchar,
    utm_medium varchar,
    utm_campaign varchar,
    utm_term varchar,
    utm_content varchar,
    "$session_id" varchar,
    "$screen_name" varchar,
    "$lib" varchar
  );
  create table person_overrides (
    project_id integer not null,
    from_id uuid not null,
    to_id uuid not null
  );
  create table log_position (position bigint not null);
  insert into log_position values (0);
  create view events as
    select e.* replace (coalesce(o.to_id, e.person_id) as person_id)
    from event_rows e
    left join person_overrides o
      on o.from_id = e.person_id and o.project_id = e.project_id;`,
  // The last reassignment, and the number of events of the latest ones.
  `create table refiling_position (position bigint not null);
  insert into refiling_position values (0);
  create table refiled (id bigint not null, events bigint not null);`,
  // The copy of persons, and how far it reaches for each project.
  `create table person_rows (
    project_id integer not null,
    person_id uuid not null,
    created_at timestamp not null,
    properties varchar not null using compression zstd
  );
  create table person_positions (project_id integer not null, change bigint not null, id bigint not null);`,
  // Promoted columns, `promoted_<id>` at the end of `event_rows` or `person_rows`.
  `create table promoted_columns (
    id integer not null,
    owner varchar not null,
    key varchar not null,
    is_ready boolean not null,
    has_marks boolean not null,
    last_used bigint not null
  );`,
  // The texts of large events, in pieces (large-events.ts).
  `create table large_texts (
    project_id integer not null,
    uuid uuid not null,
    name varchar not null,
    piece integer not null,
    text varchar not null using compression zstd
  );`,
  // Projects that have been processed further than the position.
  `alter table log_position add column ahead varchar default '{}';`,
  // What the metadata store had counted at this position, and how many rows there are: losses are found by comparing.
  `alter table log_position add column received_at bigint;
  alter table log_position add column counts varchar;
  alter table log_position add column row_count bigint;
  update log_position set row_count = (select count(*) from event_rows);`,
  // Sessions of sites, kept from the first question about them on (session-rows.ts).
  `create table session_rows (
    project_id integer not null,
    session varchar not null,
    labels_included integer not null,
    started bigint not null,
    ended bigint not null,
    views integer not null,
    hits integer not null,
    person_id uuid not null,
    entry varchar not null,
    exit varchar not null,
    utm_source varchar not null,
    utm_medium varchar not null,
    utm_campaign varchar not null,
    utm_term varchar not null,
    utm_content varchar not null,
    sent_referrer varchar not null,
    site varchar not null,
    url varchar not null,
    clicks varchar not null,
    device varchar not null,
    browser varchar not null,
    browser_version varchar not null,
    os varchar not null,
    country varchar not null,
    region varchar not null,
    city varchar not null,
    language varchar not null,
    screen_size varchar not null,
    host varchar not null
  );
  create table stale_sessions (project_id integer not null, session varchar not null, since timestamp not null);
  create table loose_view_days (project_id integer not null, day integer not null);
  create table session_state (is_kept boolean not null, made_until timestamp);
  insert into session_state values (false, null);`,
  // Numbers for visitors and texts of sessions, and a row for each view, so that sites are counted without texts.
  `drop table session_rows;
  create table session_rows (
    project_id integer not null,
    session varchar not null,
    labels_included integer not null,
    started bigint not null,
    ended bigint not null,
    views integer not null,
    hits integer not null,
    person_id uuid not null,
    entry varchar not null,
    exit varchar not null,
    utm_source varchar not null,
    utm_medium varchar not null,
    utm_campaign varchar not null,
    utm_term varchar not null,
    utm_content varchar not null,
    sent_referrer varchar not null,
    site varchar not null,
    url varchar not null,
    clicks varchar not null,
    device varchar not null,
    browser varchar not null,
    browser_version varchar not null,
    os varchar not null,
    country varchar not null,
    region varchar not null,
    city varchar not null,
    language varchar not null,
    screen_size varchar not null,
    host varchar not null,
    number bigint not null,
    visitor integer not null,
    channel_code integer not null,
    entry_code integer not null,
    exit_code integer not null,
    utm_source_code integer not null,
    utm_medium_code integer not null,
    utm_campaign_code integer not null,
    utm_term_code integer not null,
    utm_content_code integer not null,
    device_code integer not null,
    browser_code integer not null,
    browser_version_code integer not null,
    os_code integer not null,
    country_code integer not null,
    region_code integer not null,
    city_code integer not null,
    language_code integer not null,
    screen_size_code integer not null,
    host_code integer not null
  );
  create table view_rows (
    project_id integer not null,
    session bigint not null,
    visitor integer not null,
    page integer not null,
    label integer not null,
    happened bigint not null
  );
  create table session_texts (project_id integer not null, code integer not null, text varchar not null);
  create table session_visitors (
    project_id integer not null,
    number integer not null,
    person_id uuid not null,
    first_view bigint
  );
  delete from stale_sessions;
  delete from loose_view_days;
  update session_state set made_until = (select min(timestamp) from event_rows) where is_kept;`,
  // A row for each event that tells how a page was read, so that numbers need not be found in texts again.
  `create table read_rows (
    project_id integer not null,
    session bigint not null,
    page integer not null,
    label integer not null,
    happened bigint not null,
    seconds double,
    share double
  );
  delete from session_rows;
  delete from view_rows;
  delete from session_texts;
  delete from session_visitors;
  delete from stale_sessions;
  delete from loose_view_days;
  update session_state set made_until = (select min(timestamp) from event_rows) where is_kept;`,
];

export const SCHEMA_VERSION = MIGRATION_STEPS.length;

/** All tables, for copies; `migrateDuckDb` creates the views and the version. */
export const TABLES = [
  'event_rows',
  'person_overrides',
  'log_position',
  'refiling_position',
  'refiled',
  'person_rows',
  'person_positions',
  'promoted_columns',
  'large_texts',
  'session_rows',
  'view_rows',
  'read_rows',
  'session_texts',
  'session_visitors',
  'stale_sessions',
  'loose_view_days',
  'session_state',
] as const;

export async function migrateDuckDb(connection: DuckDBConnection, path: string): Promise<void> {
  await connection.run('create table if not exists schema_version (version integer not null)');
  const version = await readNumber(connection, 'select coalesce(max(version), 0) from schema_version');
  if (version > MIGRATION_STEPS.length) {
    throw new Error(
      `The event store ${path} was written by a newer version of Cairn (schema ${version}, this one knows ` +
        `${MIGRATION_STEPS.length}). Start that version, or restore a backup from before the upgrade.`,
    );
  }
  // Steps do not know promoted columns; used properties are promoted again.
  if (version >= FIRST_PROMOTED_VERSION && version < LAST_COLUMN_VERSION) await dropPromoted(connection);
  for (const [i, step] of MIGRATION_STEPS.entries()) {
    if (i >= version) await applyStep(connection, step, i + 1);
  }
}

/** The first version with promoted columns. */
const FIRST_PROMOTED_VERSION = 4;
/** The last version that may have changed tables with promoted columns. */
const LAST_COLUMN_VERSION = 7;

async function dropPromoted(connection: DuckDBConnection): Promise<void> {
  for (const { name, table } of await readPromotedNames(connection, 'promoted_columns')) {
    await connection.run(`alter table ${table} drop column if exists ${name}`);
  }
  await connection.run('delete from promoted_columns');
}

/** Adds the promoted columns of one file to the tables of another, in the same order. */
export async function addPromoted(connection: DuckDBConnection, promotedColumns: string): Promise<void> {
  for (const { name, table } of await readPromotedNames(connection, promotedColumns)) {
    await connection.run(`alter table ${table} add column ${name} varchar`);
  }
}

async function readPromotedNames(connection: DuckDBConnection, from: string) {
  const rows = await (await connection.run(`select id, owner from ${from} order by id`)).getRowsJS();
  return rows.map(([id, owner]) => ({ name: columnName({ id: Number(id) }), table: TABLE_OF[owner as ColumnOwner] }));
}

async function applyStep(connection: DuckDBConnection, step: string, version: number): Promise<void> {
  await connection.run('begin');
  try {
    await connection.run(step);
    await connection.run('insert into schema_version values ($1)', [version]);
    await connection.run('commit');
  } catch (error) {
    await connection.run('rollback');
    throw error;
  }
}

export async function readStoredProgress(connection: DuckDBConnection): Promise<LogProgress> {
  const [row] = await (await connection.run('select position, ahead from log_position')).getRowsJS();
  return { position: Number(row?.[0] ?? 0), ahead: aheadFromText(String(row?.[1] ?? '{}')) };
}

/** Adds to the number of rows that the file should have, in the transaction that changes them. */
export async function countRows(connection: DuckDBConnection, change: number): Promise<void> {
  if (change !== 0) await connection.run('update log_position set row_count = row_count + $1', [change]);
}

export async function readNumber(connection: DuckDBConnection, sql: string): Promise<number> {
  const rows = await (await connection.run(sql)).getRowsJS();
  return Number(rows[0]?.[0] ?? 0);
}
