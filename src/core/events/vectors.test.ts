import { expect, it } from 'vitest';
import { seenProperties } from '../../../test/support/seen-properties.ts';
import { describeVectors } from '../../../test/support/vectors.ts';
import type { Json, JsonObject } from '../json/json.ts';
import { parseJson } from '../json/parse-json.ts';
import type { Person } from '../persons/person.ts';
import { withImplicitUpdates } from '../persons/person-update.ts';
import { PersonUpdates } from '../persons/person-updates.ts';
import { parseTimestamp } from '../time/parse-timestamp.ts';
import type { Event } from './event.ts';
import { extractEvents } from './extract-events.ts';
import { applyGroups, groupIdentify, groupTypesIn } from './groups.ts';
import { normalise } from './normalise.ts';
import { eventUuid } from './uuid.ts';
import type { Warning } from './warning.ts';

/** Cases as data, kept outside of the repository. They are run here without HTTP: body in, events and persons out. */
interface ExpectedPerson {
  distinct_ids: string[];
  properties?: JsonObject;
  is_identified?: boolean;
  created_at?: string;
  version?: number;
}

interface Case {
  id: string;
  group: string;
  target: string;
  body?: string;
  body_encoding: string;
  setup?: { now?: string; persons?: ExpectedPerson[] };
  expect_status: number;
  expect_events?: Record<string, Json>[] | null;
  expect_persons?: ExpectedPerson[] | null;
  expect_ingestion_warnings?: Record<string, Json>[];
  expect_event_properties?: JsonObject;
  expect_event_properties_absent?: string[];
  expect_property_definitions?: { name: string; property_type: string | null }[];
  expect_groups?: { group_type: string; group_key: string; group_properties: JsonObject }[];
}

const GROUPS = ['property-type', 'timestamp', 'person', 'personless', 'enrich', 'segment'];
const PROJECT = 1;

const isFollowed = ({ group, target }: Case): boolean =>
  GROUPS.includes(group) && (target === 'must' || target === 'should');

const ms = (text: string | undefined): number => parseTimestamp(text) ?? Date.UTC(2024, 0, 1);

function outcome(one: Case) {
  const { events: raws, sentAt } = extractEvents(parseJson(one.body ?? ''));
  const warnings: Warning[] = [];
  const events: Event[] = [];
  for (const [index, raw] of raws.entries()) {
    const result = normalise(raw, {
      projectId: PROJECT,
      receivedAt: ms(one.setup?.now),
      sentAt: parseTimestamp(sentAt) ?? null,
      ip: '127.0.0.1',
      anonymizeIps: false,
      engage: false,
      fallbackUuid: eventUuid(PROJECT, 'messageId', `${one.id}:${index}`, []),
    });
    warnings.push(...result.warnings);
    if (result.kind === 'event') events.push(result.event);
  }
  const { ids, persons } = handleAll(one, events, warnings);
  return { events, warnings, ids, persons };
}

function handleAll(one: Case, events: Event[], warnings: Warning[]) {
  const before = (one.setup?.persons ?? []).map((given, index) => ({ person: aPerson(given, index), given }));
  const ids = new Map(
    before.flatMap(({ person, given }) => given.distinct_ids.map((id) => [id, person.uuid] as const)),
  );
  const book = new PersonUpdates({
    persons: before.map(({ person }) => person),
    distinctIds: [...ids].map(([distinctId, personUuid]) => ({ projectId: PROJECT, distinctId, personUuid })),
    isTaken: () => false,
  });
  for (const event of events) warnings.push(...book.handle(event).warnings);
  const persons = new Map(before.map(({ person }) => [person.uuid, person] as const));
  for (const { person, mergedInto } of book.changes().persons) {
    if (mergedInto === null) persons.set(person.uuid, person);
    else persons.delete(person.uuid);
  }
  for (const op of book.changes().ops) {
    if (op.op === 'add_id') ids.set(op.distinctId, op.personUuid);
    else for (const [id, uuid] of ids) if (uuid === op.source.uuid) ids.set(id, op.targetUuid);
  }
  return { ids, persons };
}

const aPerson = (given: ExpectedPerson, index: number): Person => ({
  projectId: PROJECT,
  uuid: `00000000-0000-4000-8000-00000000000${index}`,
  createdAt: ms(given.created_at),
  properties: given.properties ?? {},
  isIdentified: given.is_identified ?? false,
  version: given.version ?? 0,
});

/** The persons as the cases write them, with exactly the fields that a case asserts. */
function shownPersons(wanted: ExpectedPerson[], { ids, persons }: ReturnType<typeof outcome>): ExpectedPerson[] {
  const shown = [...persons.values()].map((person): ExpectedPerson => {
    const { $creator_event_uuid: _creator, ...properties } = person.properties;
    const distinct_ids = [...ids].filter(([, uuid]) => uuid === person.uuid).map(([id]) => id);
    const created_at = new Date(person.createdAt).toISOString();
    return {
      distinct_ids: distinct_ids.sort(),
      properties,
      is_identified: person.isIdentified,
      created_at,
      version: person.version,
    };
  });
  return shown.map((person) => {
    const like = wanted.find((other) => [...other.distinct_ids].sort().join() === person.distinct_ids.join());
    return Object.fromEntries(
      Object.entries(person).filter(([key]) => key in (like ?? person)),
    ) as unknown as ExpectedPerson;
  });
}

const asShown = (wanted: ExpectedPerson): ExpectedPerson => {
  const fields = ['distinct_ids', 'properties', 'is_identified', 'created_at', 'version'];
  const kept = Object.fromEntries(
    Object.entries(wanted).filter(([key]) => fields.includes(key)),
  ) as unknown as ExpectedPerson;
  const distinct_ids = [...wanted.distinct_ids].sort();
  const created = wanted.created_at === undefined ? {} : { created_at: new Date(wanted.created_at).toISOString() };
  return { ...kept, ...created, distinct_ids };
};

const byIds = (a: ExpectedPerson, b: ExpectedPerson): number =>
  a.distinct_ids.join() < b.distinct_ids.join() ? -1 : 1;

function checkEvents(one: Case, events: Event[]): void {
  const wanted = one.expect_events ?? undefined;
  if (wanted === undefined) return;
  expect(events).toHaveLength(wanted.length);
  for (const [index, want] of wanted.entries()) {
    const event = events[index];
    if (want['event'] !== undefined) expect(event?.event).toBe(want['event']);
    if (want['distinct_id'] !== undefined) expect(event?.distinctId).toBe(want['distinct_id']);
    if (typeof want['timestamp'] === 'string') expect(event?.timestamp).toBe(Date.parse(want['timestamp']));
  }
}

function checkProperties(one: Case, events: Event[]): void {
  const types = [...new Set(events.flatMap(groupTypesIn))];
  for (const event of events) {
    applyGroups(event, new Map(types.map((type, index) => [type, index])));
    const shown = withImplicitUpdates(event);
    expect(shown).toMatchObject(one.expect_event_properties ?? {});
    for (const key of one.expect_event_properties_absent ?? []) expect(shown).not.toHaveProperty([key]);
  }
  for (const want of one.expect_property_definitions ?? []) {
    const found = events.flatMap((event) => seenProperties(event)).find((seen) => seen.name === want.name);
    expect(found).toMatchObject({ kind: 'event', type: want.property_type });
  }
  for (const want of one.expect_groups ?? []) {
    const found = events.map(groupIdentify);
    expect(found).toContainEqual({ type: want.group_type, key: want.group_key, set: want.group_properties });
  }
}

describeVectors<{ cases: Case[] }>('ingest cases', 'ingest-cases.json', ({ cases }) => {
  it.each(cases.filter(isFollowed).map((one) => [one.id, one] as const))('%s', (_id, one) => {
    const result = outcome(one);
    checkEvents(one, result.events);
    if (one.expect_persons) {
      const wanted = one.expect_persons.map(asShown).sort(byIds);
      expect(shownPersons(one.expect_persons, result).sort(byIds)).toEqual(wanted);
    }
    for (const { type, event, ...details } of one.expect_ingestion_warnings ?? []) {
      const alsoNamed = event === undefined ? {} : { event };
      expect(result.warnings).toContainEqual({ type, details: expect.objectContaining({ ...details, ...alsoNamed }) });
    }
    checkProperties(one, result.events);
  });
});
