/** Puts the data of a case into a project of its own, through the API as far as possible. */
import type { Json, JsonObject } from '../../src/core/json/json.ts';
import { capture, type SentEvent } from './capture.ts';
import { makeActions } from './case-actions.ts';
import { clientFor } from './client.ts';
import {
  type CaseAnswer,
  type CaseGroup,
  type CasePerson,
  type InsightCase,
  type PersonIds,
  sentProperties,
} from './insight-vectors.ts';
import type { TestProject, TestServer } from './server.ts';

interface CapturedCase {
  one: InsightCase;
  project: TestProject;
  personIds: PersonIds;
}

/** Later than all cases, so that no event is in the future. */
const AFTERWARDS = '2030-01-01T00:00:00.000Z';

export async function captureCase(server: TestServer, one: InsightCase): Promise<CapturedCase> {
  const project = await server.createProject();
  const changes = { timezone: one.timezone, ...one.team };
  await clientFor(server).patch(`/api/projects/${project.projectId}/`, { body: changes });
  server.setNow(AFTERWARDS);
  const events = [...groupEvents(one), ...caseEvents(one)];
  if (events.length > 0) await capture(server, project.projectKey, events);
  for (const person of one.persons) await setCreatedAt(server, project, person);
  const cohorts = await makeCohorts(server, project, one);
  const withActions = await makeActions(server, project, one);
  server.setNow(one.now);
  return { one: renumbered(withActions, cohorts), project, personIds: await personIdsIn(server, project) };
}

/** The first event sets the properties of a person; other ids are merged at the time of that event. */
function caseEvents(one: InsightCase): SentEvent[] {
  const { events, persons } = one;
  const owner = (id: string): CasePerson | undefined => persons.find(({ distinct_ids }) => distinct_ids.includes(id));
  const sent = events.map((recorded): SentEvent => {
    const { event, distinct_id, timestamp, properties } = recorded;
    const person = owner(distinct_id);
    const own = person === undefined ? { $process_person_profile: false } : { $set: person.properties };
    return {
      event,
      distinct_id,
      timestamp,
      properties: { ...sentProperties(recorded), ...groupsOf(one, properties), ...own },
    };
  });
  const times = new Map(events.toReversed().map((event) => [owner(event.distinct_id), event.timestamp]));
  const silent = persons.filter((person) => !times.has(person));
  const aliases = persons.flatMap((person) => aliasesOf(person, times.get(person) ?? LONG_AGO));
  return [...silent.map(creationOf), ...aliases, ...sent];
}

const aliasesOf = ({ distinct_ids: [first = '', ...others] }: CasePerson, timestamp: string): SentEvent[] =>
  others.map((alias) => ({ event: '$create_alias', distinct_id: first, timestamp, properties: { alias } }));

/** Cases name the groups of an event as they are stored. */
function groupsOf(one: InsightCase, properties: JsonObject): JsonObject {
  const named = INDEXES.flatMap((index): [string, Json][] => {
    const key = properties[`$group_${index}`];
    return key === undefined ? [] : [[typeOf(one, index), key]];
  });
  return named.length === 0 ? {} : { $groups: Object.fromEntries(named) };
}

const INDEXES = [0, 1, 2, 3, 4];

const typeOf = ({ groups = [] }: InsightCase, index: number): string =>
  groups.find((group) => group.group_type_index === index)?.group_type ?? `type ${index}`;

const LONG_AGO = '1999-01-01T00:00:00Z';

const creationOf = ({ distinct_ids: [first = ''], properties }: CasePerson): SentEvent => ({
  event: '$set',
  distinct_id: first,
  timestamp: LONG_AGO,
  properties: { $set: properties },
});

/** Group types get their index in order of arrival. */
function groupEvents(one: InsightCase): SentEvent[] {
  const { groups = [], events } = one;
  const isNamed = (index: number): boolean =>
    groups.some((group) => group.group_type_index === index) ||
    events.some((event) => `$group_${index}` in event.properties);
  return INDEXES.slice(0, INDEXES.findLastIndex(isNamed) + 1).flatMap((index) => {
    const own = groups.filter((group) => group.group_type_index === index);
    return (own.length > 0 ? own : [{ group_type_index: index }]).map((group: CaseGroup) => ({
      event: '$groupidentify',
      distinct_id: 'groups',
      timestamp: LONG_AGO,
      properties: {
        $group_type: typeOf(one, index),
        $group_key: group.group_key ?? 'some',
        $group_set: group.properties ?? {},
      },
    }));
  });
}

/** No route can set when a person was created. */
async function setCreatedAt(server: TestServer, { projectId }: TestProject, person: CasePerson): Promise<void> {
  const { persons } = server.metadata;
  const found = await persons.getByDistinctId(projectId, person.distinct_ids[0] ?? '');
  if (found === null) return;
  await server.metadata.personIdentities.update({ ...found, createdAt: Date.parse(person.created_at) });
}

async function makeCohorts(server: TestServer, { projectId }: TestProject, { cohorts = [] }: InsightCase) {
  const numbers = new Map<number, number>();
  for (const { id, name, groups, static_distinct_ids: members = [] } of cohorts) {
    const body = members.length > 0 ? { name, is_static: true } : { name, groups };
    const made = (await clientFor(server).post(`/api/projects/${projectId}/cohorts/`, { body })).body;
    const { cohortMembers } = server.metadata;
    const persons = await cohortMembers.listPersonIdsByDistinctId(projectId, members);
    if (persons.length > 0) await cohortMembers.add(projectId, made.id, persons);
    numbers.set(id, made.id);
  }
  await server.settleCohorts();
  return numbers;
}

/** The case with the cohort ids of the server. */
function renumbered(one: InsightCase, cohorts: ReadonlyMap<number, number>): InsightCase {
  if (cohorts.size === 0) return one;
  const real = (id: Json): Json =>
    typeof id === 'number' || typeof id === 'string' ? (cohorts.get(Number(id)) ?? id) : id;
  const walk = (value: Json): Json => {
    if (Array.isArray(value)) return value.map(walk);
    if (typeof value !== 'object' || value === null) return value;
    const isCohort = value['type'] === 'cohort';
    return Object.fromEntries(
      Object.entries(value).map(([name, inner]) => {
        if ((name === 'value' && isCohort) || name === 'breakdown_value') return [name, real(inner)];
        return [name, walk(inner)];
      }),
    );
  };
  const filter = walk(one.filter) as JsonObject;
  const { breakdown } = filter;
  if (filter['breakdown_type'] === 'cohort' && breakdown !== undefined) {
    const listed = typeof breakdown === 'string' && breakdown.startsWith('[') ? JSON.parse(breakdown) : breakdown;
    filter['breakdown'] = Array.isArray(listed) ? listed.map(real) : real(listed);
  }
  const expected = one.expected.map((wanted) => ({
    ...wanted,
    value: wanted.path.endsWith('breakdown_value') ? real(wanted.value) : walk(wanted.value),
  }));
  return { ...one, filter, expected };
}

async function personIdsIn(server: TestServer, { projectId }: TestProject): Promise<PersonIds> {
  const rows = await server.rows(
    `select d.distinct_id, p.id, p.uuid from persons p join person_distinct_ids d on d.person_id = p.id
    where d.project_id = ?`,
    projectId,
  );
  const ids = new Map(rows.map(({ distinct_id, id, uuid }) => [distinct_id, [id, uuid]]));
  return (distinctId) => ids.get(distinctId) ?? [];
}

/** Sends the request of the case; a path without a project uses the project key. */
export async function askCase(server: TestServer, { one, project }: CapturedCase): Promise<CaseAnswer> {
  const [method = '', path = ''] = one.endpoint.split(' ');
  const at = path.replace(':project_id', String(project.projectId));
  const client = clientFor(server);
  if (method === 'POST') {
    const { status, body } = await client.post(at, { body: one.filter });
    return { status, body };
  }
  const query = new URLSearchParams(path.startsWith('/api/projects/') ? {} : { token: project.projectKey });
  for (const [name, value] of Object.entries(one.filter)) {
    query.set(name, typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value));
  }
  const { status, body } = await client.get(`${at}?${query}`);
  return { status, body };
}
