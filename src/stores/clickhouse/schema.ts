/**
 * The tables, for one server and for a cluster.
 *
 * _Times are 64-bit milliseconds_: ClickHouse's own type is limited to the years 1900 to 2299, but device clocks are not.
 * `happened_at` is for humans.
 *
 * _Order._ Nearly every query has a project, some events and a range of days. The rest of the order keeps a person's
 * events of a day together, by distinct id: `person_id` can change, but sort keys cannot.
 *
 * _In a cluster_ events are sharded by person, and `event_rows` reads all shards. Most events of a person are on one
 * shard, so grouping by person transfers little. Merged persons may be on two; nothing relies on that. Persons,
 * overrides and notes are few: every node has all of them.
 */
import { HOT_PROPERTIES } from '../../core/events/hot-properties.ts';
import { clickhousePromotedText } from './property-sql.ts';

export interface Topology {
  /** The cluster's name; null: one server. */
  cluster: string | null;
}

/** Number of insert tokens that ClickHouse keeps. Only the last insert is ever repeated. */
const DEDUPLICATION_WINDOW = 1000;
/** And for how long, on a cluster: longer than a worker is ever down. */
const DEDUPLICATION_WINDOW_SECONDS = 90 * 86_400;

const LOW_CARDINALITY = new Set<string>([
  ...['$host', '$browser', '$os', '$device_type', '$referring_domain', '$lib'],
  ...['utm_source', 'utm_medium', 'utm_campaign', 'utm_term', 'utm_content'],
]);

const GROUPS = [0, 1, 2, 3, 4].map((index) => `group_${index}`);

/** The columns of events, without promoted ones. */
export const EVENT_COLUMNS: readonly string[] = [
  ...['project_id', 'uuid', 'event', 'distinct_id', 'person_id', 'timestamp', 'created_at', 'properties'],
  ...['elements_chain', ...GROUPS, ...HOT_PROPERTIES],
];

const PERSON_COLUMNS: readonly string[] = ['project_id', 'person_id', 'created_at', 'properties'];

const quoteIdentifier = (name: string): string => `"${name}"`;

/** The cluster's name was checked at start. */
const onCluster = ({ cluster }: Topology): string =>
  cluster === null ? '' : ` on cluster ${quoteIdentifier(cluster)}`;

const localTable = ({ cluster }: Topology, table: StoredTable): string =>
  cluster !== null && table === 'event_rows' ? 'event_rows_local' : table;

/** The table name in `create` statements. */
const tableOnCluster = (topology: Topology, table: StoredTable): string =>
  localTable(topology, table) + onCluster(topology);

/**
 * The table name in `alter table …` and `delete from …`. Events are changed on every shard; the other tables are
 * replicated to all nodes.
 */
export const mutableTable = (topology: Topology, table: StoredTable): string =>
  table === 'event_rows' ? tableOnCluster(topology, table) : table;

/** A system table of all nodes. */
export const systemTable = ({ cluster }: Topology, name: 'parts' | 'mutations'): string =>
  cluster === null ? `system.${name}` : `clusterAllReplicas('${cluster}', system.${name})`;

type StoredTable = 'event_rows' | 'person_versions' | 'person_override_rows' | 'store_notes';

type Spread = 'by shard' | 'everywhere';

function engine({ cluster }: Topology, name: 'MergeTree' | 'ReplacingMergeTree', spread: Spread, version = ''): string {
  if (cluster === null) return `${name}(${version})`;
  const [path, replica] =
    spread === 'by shard'
      ? ['/clickhouse/tables/{uuid}/{shard}', '{replica}']
      : ['/clickhouse/tables/{uuid}/all', '{shard}-{replica}'];
  return `Replicated${name}('${path}', '${replica}'${version === '' ? '' : `, ${version}`})`;
}

/** Inserts wait for the disk: the sender deletes the data after that. */
const DURABLE = 'fsync_after_insert = 1, fsync_part_directory = 1';

const deduplicationSettings = ({ cluster }: Topology): string =>
  cluster === null
    ? `non_replicated_deduplication_window = ${DEDUPLICATION_WINDOW}`
    : `replicated_deduplication_window = ${DEDUPLICATION_WINDOW}, replicated_deduplication_window_seconds = ${DEDUPLICATION_WINDOW_SECONDS}`;

const hotColumn = (name: string): string =>
  LOW_CARDINALITY.has(name)
    ? `${quoteIdentifier(name)} LowCardinality(Nullable(String))`
    : `${quoteIdentifier(name)} Nullable(String) codec(ZSTD(1))`;

const MONTH = `toYYYYMM(fromUnixTimestamp64Milli(least(greatest(timestamp, 946684800000), 4102444799999), 'UTC'))`;

const eventRows = (
  topology: Topology,
): string => `create table if not exists ${tableOnCluster(topology, 'event_rows')} (
    project_id Int32,
    uuid UUID,
    event LowCardinality(String),
    distinct_id String codec(ZSTD(1)),
    person_id UUID,
    timestamp Int64 codec(Delta, ZSTD(1)),
    created_at Int64 codec(Delta, ZSTD(1)),
    properties String codec(ZSTD(3)),
    elements_chain String codec(ZSTD(3)),
    ${GROUPS.map((name) => `${name} Nullable(String) codec(ZSTD(1))`).join(', ')},
    ${HOT_PROPERTIES.map(hotColumn).join(', ')},
    happened_at DateTime64(3, 'UTC') alias fromUnixTimestamp64Milli(timestamp, 'UTC'),
    index by_uuid uuid type bloom_filter(0.01) granularity 4,
    index by_person person_id type bloom_filter(0.01) granularity 4
  )
  engine = ${engine(topology, 'MergeTree', 'by shard')}
  partition by ${MONTH}
  primary key (project_id, event, intDiv(timestamp, 86400000))
  order by (project_id, event, intDiv(timestamp, 86400000), distinct_id, timestamp)
  settings ${deduplicationSettings(topology)}, ${DURABLE}`;

const allShards = (
  topology: Topology,
): string => `create table if not exists event_rows${onCluster(topology)} as event_rows_local
  engine = Distributed(${quoteIdentifier(topology.cluster ?? '')}, currentDatabase(), event_rows_local, cityHash64(project_id, person_id))`;

/** A row that points at itself means that the override was removed. */
const overrideRows = (
  topology: Topology,
): string => `create table if not exists ${tableOnCluster(topology, 'person_override_rows')} (
    project_id Int32,
    from_id UUID,
    to_id UUID,
    position Int64,
    version UInt64
  )
  engine = ${engine(topology, 'ReplacingMergeTree', 'everywhere', 'version')}
  order by (project_id, from_id)
  settings ${DURABLE}`;

const personVersions = (
  topology: Topology,
): string => `create table if not exists ${tableOnCluster(topology, 'person_versions')} (
    project_id Int32,
    person_id UUID,
    created_at Int64,
    properties String codec(ZSTD(3)),
    version UInt64,
    is_gone UInt8
  )
  engine = ${engine(topology, 'ReplacingMergeTree', 'everywhere', 'version, is_gone')}
  order by (project_id, person_id)
  settings ${DURABLE}`;

/** Key-value pairs; the last one wins, and an empty value means deleted. */
const storeNotes = (
  topology: Topology,
): string => `create table if not exists ${tableOnCluster(topology, 'store_notes')} (
    name String,
    value String
  )
  engine = ${engine(topology, 'ReplacingMergeTree', 'everywhere')}
  order by name
  settings ${DURABLE}`;

const overridesView = (topology: Topology): string => `create or replace view person_overrides${onCluster(topology)} as
  select project_id, from_id, to_id from person_override_rows final where from_id != to_id`;

/** Views with promoted columns. A join with an empty table costs next to nothing. */
export function viewStatements(
  topology: Topology,
  promoted: { event: readonly string[]; person: readonly string[] },
): string[] {
  const columns = [...EVENT_COLUMNS, ...promoted.event].map((name) =>
    name === 'person_id'
      ? 'ifNull(o.to_id, e.person_id) as person_id'
      : `e.${quoteIdentifier(name)} as ${quoteIdentifier(name)}`,
  );
  const ofPersons = [...PERSON_COLUMNS, ...promoted.person].map(quoteIdentifier).join(', ');
  return [
    `create or replace view events${onCluster(topology)} as
    select ${columns.join(', ')}
    from event_rows e
    left join person_overrides o on o.project_id = e.project_id and o.from_id = e.person_id
    settings join_use_nulls = 1`,
    `create or replace view person_rows${onCluster(topology)} as
    select ${ofPersons} from person_versions final`,
  ];
}

/** In a cluster, the distributed table needs the column too. */
const tablesOf = (topology: Topology, table: StoredTable): string[] =>
  topology.cluster !== null && table === 'event_rows'
    ? [mutableTable(topology, table), `event_rows${onCluster(topology)}`]
    : [mutableTable(topology, table)];

export const addColumnStatements = (topology: Topology, table: StoredTable, column: string, key: string): string[] =>
  tablesOf(topology, table).map(
    (name) =>
      `alter table ${name} add column if not exists ${column} Nullable(String) materialized ${clickhousePromotedText(key)} codec(ZSTD(1))`,
  );

/** The distributed table first: it must not read a dropped column. */
export const dropColumnStatements = (topology: Topology, table: StoredTable, column: string): string[] =>
  tablesOf(topology, table)
    .toReversed()
    .map((name) => `alter table ${name} drop column if exists ${column}`);

/** Forward only; a released step is never changed. */
export const migrationSteps = (topology: Topology): readonly (readonly string[])[] => [
  [
    storeNotes(topology),
    eventRows(topology),
    ...(topology.cluster === null ? [] : [allShards(topology)]),
    overrideRows(topology),
    personVersions(topology),
    overridesView(topology),
    ...viewStatements(topology, { event: [], person: [] }),
  ],
];
