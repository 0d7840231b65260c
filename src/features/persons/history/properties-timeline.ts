/**
 * The properties that a person had at each of its events. Events come from the event store, with the person they
 * belonged to at the time; properties come from the property history. Implicit properties such as the browser are not
 * in the history: they have the value of the latest event so far.
 */
import { invalid } from '../../../core/errors.ts';
import { initialName, updatesPerson } from '../../../core/events/implicit-updates.ts';
import { parseExact } from '../../../core/json/exact-json.ts';
import type { Json, JsonObject } from '../../../core/json/json.ts';
import type { EventStoreDeps, QueryDeps } from '../../../query/query-deps.ts';
import type { SqlRow } from '../../../stores/events/event-store.ts';
import type { PersonStore, StoredPerson } from '../../../stores/metadata/persons.ts';
import { type TimelineMoment, type TimelinePoint, timelinePoints } from '../rules/properties-timeline.ts';
import { PropertyHistory } from '../rules/property-history.ts';
import type { TimelineRange } from '../rules/timeline-range.ts';
import { type EventSelection, eventSelector } from './timeline-events.ts';

interface TimelineQuery extends TimelineRange {
  person: StoredPerson;
  /** Null: all events count. */
  selection: EventSelection | null;
  /** A change of one of these properties makes a point. */
  keys: readonly string[];
}

const MAX_EVENTS = 100_000;
/** Events before the range that are read for implicit properties. */
const LOOKBACK_EVENTS = 200;

export async function propertiesTimeline(
  deps: QueryDeps & { persons: PersonStore },
  query: TimelineQuery,
): Promise<TimelinePoint[]> {
  const implicit = implicitKeys(query);
  const inRange = await queryPersonEvents(deps, query, implicit, 'in range');
  if (inRange.length > MAX_EVENTS) {
    throw invalid('date_from', `The person has more than ${MAX_EVENTS} events in this range: use a shorter one.`);
  }
  if (inRange.length === 0) return [];
  const earlier = implicit.length === 0 ? [] : await queryPersonEvents(deps, query, implicit, 'before');
  const histories = await historiesOf(deps.persons, query.person, inRange);
  const isSelected = await eventSelector(deps, query, query.selection);
  const events = [...earlier.reverse(), ...inRange];
  return timelinePoints(moments(query, events, histories, implicit, isSelected), query.keys);
}

/** Implicit properties that the person has or that are requested. */
export const implicitKeys = ({ person, keys }: Pick<TimelineQuery, 'person' | 'keys'>): string[] =>
  [...new Set([...Object.keys(person.properties), ...keys])].filter((key) => initialName(key) !== undefined);

interface TimelineEvent {
  uuid: string;
  event: string;
  timestamp: number;
  /** The person at that time. */
  personId: string;
  /** Implicit properties that the event sets. */
  implicit: JsonObject;
}

export async function queryPersonEvents(
  { events, dialect }: EventStoreDeps,
  { person, from, to }: Pick<TimelineQuery, 'person' | 'from' | 'to'>,
  implicit: readonly string[],
  which: 'in range' | 'before',
): Promise<TimelineEvent[]> {
  const sql = dialect.newStatement('r');
  const project = sql.param(person.projectId);
  const range = (table: string): string =>
    which === 'before'
      ? `${table}.timestamp < ${sql.time(from)}`
      : `${table}.timestamp >= ${sql.time(from)} and ${table}.timestamp < ${sql.time(to + 1)}`;
  const direction = which === 'before' ? 'desc' : 'asc';
  const columns = implicit
    .map((key, i) => `, ${implicitValueSql((name) => sql.json(name), key)} as implicit${i}`)
    .join('');
  const rows = await events.query(
    `select r.uuid, r.event, r.timestamp, r.person_id${columns}
    from event_rows r
    where r.project_id = ${project} and ${range('r')} and r.uuid in (
      select e.uuid from events e
      where e.project_id = ${project} and ${range('e')} and e.person_id = cast(${sql.param(person.uuid)} as UUID)
    )
    order by r.timestamp ${direction}, r.created_at ${direction}, ${sql.idOrder('r.uuid')} ${direction}
    limit ${sql.param(which === 'before' ? LOOKBACK_EVENTS : MAX_EVENTS + 1)}`,
    sql.values,
  );
  return rows.map((row) => toEvent(row, implicit));
}

/** Mobile SDKs send `$os_name`. */
const implicitValueSql = (json: (key: string) => string, key: string): string =>
  key === '$os' ? `coalesce(${json('$os')}, ${json('$os_name')})` : json(key);

const toEvent = (row: SqlRow, implicit: readonly string[]): TimelineEvent => ({
  uuid: String(row['uuid']),
  event: String(row['event']),
  timestamp: Number(row['timestamp']),
  personId: String(row['person_id']),
  implicit: Object.fromEntries(
    implicit.flatMap((key, i) => {
      const text = row[`implicit${i}`];
      const value: Json = typeof text === 'string' ? parseExact(text) : null;
      return value === null ? [] : [[key, value]];
    }),
  ),
});

type Histories = ReadonlyMap<string, PropertyHistory>;

/** One for each person that the events belonged to: this person, and those merged into it since. */
async function historiesOf(
  persons: PersonStore,
  person: StoredPerson,
  events: readonly TimelineEvent[],
): Promise<Histories> {
  const histories = new Map<string, PropertyHistory>();
  for (const uuid of new Set(events.map(({ personId }) => personId))) {
    const then = uuid === person.uuid ? person : await persons.getBeforeMerge(person.projectId, uuid);
    const entries = await persons.listHistory(person.projectId, uuid);
    histories.set(uuid, new PropertyHistory(then?.properties ?? {}, entries));
  }
  return histories;
}

function* moments(
  { from }: TimelineQuery,
  events: readonly TimelineEvent[],
  histories: Histories,
  implicit: readonly string[],
  isSelected: (event: TimelineEvent) => boolean,
): Generator<TimelineMoment> {
  const latest = new Map<string, JsonObject>();
  for (const one of events) {
    const { event, timestamp, personId, implicit: own } = one;
    const before = latest.get(personId) ?? {};
    const current = updatesPerson(event) && Object.keys(own).length > 0 ? { ...before, ...own } : before;
    latest.set(personId, current);
    const history = histories.get(personId);
    if (timestamp < from || !isSelected(one) || history === undefined) continue;
    yield timelineMoment(timestamp, history, current, implicit);
  }
}

export function timelineMoment(
  timestamp: number,
  history: PropertyHistory,
  latest: JsonObject,
  implicit: readonly string[],
): TimelineMoment {
  // An implicit property is only in the history if it was also set explicitly.
  const isKnown = (key: string): boolean => !implicit.includes(key) || history.has(key);
  return {
    timestamp,
    valueOf: (key) => latest[key] ?? (isKnown(key) ? history.valueAt(key, timestamp) : undefined),
    properties: () => {
      const known = Object.entries(history.propertiesAt(timestamp)).filter(([key]) => isKnown(key));
      return { ...Object.fromEntries(known), ...latest };
    },
  };
}
