/** Answers the cases of insights by reader and oracle alone, in the words of the wire. */
import { RE2JS } from 're2js';
import { Failure } from '../../src/core/errors.ts';
import type { Json, JsonObject } from '../../src/core/events/json.ts';
import type { TrendItem } from '../../src/core/insights/answers/answers.ts';
import { answerTrends, trendsPeople } from '../../src/core/insights/oracle/trends.ts';
import { World, type WorldTools } from '../../src/core/insights/oracle/world.ts';
import type { QuestionContext } from '../../src/core/insights/questions/context.ts';
import type { ActionDefinition, UrlMatching } from '../../src/core/insights/questions/entity.ts';
import { readTrendKind, readTrendsQuestion } from '../../src/core/insights/questions/read-trends.ts';
import { readTrendsPeopleQuestion } from '../../src/core/insights/questions/read-trends-people.ts';
import { filterOf } from '../../src/core/insights/questions/read-filter.ts';
import { matches } from '../../src/core/properties/matches.ts';
import type { CaseAnswer, CaseCohort, InsightCase } from './insight-vectors.ts';

export const tools: WorldTools = {
  search: (pattern, text) => attempt(() => RE2JS.compile(pattern).matcher(text).find()),
  replace: (pattern, text, alias) => attempt(() => RE2JS.compile(pattern).matcher(text).replaceAll(RE2JS.quoteReplacement(alias))),
};

function attempt<T>(run: () => T): T | null {
  try {
    return run();
  } catch {
    return null;
  }
}

const uuidAt = (index: number): string => `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`;

export const personIdIn =
  ({ persons }: InsightCase) =>
  (distinctId: string): string => {
    const index = persons.findIndex(({ distinct_ids }) => distinct_ids.includes(distinctId));
    return index < 0 ? `nobody has ${distinctId}` : uuidAt(index + 1);
  };

export function worldOf(one: InsightCase): World {
  const personId = personIdIn(one);
  const owners = new Set(one.persons.flatMap(({ distinct_ids }) => distinct_ids));
  const persons = one.persons.map(({ distinct_ids, properties, created_at }, index) => ({
    id: index + 1,
    uuid: uuidAt(index + 1),
    createdAt: Date.parse(created_at),
    properties,
    distinctIds: distinct_ids,
  }));
  const events = one.events.map(({ event, distinct_id, timestamp, properties }, index) => ({
    uuid: uuidAt(index),
    event,
    distinctId: distinct_id,
    personId: owners.has(distinct_id) ? personId(distinct_id) : null,
    timestamp: Date.parse(timestamp),
    properties,
    groups: [0, 1, 2, 3, 4].map((at) => (properties[`$group_${at}`] as string | undefined) ?? null),
  }));
  const groups = (one.groups ?? []).flatMap(({ group_type_index: index, group_key: key, properties = {} }) =>
    key === undefined ? [] : [{ index, key, properties }],
  );
  const members = (cohort: CaseCohort) =>
    persons.filter((person) => isMember(cohort, person)).map(({ uuid }) => uuid);
  const cohorts = new Map((one.cohorts ?? []).map((cohort) => [cohort.id, new Set(members(cohort))]));
  return new World({ events, persons, groups, cohorts }, tools);
}

const isMember = (cohort: CaseCohort, person: { distinctIds: string[]; properties: JsonObject }): boolean =>
  (cohort.static_distinct_ids ?? []).some((id) => person.distinctIds.includes(id)) ||
  cohort.groups.some(({ properties }) =>
    matches(filterOf(properties, 'groups'), { event: {}, person: person.properties }, tools.search),
  );

export function contextOf(one: InsightCase): QuestionContext {
  const times = one.events.map(({ timestamp }) => Date.parse(timestamp));
  return {
    now: Date.parse(one.now),
    timezone: one.timezone,
    earliest: times.length === 0 ? null : Math.min(...times),
    testAccountFilters: one.team?.test_account_filters,
    pathCleanings: (one.team?.path_cleaning_filters ?? []).map(({ regex, alias }) => ({ pattern: regex, alias })),
    action: (id) => (one.actions ?? []).map(actionOf).find((action) => action.id === id),
    cohort: (id) => one.cohorts?.find((cohort) => cohort.id === id),
  };
}

const actionOf = ({ id, name, steps }: NonNullable<InsightCase['actions']>[number]): ActionDefinition => ({
  id,
  name,
  steps: steps.map((step) => ({
    event: (step['event'] as string | undefined) ?? null,
    url: (step['url'] as string | undefined) ?? null,
    urlMatching: (step['url_matching'] as UrlMatching | undefined) ?? 'contains',
    filter: filterOf(step['properties'], 'properties'),
  })),
});

export function answerCase(one: InsightCase): CaseAnswer {
  try {
    return { status: 200, body: answer(one, worldOf(one), contextOf(one)) };
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return { status: 400, body: { detail: error.message, attr: error.attr ?? null } };
  }
}

function answer(one: InsightCase, world: World, context: QuestionContext): Json {
  const { filter } = one;
  const people = (uuids: readonly string[]): Json => {
    const shown = uuids.map((uuid) => ({ id: uuid, uuid, distinct_ids: [...(world.person(uuid)?.distinctIds ?? [])] }));
    return { results: [{ people: shown, count: shown.length }] };
  };
  const [, path = ''] = /(insights\/[a-z/]+|person\w*\/[a-z/]+?)\/?$/.exec(one.endpoint) ?? [];
  switch (path.replace(/^person\//, 'persons/').replace(/\/$/, '')) {
    case 'insights/trend':
      return { result: trendKind(filter, world, context) };
    case 'persons/trends':
      return people(trendsPeople(readTrendsPeopleQuestion(filter, context), world).map(({ actor }) => actor));
    default:
      throw new Error(`no answer for ${one.endpoint}`);
  }
}

function trendKind(filter: JsonObject, world: World, context: QuestionContext): Json {
  switch (readTrendKind(filter)) {
    case 'trends':
      return answerTrends(readTrendsQuestion(filter, context), world).map(trendItem);
    default:
      throw new Error('not yet');
  }
}

const trendItem = ({ label, count, data, labels, days, value, period, aggregated }: TrendItem): Json => ({
  label,
  count,
  data: [...data],
  labels: [...labels],
  days: [...days],
  aggregated_value: aggregated,
  ...(value === null ? {} : { breakdown_value: value.value }),
  ...(period === null ? {} : { compare: true, compare_label: period }),
});
