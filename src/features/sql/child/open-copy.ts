/** Opens a copy of one project's data so that a statement can read it, and nothing else. */
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { HOT_PROPERTIES } from '../../../core/events/hot-properties.ts';
import { EVENTS_WITH_PERSONS, EVENTS_WITHOUT_PERSONS } from '../rules/views.ts';
import type { ChildLimits } from './protocol.ts';

export interface OpenCopy {
  connection: DuckDBConnection;
  close(): void;
}

interface CopyFiles {
  /** Null: tables without rows, to check a statement against. */
  path: string | null;
  /** A file with earlier events. */
  earlier: string | null;
}

export async function openCopy({ path, earlier }: CopyFiles, { memoryMb, threads }: ChildLimits): Promise<OpenCopy> {
  const instance = await DuckDBInstance.create(path ?? ':memory:', {
    ...(path === null ? {} : { access_mode: 'READ_ONLY' }),
    memory_limit: `${memoryMb}MB`,
    threads: String(threads),
    temp_directory: '',
    autoinstall_known_extensions: 'false',
    autoload_known_extensions: 'false',
  });
  try {
    const connection = await instance.connect();
    await connection.run(`set global TimeZone = 'UTC'`);
    if (path === null) await connection.run(EMPTY_TABLES_SQL);
    if (earlier !== null) {
      await connection.run(`attach '${earlier.replaceAll("'", "''")}' as earlier (read_only)`);
    }
    await connection.run(`create temp view all_event_rows as select * from event_rows
      ${earlier === null ? '' : 'union all select * from earlier.main.event_rows'}`);
    await connection.run(VIEWS_SQL);
    await connection.run('set global enable_external_access = false');
    await connection.run('set global lock_configuration = true');
    return {
      connection,
      close() {
        connection.closeSync();
        instance.closeSync();
      },
    };
  } catch (error) {
    instance.closeSync();
    throw error;
  }
}

const GROUPS = [0, 1, 2, 3, 4].map((index) => `e.group_${index} as "$group_${index}"`);
const HOT = HOT_PROPERTIES.map((name) => `e."${name}"`);
const OWN_COLUMNS = `e.properties, e.elements_chain, ${[...GROUPS, ...HOT].join(', ')}`;
const FIRST_COLUMNS = 'e.uuid, e.event, e.timestamp, e.created_at, e.distinct_id';
const EVENT_COLUMNS = `${FIRST_COLUMNS}, coalesce(o.to_id, e.person_id) as person_id, ${OWN_COLUMNS}`;
const EVENTS_FROM = 'from all_event_rows e left join person_overrides o on o.from_id = e.person_id';

const first = (value: string): string =>
  `arg_min(${value}, (timestamp, uuid)) filter (where event in ('$pageview', '$screen'))`;
const last = (value: string, among = 'true'): string => `arg_max(${value}, (timestamp, uuid)) filter (where ${among})`;
const UTM = ['source', 'medium', 'campaign', 'term', 'content'].map(
  (name) => `${first(`utm_${name}`)} as "$entry_utm_${name}"`,
);

/** Views of this connection only: the file is read-only. */
const VIEWS_SQL = `
  create temp view events as select ${EVENT_COLUMNS} ${EVENTS_FROM};
  create temp view ${EVENTS_WITHOUT_PERSONS} as select ${FIRST_COLUMNS}, ${OWN_COLUMNS} from all_event_rows e;
  create temp view ${EVENTS_WITH_PERSONS} as
    select ${EVENT_COLUMNS}, p.properties as person_properties ${EVENTS_FROM}
    left join person_rows p on p.person_id = coalesce(o.to_id, e.person_id);
  create temp view persons as
    select person_id as id, created_at, properties, is_identified from person_rows;
  create temp view person_distinct_ids as select distinct_id, person_id from distinct_id_rows;
  create temp view sessions as
    select "$session_id" as session_id, ${last('distinct_id')} as distinct_id, ${last('person_id')} as person_id,
      min(timestamp) as "$start_timestamp", max(timestamp) as "$end_timestamp",
      date_diff('second', min(timestamp), max(timestamp)) as "$session_duration",
      count(*) as "$event_count", count(*) filter (where event = '$pageview') as "$pageview_count",
      ${first('"$current_url"')} as "$entry_current_url",
      ${last('"$current_url"', `event in ('$pageview', '$screen')`)} as "$end_current_url",
      ${first('"$referring_domain"')} as "$entry_referring_domain", ${UTM.join(', ')},
      count(*) filter (where event in ('$pageview', '$screen')) <= 1
        and max(timestamp) - min(timestamp) < interval 10 second as "$is_bounce"
    from events where "$session_id" <> '' group by "$session_id";
  create temp view feature_flag_calls as
    select uuid, timestamp, created_at, distinct_id, person_id,
      json_extract_string(properties, '/$feature_flag') as flag,
      json_extract_string(properties, '/$feature_flag_response') as response, properties
    from events where event = '$feature_flag_called';
  create temp view groups as select index, type, key, created_at, properties from group_rows;
  create temp view cohorts as select id, name, is_static, count, last_calculation from cohort_rows;
  create temp view cohort_people as select cohort_id, person_id from cohort_member_rows;`;

const TEXTS = [
  ...['distinct_id', 'properties', 'elements_chain', 'group_0', 'group_1', 'group_2', 'group_3', 'group_4'],
  ...HOT_PROPERTIES.map((name) => `"${name}"`),
];

/** As in `stores/duckdb/project-copy.ts`. */
const EMPTY_TABLES_SQL = `
  create table event_rows (uuid uuid, event varchar, person_id uuid, timestamp timestamp, created_at timestamp,
    ${TEXTS.map((name) => `${name} varchar`).join(', ')});
  create table person_overrides (from_id uuid, to_id uuid);
  create table person_rows (person_id uuid, created_at timestamp, properties varchar, is_identified boolean);
  create table distinct_id_rows (distinct_id varchar, person_id uuid, is_identified boolean);
  create table group_rows ("index" integer, "type" varchar, "key" varchar, created_at timestamp, properties varchar);
  create table cohort_rows (id integer, name varchar, is_static boolean, count integer, last_calculation timestamp);
  create table cohort_member_rows (cohort_id integer, person_id uuid);`;
