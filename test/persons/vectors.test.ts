/**
 * Recorded requests about persons, their timelines and property filters, against a real server. The cases are not in
 * the repository. Each gets its own project, filled through capture.
 */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { capture, type SentEvent } from '../support/capture.ts';
import { type Answer, clientFor } from '../support/client.ts';
import { startServer, type TestProject, type TestServer } from '../support/server.ts';
import { describeVectors } from '../support/vectors.ts';

type Values = Record<string, unknown>;

interface Case {
  id: string;
  family: string;
  now: string;
  events: { event: string; distinct_id: string; timestamp: string; properties: Values; person_properties?: Values }[];
  persons: { distinct_ids: string[]; properties: Values; created_at: string; is_identified?: boolean }[];
  endpoint: string;
  filter: Values;
  expected: { path: string; op: string; value: unknown }[];
}

/** Cases that differ on purpose, with the reason. */
const NOT_FOLLOWED: Readonly<Record<string, string>> = {
  'test_persons_trends::test_people_csv_returns_400_on_no_entity_id_provided#0': 'asks for the people of an insight',
  'test_person::test_pagination_limit#0': 'needs a person without a distinct id, whom no event can make',
  'test_person::test_delete_person_and_events#0': 'deletion has tests of its own',
  'test_person::test_split_person_clickhouse#0': 'splitting has tests of its own',
};

let server: TestServer;
let client: ReturnType<typeof clientFor>;
let elsewhere: TestProject;
beforeAll(async () => {
  server = await startServer();
  client = clientFor(server);
  elsewhere = await server.createProject({ foreign: true });
});
afterAll(() => server.close());

/** Events that create a person: the first id sets the properties, the others are merged in. */
const personEvents = ({ distinct_ids: [first = '', ...rest], properties, created_at }: Case['persons'][number]) => [
  { event: '$set', distinct_id: first, timestamp: created_at, properties: { $set: properties } },
  ...rest.map((alias) => ({
    event: '$create_alias',
    distinct_id: first,
    timestamp: created_at,
    properties: { alias },
  })),
];

const eventOf = ({ person_properties, ...event }: Case['events'][number]): SentEvent => ({
  ...event,
  properties: { ...event.properties, ...(person_properties ? { $set: person_properties } : {}) },
});

/** Two persons with the same distinct id belong to two projects: those up to the first are in another one. */
function foreignCount(persons: Case['persons']): number {
  const twice = persons.findLastIndex((one, i) =>
    persons.slice(i + 1).some((other) => other.distinct_ids.some((id) => one.distinct_ids.includes(id))),
  );
  return twice < 0 ? 0 : persons.length - 1;
}

async function build(given: Case): Promise<TestProject> {
  server.setNow(given.now);
  const project = await server.createProject();
  const foreign = foreignCount(given.persons);
  const abroad = given.persons.slice(0, foreign).flatMap(personEvents);
  if (abroad.length > 0) await capture(server, elsewhere.projectKey, abroad);
  // If there are events, they create the person and set its properties.
  const persons = given.events.length > 0 ? [] : given.persons.slice(foreign).flatMap(personEvents);
  await capture(server, project.projectKey, [...persons, ...given.events.map(eventOf)]);
  return project;
}

async function uuidOf(project: TestProject, reference: string): Promise<string> {
  const distinct_id = reference.replace('person:', '');
  const path = `/api/projects/${project.projectId}/persons/?${new URLSearchParams({ distinct_id })}`;
  return (await client.get(path)).body.results[0].uuid;
}

async function ask(given: Case, project: TestProject): Promise<Answer> {
  const [, endpoint = ''] = given.endpoint.replace(/\?.*$/, '').split(' ');
  const reference = /person:[^/]+/.exec(endpoint)?.[0];
  const path = endpoint
    .replace(':project_id', String(project.projectId))
    .replace(reference ?? '', reference ? await uuidOf(project, reference) : '');
  const text = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));
  const query = Object.entries(given.filter).map(([name, value]): [string, string] => [name, text(value)]);
  return client.get(`${path}?${new URLSearchParams([...query, ['token', project.projectKey]])}`);
}

/** `results[0].id`, `len(results)`, `@status`, or the whole body. */
function valueAt(answer: Answer, path: string): unknown {
  if (path === '@status') return answer.status;
  const counted = /^len\((.*)\)$/.exec(path)?.[1];
  if (counted !== undefined) return (valueAt(answer, counted) as unknown[]).length;
  return [...path.matchAll(/[^.[\]]+/g)].reduce<unknown>((value, [key]) => (value as Values)[key], answer.body);
}

/** Objects are compared on the expected keys only. */
const shaped = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(shaped);
  if (typeof value !== 'object' || value === null) return value;
  return expect.objectContaining(Object.fromEntries(Object.entries(value).map(([key, one]) => [key, shaped(one)])));
};

const indexOfCreator = (counted: { name: string }[]): number =>
  counted.findIndex(({ name }) => name === '$creator_event_uuid');

describeVectors<{ cases: Case[] }>('recorded questions', 'insight-cases.json', ({ cases: all }) => {
  const cases = (family: string): Case[] => all.filter((one) => one.family === family && !(one.id in NOT_FOLLOWED));

  it.each(cases('persons'))('persons: $id', async (given) => {
    const project = await build(given);
    const answer = await ask(given, project);
    // Persons created by events have one more property than the recorded ones.
    if (given.endpoint.endsWith('/properties/')) answer.body.splice(indexOfCreator(answer.body), 1);
    for (const { path, op, value } of given.expected) {
      expect(op).toBe('equals');
      if (typeof value === 'string' && value.startsWith('person:')) {
        // A person's id is a number; the uuid is a field of its own.
        expect(valueAt(answer, path.replace(/id$/, 'uuid'))).toBe(await uuidOf(project, value));
      } else expect([path, valueAt(answer, path)]).toEqual([path, shaped(value)]);
    }
  });

  it.each(cases('properties_timeline'))('timeline: $id', async (given) => {
    const answer = await ask(given, await build(given));
    for (const { path, op, value } of given.expected) {
      expect([op, path, valueAt(answer, path)]).toEqual(['equals', path, shaped(value)]);
    }
  });

  const references = ({ expected: [first] }: Case): string[] => (first ? (first.value as string[]) : []);
  const indexes = (given: Case): number[] =>
    references(given).map((reference) => Number(reference.replace('event:', '')));

  it.each(cases('property_filter'))('filters on events: $id', async (given) => {
    const { body } = await ask(given, await build(given));
    const times = indexes(given).map((index) => Date.parse(given.events[index]?.timestamp ?? ''));
    const found = body.results.map((one: { timestamp: string }) => Date.parse(one.timestamp));
    expect(found.toSorted()).toEqual(times.toSorted());
  });

  it.each(cases('property_filter'))('the same filters on persons: $id', async (given) => {
    server.setNow(given.now);
    const project = await server.createProject();
    const persons = given.events.map(({ properties, timestamp }, index) => ({
      event: '$set',
      distinct_id: `event:${index}`,
      timestamp,
      properties: { $set: properties },
    }));
    await capture(server, project.projectKey, persons);
    const [filter] = given.filter['properties'] as Values[];
    const properties = JSON.stringify([{ ...filter, type: 'person' }]);
    const path = `/api/projects/${project.projectId}/persons/?${new URLSearchParams({ properties })}`;
    const found = (await client.get(path)).body.results.map((one: { name: string }) => one.name);
    expect(found.toSorted()).toEqual(references(given).toSorted());
  });
});
