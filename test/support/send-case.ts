/** Sends the persons and events of insight cases to a server, each case in its own project. */
import type { Json, JsonObject } from '../../src/core/json/json.ts';
import type { SentEvent } from './capture.ts';
import { type Answer, clientFor } from './client.ts';
import { type CaseCohort, type InsightCase, type PersonIds, sentProperties } from './insight-vectors.ts';
import type { TestProject, TestServer } from './server.ts';

export interface SentCase {
  project: TestProject;
  /** Cohort id in the case → cohort id on the server. */
  cohorts: ReadonlyMap<number, number>;
}

/** Long before any case, so that these events are in no date range. */
const CREATED_AT = '1999-01-01T00:00:00Z';

/** Sends persons and events; they are visible once the server is drained. */
export async function sendCase(server: TestServer, one: InsightCase): Promise<SentCase> {
  const project = await server.createProject({ name: one.id });
  const { patch } = clientFor(server);
  await patch(`/api/projects/${project.projectId}/`, {
    body: { timezone: one.timezone, anonymize_ips: true, ...one.team },
  });
  const owned = new Set(one.persons.flatMap(({ distinct_ids }) => distinct_ids));
  const events = one.events.map((recorded): SentEvent => {
    const { event, distinct_id, timestamp } = recorded;
    const properties = sentProperties(recorded);
    const own = owned.has(distinct_id) ? properties : { ...properties, $process_person_profile: false };
    return { event, distinct_id, timestamp, properties: own };
  });
  const batch = [...creations(one), ...events];
  if (batch.length === 0) return { project, cohorts: new Map() };
  const response = await fetch(new URL('/batch/', server.url), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ api_key: project.projectKey, batch }),
  });
  if (response.status !== 200) throw new Error(`Capture answered ${response.status}`);
  return { project, cohorts: new Map() };
}

const creations = ({ persons }: InsightCase): SentEvent[] =>
  persons.flatMap(({ distinct_ids: [first = '', ...others], properties }) => [
    { event: '$set', distinct_id: first, timestamp: CREATED_AT, properties: { $set: properties } },
    ...others.map((alias) => ({
      event: '$create_alias',
      distinct_id: first,
      timestamp: CREATED_AT,
      properties: { distinct_id: first, alias },
    })),
  ]);

/** Creates the cohorts of the case, once its persons exist. */
export async function makeCohorts(server: TestServer, one: InsightCase, sent: SentCase): Promise<SentCase> {
  const cohorts = new Map<number, number>();
  for (const cohort of one.cohorts ?? []) cohorts.set(cohort.id, await makeCohort(server, sent.project, cohort));
  return { ...sent, cohorts };
}

async function makeCohort(server: TestServer, { projectId }: TestProject, cohort: CaseCohort): Promise<number> {
  const { post } = clientFor(server);
  const { name, groups, static_distinct_ids: members } = cohort;
  const body = members === undefined ? { name, groups } : { name, is_static: true };
  const { status, body: made } = await post(`/api/projects/${projectId}/cohorts/`, { body });
  if (status !== 201) throw new Error(`No cohort: ${JSON.stringify(made)}`);
  const { cohortMembers } = server.metadata;
  const ids = await cohortMembers.listPersonIdsByDistinctId(projectId, members ?? []);
  if (ids.length > 0) await cohortMembers.add(projectId, made.id, ids);
  return made.id;
}

/** The case with the cohort ids of the server. */
export function withCohorts(one: InsightCase, { cohorts }: SentCase): InsightCase {
  if (cohorts.size === 0) return one;
  const renumber = (id: Json): Json => cohorts.get(Number(id)) ?? id;
  const expected = one.expected.map((expectation) => ({
    ...expectation,
    value: /breakdown_value$/.test(expectation.path)
      ? renumber(expectation.value)
      : inParts(expectation.value, renumber),
  }));
  const { breakdown, funnel_step_breakdown: step } = one.filter;
  const isDivided = one.filter['breakdown_type'] === 'cohort';
  const filter: JsonObject = {
    ...(inParts(one.filter, renumber) as JsonObject),
    ...(isDivided && breakdown !== undefined
      ? { breakdown: [breakdown].flat().map((id) => renumber(id as Json)) }
      : {}),
    ...(isDivided && step !== undefined ? { funnel_step_breakdown: renumber(step) } : {}),
  };
  return { ...one, filter, expected };
}

/** Cohorts in filters, and in parts of answers. */
function inParts(value: Json, renumber: (id: Json) => Json): Json {
  if (Array.isArray(value)) return value.map((item) => inParts(item, renumber));
  if (typeof value !== 'object' || value === null) return value;
  const parts = Object.entries(value).map(([key, item]): [string, Json] => {
    const isCohort = key === 'breakdown_value' || (key === 'value' && /cohort$/.test(String(value['type'])));
    return [key, isCohort ? renumber(item) : inParts(item, renumber)];
  });
  return Object.fromEntries(parts);
}

/** Sends the request of the case. */
export function askCase(server: TestServer, one: InsightCase, { project }: SentCase): Promise<Answer> {
  const [method = 'POST', path = ''] = one.endpoint.split(' ');
  const url = path.replace(':project_id', String(project.projectId));
  const { get, post } = clientFor(server);
  if (method === 'POST') return post(url, { body: one.filter });
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(one.filter)) {
    query.set(name, typeof value === 'object' ? JSON.stringify(value) : String(value));
  }
  return get(`${url}?${query}`);
}

export async function personIdsOf(server: TestServer, one: InsightCase, { project }: SentCase): Promise<PersonIds> {
  const ids = new Map<string, Json[]>();
  for (const id of one.persons.flatMap(({ distinct_ids }) => distinct_ids)) {
    const person = await server.metadata.persons.getByDistinctId(project.projectId, id);
    ids.set(id, person === null ? [] : [person.id, person.uuid]);
  }
  return (distinctId) => ids.get(distinctId) ?? [];
}
