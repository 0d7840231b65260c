/**
 * The views as ClickHouse reads them, each for one project. Ids are texts: ClickHouse sorts UUIDs by their second half.
 *
 * Distinct ids, groups and cohorts are not in ClickHouse: their rows come with the statement, as a JSON text.
 */
import { HOT_PROPERTIES } from '../../../core/events/hot-properties.ts';
import { quoteName } from './clickhouse-text.ts';
import { EVENTS_WITH_PERSONS, EVENTS_WITHOUT_PERSONS } from './views.ts';

/** Tables whose rows come with the statement. */
export type SentTable = keyof typeof SENT_TABLES;

type SentColumn = readonly [name: string, type: string, value?: string];

const time = (ms: string): string => `toDateTime64(fromUnixTimestamp64Milli(${ms}, 'UTC'), 6, 'UTC')`;

const SENT_TABLES = {
  person_distinct_ids: [
    ['distinct_id', 'String'],
    ['person_id', 'String'],
  ],
  groups: [
    ['index', 'Int32'],
    ['type', 'String'],
    ['key', 'String'],
    ['created_at', 'Int64', time('x.4')],
    ['properties', 'String'],
  ],
  cohorts: [
    ['id', 'Int32'],
    ['name', 'String'],
    ['is_static', 'Bool'],
    ['count', 'Nullable(Int32)'],
    ['last_calculation', 'Nullable(Int64)', time('x.5')],
  ],
  cohort_people: [
    ['cohort_id', 'Int32'],
    ['person_id', 'String'],
  ],
  /** Of persons: who has been identified. */
  identified: [['person_id', 'String']],
} as const satisfies Record<string, readonly SentColumn[]>;

interface ViewContext {
  projectId: number;
  /** The rows of a table as an expression: a JSON text with a list of lists. */
  rowsOf(table: SentTable): string;
  /** Whether `is_identified` may be read. */
  readsIdentified: boolean;
}

/** A SELECT in brackets. */
export function clickhouseView(name: string, context: ViewContext): string {
  switch (name) {
    case 'events':
      return eventsView(context, 'person_id');
    case EVENTS_WITHOUT_PERSONS:
      return eventsView(context, 'none');
    case EVENTS_WITH_PERSONS:
      return eventsView(context, 'properties');
    case 'persons':
      return personsView(context);
    case 'sessions':
      return sessionsView(context);
    case 'feature_flag_calls':
      return flagCallsView(context);
    default:
      return sentView(name as SentTable, context);
  }
}

function sentView(table: SentTable, { rowsOf }: ViewContext): string {
  const columns: readonly SentColumn[] = SENT_TABLES[table];
  const type = `Array(Tuple(${columns.map(([, columnType]) => columnType).join(', ')}))`;
  const list = columns.map(([name, , value], i) => `${value ?? `x.${i + 1}`} as ${quoteName(name)}`).join(', ');
  return `(select ${list} from (select arrayJoin(JSONExtract(${rowsOf(table)}, '${type}')) as x))`;
}

const GROUPS = [0, 1, 2, 3, 4].map((index) => `e.group_${index} as "$group_${index}"`);
const HOT = HOT_PROPERTIES.map((name) => `e."${name}" as "${name}"`);
const FIRST_COLUMNS = [
  ...['toString(e.uuid) as uuid', 'e.event as event'],
  ...[`${time('e.timestamp')} as timestamp`, `${time('e.created_at')} as created_at`, 'e.distinct_id as distinct_id'],
];
const OWN_COLUMNS = ['e.properties as properties', 'e.elements_chain as elements_chain', ...GROUPS, ...HOT];

function eventsView({ projectId }: ViewContext, persons: 'none' | 'person_id' | 'properties'): string {
  const where = `where e.project_id = ${projectId}`;
  if (persons === 'none')
    return `(select ${[...FIRST_COLUMNS, ...OWN_COLUMNS].join(', ')} from event_rows as e ${where})`;
  const person = 'ifNull(o.to_id, e.person_id)';
  const columns = [...FIRST_COLUMNS, `toString(${person}) as person_id`, ...OWN_COLUMNS];
  const overrides = `(select from_id, to_id from person_override_rows final where project_id = ${projectId} and from_id != to_id)`;
  const joined = `from event_rows as e left join ${overrides} as o on o.from_id = e.person_id`;
  if (persons === 'person_id') return `(select ${columns.join(', ')} ${joined} ${where})`;
  const rows = `(select ${[...columns, `${person} as joined_id`].join(', ')} ${joined} ${where})`;
  return `(select r.* except (joined_id), p.properties as person_properties from ${rows} as r
    left join (select person_id, properties from person_versions final where project_id = ${projectId}) as p
      on p.person_id = r.joined_id)`;
}

function personsView(context: ViewContext): string {
  const identified = context.readsIdentified
    ? `toBool(toString(person_id) in ${sentView('identified', context)})`
    : 'false';
  return `(select toString(person_id) as id, ${time('created_at')} as created_at, properties,
    ${identified} as is_identified from person_versions final where project_id = ${context.projectId})`;
}

const flagCallsView = (context: ViewContext): string =>
  `(select uuid, timestamp, created_at, distinct_id, person_id,
    JSONExtract(properties, '$feature_flag', 'Nullable(String)') as flag,
    JSONExtract(properties, '$feature_flag_response', 'Nullable(String)') as response, properties
  from ${eventsView(context, 'person_id')} as events where event = '$feature_flag_called')`;

const PAGES = `event in ('$pageview', '$screen')`;
const ORDER = 'tuple(timestamp, uuid)';
const first = (value: string): string => `argMinIf(${value}, ${ORDER}, ${PAGES})`;
const UTM = ['source', 'medium', 'campaign', 'term', 'content'].map(
  (name) => `${first(`utm_${name}`)} as "$entry_utm_${name}"`,
);

const sessionsView = (context: ViewContext): string => `(select "$session_id" as session_id,
    argMax(distinct_id, ${ORDER}) as distinct_id, argMax(person_id, ${ORDER}) as person_id,
    min(timestamp) as "$start_timestamp", max(timestamp) as "$end_timestamp",
    toInt64(dateDiff('second', min(timestamp), max(timestamp))) as "$session_duration",
    toInt64(count()) as "$event_count", toInt64(countIf(event = '$pageview')) as "$pageview_count",
    ${first('"$current_url"')} as "$entry_current_url",
    argMaxIf("$current_url", ${ORDER}, ${PAGES}) as "$end_current_url",
    ${first('"$referring_domain"')} as "$entry_referring_domain", ${UTM.join(', ')},
    toBool(countIf(${PAGES}) <= 1 and dateDiff('microsecond', min(timestamp), max(timestamp)) < 10000000) as "$is_bounce"
  from ${eventsView(context, 'person_id')} as events where "$session_id" != '' group by "$session_id")`;
