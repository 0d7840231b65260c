/**
 * What a person was like when they did things. Events come from the event store, each with the person that it belonged
 * to at the time; what that person was like comes from the history of their properties. Values that events carry
 * themselves, such as the browser, are not in the history: they are what the latest event until then said.
 */
import { invalid } from '../../../core/errors.ts';
import { initialName, updatesPerson } from '../../../core/events/implicit-updates.ts';
import type { Json, JsonObject } from '../../../core/json/json.ts';
import type { EventStoreDeps } from '../../../query/filters/valid-patterns.ts';
import type { SqlRow } from '../../../stores/events/event-store.ts';
import type { PersonStore, StoredPerson } from '../../../stores/metadata/persons.ts';
import { type TimelineMoment, type TimelinePoint, timelinePoints } from '../rules/properties-timeline.ts';
import { PropertyHistory } from '../rules/property-history.ts';
import type { TimelineRange } from '../rules/timeline-range.ts';
import { type EventSelection, type EventSelectionDeps, eventSelector } from './timeline-events.ts';

interface TimelineQuery extends TimelineRange {
  person: StoredPerson;
  /** Null: all events count. */
  selection: EventSelection | null;
  /** Properties whose change makes a point. */
  keys: readonly string[];
}

const MAX_EVENTS = 100_000;
/** Events from before the range that are asked for what they say by themselves. */
const LOOKBACK_EVENTS = 200;

export async function propertiesTimeline(
  deps: EventSelectionDeps & { persons: PersonStore },
  question: TimelineQuery,
): Promise<TimelinePoint[]> {
  const told = implicitKeys(question);
  const inRange = await queryPersonEvents(deps, question, told, 'in range');
  if (inRange.length > MAX_EVENTS) {
    throw invalid('date_from', `The person has more than ${MAX_EVENTS} events in this range: ask for a shorter one.`);
  }
  if (inRange.length === 0) return [];
  const earlier = told.length === 0 ? [] : await queryPersonEvents(deps, question, told, 'before');
  const histories = await historiesOf(deps.persons, question.person, inRange);
  const counts = await eventSelector(deps, question, question.selection);
  return timelinePoints(moments(question, [...earlier.reverse(), ...inRange], histories, told, counts), question.keys);
}

/** Properties that events carry themselves and leave on their person: those the person has, and those asked for. */
export const implicitKeys = ({ person, keys }: Pick<TimelineQuery, 'person' | 'keys'>): string[] =>
  [...new Set([...Object.keys(person.properties), ...keys])].filter((key) => initialName(key) !== undefined);

interface TimelineEvent {
  uuid: string;
  event: string;
  timestamp: number;
  /** The person of then. */
  personId: string;
  /** By key. */
  implicit: JsonObject;
}

export async function queryPersonEvents(
  { events, dialect }: EventStoreDeps,
  { person, from, to }: Pick<TimelineQuery, 'person' | 'from' | 'to'>,
  told: readonly string[],
  which: 'in range' | 'before',
): Promise<TimelineEvent[]> {
  const sql = dialect.newStatement('r');
  const project = sql.param(person.projectId);
  const range = (table: string): string =>
    which === 'before'
      ? `${table}.timestamp < ${sql.time(from)}`
      : `${table}.timestamp >= ${sql.time(from)} and ${table}.timestamp < ${sql.time(to + 1)}`;
  const direction = which === 'before' ? 'desc' : 'asc';
  const columns = told.map((key, i) => `, ${implicitValueSql((name) => sql.json(name), key)} as told${i}`).join('');
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
  return rows.map((row) => toEvent(row, told));
}

/** Mobile SDKs know the system by another name. */
const implicitValueSql = (json: (key: string) => string, key: string): string =>
  key === '$os' ? `coalesce(${json('$os')}, ${json('$os_name')})` : json(key);

const toEvent = (row: SqlRow, told: readonly string[]): TimelineEvent => ({
  uuid: String(row['uuid']),
  event: String(row['event']),
  timestamp: Number(row['timestamp']),
  personId: String(row['person_id']),
  implicit: Object.fromEntries(
    told.flatMap((key, i) => {
      const text = row[`told${i}`];
      const value: Json = typeof text === 'string' ? JSON.parse(text) : null;
      return value === null ? [] : [[key, value]];
    }),
  ),
});

type Histories = ReadonlyMap<string, PropertyHistory>;

/** One for each person that the events belonged to at the time: the person, and those merged into it since. */
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
  told: readonly string[],
  counts: (event: TimelineEvent) => boolean,
): Generator<TimelineMoment> {
  const latest = new Map<string, JsonObject>();
  for (const one of events) {
    const { event, timestamp, personId, implicit: own } = one;
    const before = latest.get(personId) ?? {};
    const now = updatesPerson(event) && Object.keys(own).length > 0 ? { ...before, ...own } : before;
    latest.set(personId, now);
    const history = histories.get(personId);
    if (timestamp < from || !counts(one) || history === undefined) continue;
    yield timelineMoment(timestamp, history, now, told);
  }
}

export function timelineMoment(
  timestamp: number,
  history: PropertyHistory,
  latest: JsonObject,
  told: readonly string[],
): TimelineMoment {
  // What events tell is known from when they told it; somebody may have set it by hand as well.
  const isKnown = (key: string): boolean => !told.includes(key) || history.has(key);
  return {
    timestamp,
    valueOf: (key) => latest[key] ?? (isKnown(key) ? history.valueAt(key, timestamp) : undefined),
    properties: () => {
      const known = Object.entries(history.propertiesAt(timestamp)).filter(([key]) => isKnown(key));
      return { ...Object.fromEntries(known), ...latest };
    },
  };
}
