/**
 * The tables, for one server and for a cluster.
 *
 * _Times are milliseconds in 64 bits_, as everywhere else here: ClickHouse's own type ends in the years 1900 and 2299,
 * and devices' clocks do not. `happened_at` shows them to people.
 *
 * _Order._ Nearly every question names a project, some events and a range of days. What is left of the order puts one
 * person's events of a day together, by distinct id: `person_id` changes when events are refiled, and what a table is
 * ordered by cannot change. Events of all names in a range are told by the partitions, and by the days within a name.
 *
 * _In a cluster_ events are spread over shards by person, each shard with its replicas; `event_rows` asks them all.
 * Most of what somebody did lies on one shard, so grouping by person sends little around. Merged persons may lie on
 * two, and nothing relies on them not doing so. Persons, overrides and notes are few: every node has all of them.
 */
import { HOT_PROPERTIES } from '../../core/events/hot-properties.ts';
import { clickhousePromotedText } from './property-sql.ts';

export interface Topology {
  /** The cluster's name; null: one server. */
  cluster: string | null;
}

/** ClickHouse remembers the tokens of so many inserts. Only the last one is ever repeated. */
const DEDUPLICATION_WINDOW = 1000;
/** On a cluster also for so long: longer than anybody leaves a worker switched off. */
const DEDUPLICATION_WINDOW_SECONDS = 90 * 86_400;

const LOW_CARDINALITY = new Set<string>([
  ...['$host', '$browser', '$os', '$device_type', '$referring_domain', '$lib'],
  ...['utm_source', 'utm_medium', 'utm_campaign', 'utm_term', 'utm_content'],
]);

const GROUPS = [0, 1, 2, 3, 4].map((index) => `group_${index}`);

/** The columns of events as questions know them, beside promoted ones. */
export const EVENT_COLUMNS: readonly string[] = [
  ...['project_id', 'uuid', 'event', 'distinct_id', 'person_id', 'timestamp', 'created_at', 'properties'],
  ...['elements_chain', ...GROUPS, ...HOT_PROPERTIES],
];

const PERSON_COLUMNS: readonly string[] = ['project_id', 'person_id', 'created_at', 'properties'];

const quoteIdentifier = (name: string): string => `"${name}"`;

/** The name of a cluster comes from a setting and has been checked to be a plain word. */
const onCluster = ({ cluster }: Topology): string =>
  cluster === null ? '' : ` on cluster ${quoteIdentifier(cluster)}`;

const localTable = ({ cluster }: Topology, table: StoredTable): string =>
  cluster !== null && table === 'event_rows' ? 'event_rows_local' : table;

/** A table as the statement names it that makes it. */
const tableOnCluster = (place: Topology, table: StoredTable): string => localTable(place, table) + onCluster(place);

/**
 * A table as statements name it that change it in its place: `alter table …`, `delete from …`. Every shard is told to
 * change its events; the other tables are one, and what is changed at one node reaches all.
 */
export const mutableTable = (place: Topology, table: StoredTable): string =>
  table === 'event_rows' ? tableOnCluster(place, table) : table;

/** What every node says about itself, of all nodes. */
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

/** A part is on disk before its insert is acknowledged: whoever sent it forgets it then. */
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

const eventRows = (place: Topology): string => `create table if not exists ${tableOnCluster(place, 'event_rows')} (
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
  engine = ${engine(place, 'MergeTree', 'by shard')}
  partition by ${MONTH}
  primary key (project_id, event, intDiv(timestamp, 86400000))
  order by (project_id, event, intDiv(timestamp, 86400000), distinct_id, timestamp)
  settings ${deduplicationSettings(place)}, ${DURABLE}`;

const allShards = (
  place: Topology,
): string => `create table if not exists event_rows${onCluster(place)} as event_rows_local
  engine = Distributed(${quoteIdentifier(place.cluster ?? '')}, currentDatabase(), event_rows_local, cityHash64(project_id, person_id))`;

/** Who took over whose events; somebody who points at themselves is nobody's past any more. */
const overrideRows = (
  place: Topology,
): string => `create table if not exists ${tableOnCluster(place, 'person_override_rows')} (
    project_id Int32,
    from_id UUID,
    to_id UUID,
    position Int64,
    version UInt64
  )
  engine = ${engine(place, 'ReplacingMergeTree', 'everywhere', 'version')}
  order by (project_id, from_id)
  settings ${DURABLE}`;

const personVersions = (
  place: Topology,
): string => `create table if not exists ${tableOnCluster(place, 'person_versions')} (
    project_id Int32,
    person_id UUID,
    created_at Int64,
    properties String codec(ZSTD(3)),
    version UInt64,
    is_gone UInt8
  )
  engine = ${engine(place, 'ReplacingMergeTree', 'everywhere', 'version, is_gone')}
  order by (project_id, person_id)
  settings ${DURABLE}`;

/** What the store remembers for itself, by name; the last word counts, and an empty one means: forgotten. */
const storeNotes = (place: Topology): string => `create table if not exists ${tableOnCluster(place, 'store_notes')} (
    name String,
    value String
  )
  engine = ${engine(place, 'ReplacingMergeTree', 'everywhere')}
  order by name
  settings ${DURABLE}`;

const overridesView = (place: Topology): string => `create or replace view person_overrides${onCluster(place)} as
  select project_id, from_id, to_id from person_override_rows final where from_id != to_id`;

/** The views that show promoted columns too. A join with nothing on its right costs next to nothing. */
export function viewStatements(
  place: Topology,
  promoted: { event: readonly string[]; person: readonly string[] },
): string[] {
  const columns = [...EVENT_COLUMNS, ...promoted.event].map((name) =>
    name === 'person_id'
      ? 'ifNull(o.to_id, e.person_id) as person_id'
      : `e.${quoteIdentifier(name)} as ${quoteIdentifier(name)}`,
  );
  const ofPersons = [...PERSON_COLUMNS, ...promoted.person].map(quoteIdentifier).join(', ');
  return [
    `create or replace view events${onCluster(place)} as
    select ${columns.join(', ')}
    from event_rows e
    left join person_overrides o on o.project_id = e.project_id and o.from_id = e.person_id
    settings join_use_nulls = 1`,
    `create or replace view person_rows${onCluster(place)} as
    select ${ofPersons} from person_versions final`,
  ];
}

/** A cluster's table for all shards has to know its columns too, and that nobody writes them. */
const tablesOf = (place: Topology, table: StoredTable): string[] =>
  place.cluster !== null && table === 'event_rows'
    ? [mutableTable(place, table), `event_rows${onCluster(place)}`]
    : [mutableTable(place, table)];

export const addColumnStatements = (place: Topology, table: StoredTable, column: string, key: string): string[] =>
  tablesOf(place, table).map(
    (name) =>
      `alter table ${name} add column if not exists ${column} Nullable(String) materialized ${clickhousePromotedText(key)} codec(ZSTD(1))`,
  );

/** The table for all shards first: it must not ask for what is no more. */
export const dropColumnStatements = (place: Topology, table: StoredTable, column: string): string[] =>
  tablesOf(place, table)
    .toReversed()
    .map((name) => `alter table ${name} drop column if exists ${column}`);

/** Step by step, forward only; a step that has been released is never changed. */
export const migrationSteps = (place: Topology): readonly (readonly string[])[] => [
  [
    storeNotes(place),
    eventRows(place),
    ...(place.cluster === null ? [] : [allShards(place)]),
    overrideRows(place),
    personVersions(place),
    overridesView(place),
    ...viewStatements(place, { event: [], person: [] }),
  ],
];
