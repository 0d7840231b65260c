/** Answers the cases of insights by reader and oracle alone, in the words of the wire. */
import { RE2JS } from 're2js';
import { readSteps } from '../../src/core/actions/action-steps.ts';
import type { ActionDefinition } from '../../src/core/actions/entity.ts';
import { Failure } from '../../src/core/errors.ts';
import { elementsChain } from '../../src/core/events/elements-chain.ts';
import type { Json, JsonObject } from '../../src/core/json/json.ts';
import {
  readCorrelationPeopleQuestion,
  readCorrelationQuestion,
} from '../../src/features/insights/correlation/rules/read-correlation.ts';
import { readFunnelQuestion } from '../../src/features/insights/funnel/rules/read-funnel.ts';
import { readFunnelPeopleQuestion } from '../../src/features/insights/funnel/rules/read-funnel-people.ts';
import { kindAt } from '../../src/features/insights/kinds.ts';
import {
  readLifecyclePeopleQuestion,
  readLifecycleQuestion,
} from '../../src/features/insights/lifecycle/rules/read-lifecycle.ts';
import { readPathsPeopleQuestion, readPathsQuestion } from '../../src/features/insights/paths/rules/read-paths.ts';
import {
  readRetentionPeopleQuestion,
  readRetentionQuestion,
} from '../../src/features/insights/retention/rules/read-retention.ts';
import type {
  FunnelGroup,
  FunnelStep,
  PathEdge,
  RetentionRow,
  TrendItem,
} from '../../src/features/insights/rules/answers.ts';
import type {
  CorrelationQuestion,
  FunnelQuestion,
  FunnelValue,
  QuestionContext,
} from '../../src/features/insights/rules/question.ts';
import { readFilter } from '../../src/features/insights/rules/read-filter.ts';
import {
  readStickinessPeopleQuestion,
  readStickinessQuestion,
} from '../../src/features/insights/stickiness/rules/read-stickiness.ts';
import { readTrendsQuestion } from '../../src/features/insights/trends/rules/read-trends.ts';
import { readTrendsPeopleQuestion } from '../../src/features/insights/trends/rules/read-trends-people.ts';
import { answerCorrelation, correlationPeople } from '../oracle/correlation.ts';
import { isMatch } from '../oracle/filters.ts';
import { answerFunnel, funnelPeople } from '../oracle/funnel.ts';
import { answerLifecycle, lifecyclePeople } from '../oracle/lifecycle.ts';
import { answerPaths, pathsPeople } from '../oracle/paths.ts';
import { answerRetention, type RetentionPerson, retentionPeople } from '../oracle/retention.ts';
import { answerStickiness, stickinessPeople } from '../oracle/stickiness.ts';
import { answerTrends, trendsPeople } from '../oracle/trends.ts';
import { World, type WorldData, type WorldTools } from '../oracle/world.ts';
import { type CaseAnswer, type CaseCohort, type InsightCase, type PersonIds, sentElements } from './insight-vectors.ts';
import { SESSION_RULES } from './web-worlds.ts';

export const tools: WorldTools = {
  search: (pattern, text) => attempt(() => RE2JS.compile(pattern).matcher(text).find()),
  replace: (pattern, text, alias) =>
    attempt(() => RE2JS.compile(pattern).matcher(text).replaceAll(RE2JS.quoteReplacement(alias))),
  session: SESSION_RULES,
};

function attempt<T>(run: () => T): T | null {
  try {
    return run();
  } catch {
    return null;
  }
}

const uuidAt = (index: number): string => `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`;

const ownerOf = ({ persons }: InsightCase, distinctId: string): string | null => {
  const index = persons.findIndex(({ distinct_ids }) => distinct_ids.includes(distinctId));
  return index < 0 ? null : uuidAt(index + 1);
};

export const personIdsIn =
  (one: InsightCase): PersonIds =>
  (distinctId) =>
    [ownerOf(one, distinctId)].filter((id) => id !== null);

const worldOf = (one: InsightCase): World => new World(worldDataOf(one), tools);

export function worldDataOf(one: InsightCase): WorldData {
  const persons = one.persons.map(({ distinct_ids, properties, created_at }, index) => ({
    id: index + 1,
    uuid: uuidAt(index + 1),
    createdAt: Date.parse(created_at),
    properties,
    distinctIds: distinct_ids,
  }));
  const events = one.events.map(({ event, distinct_id, timestamp, properties, elements }, index) => ({
    uuid: uuidAt(index),
    event,
    distinctId: distinct_id,
    personId: ownerOf(one, distinct_id),
    timestamp: Date.parse(timestamp),
    properties,
    groups: [0, 1, 2, 3, 4].map((at) => (properties[`$group_${at}`] as string | undefined) ?? null),
    elementsChain: elementsChain(elements && sentElements(elements)),
  }));
  const groups = (one.groups ?? []).flatMap(({ group_type_index: index, group_key: key, properties = {} }) =>
    key === undefined ? [] : [{ index, key, properties }],
  );
  const members = (cohort: CaseCohort) => persons.filter((person) => isMember(cohort, person)).map(({ uuid }) => uuid);
  const cohorts = new Map((one.cohorts ?? []).map((cohort) => [cohort.id, new Set(members(cohort))]));
  return { events, persons, groups, cohorts };
}

const isMember = (cohort: CaseCohort, person: { distinctIds: string[]; properties: JsonObject }): boolean =>
  (cohort.static_distinct_ids ?? []).some((id) => person.distinctIds.includes(id)) ||
  cohort.groups.some(({ properties }) =>
    isMatch(readFilter(properties, 'groups'), { event: {}, person: person.properties }, tools.search),
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
  steps: readSteps(steps),
});

export function answerCase(one: InsightCase): CaseAnswer {
  try {
    const body = answer(one, worldOf(one), contextOf(one)) as JsonObject;
    return { status: 200, body: { ...body, is_cached: false, timezone: one.timezone } };
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return {
      status: 400,
      body: { type: 'validation_error', code: error.code ?? '', detail: error.message, attr: error.attr ?? null },
    };
  }
}

function answer(one: InsightCase, world: World, context: QuestionContext): Json {
  const { filter } = one;
  const people = (uuids: readonly string[]): Json => {
    const page = uuids.slice(0, Number(filter['limit'] ?? 100));
    const shown = page.map((uuid) => ({ id: uuid, uuid, distinct_ids: [...(world.person(uuid)?.distinctIds ?? [])] }));
    return { results: [{ people: shown, count: shown.length }] };
  };
  const [, path = ''] = /(insights\/[a-z/]+|person\w*\/[a-z/]+?)\/?$/.exec(one.endpoint) ?? [];
  switch (path.replace(/^person\//, 'persons/').replace(/\/$/, '')) {
    case 'insights/trend':
      return { result: trendKind(filter, world, context) };
    case 'persons/trends':
      return people(trendsPeople(readTrendsPeopleQuestion(filter, context), world).map(({ actor }) => actor));
    case 'insights/funnel':
      return { result: funnelResult(readFunnelQuestion(filter, context), world) };
    case 'persons/funnel':
      return people(funnelPeople(readFunnelPeopleQuestion(filter, context), world));
    case 'insights/funnel/correlation':
      return { result: correlationResult(readCorrelationQuestion(filter, context), world) };
    case 'persons/funnel/correlation':
      return people(correlationPeople(readCorrelationPeopleQuestion(filter, context), world));
    case 'insights/retention':
      return { result: answerRetention(readRetentionQuestion(filter, context), world).map(retentionRow) };
    case 'persons/retention':
      return { result: retentionPeople(readRetentionPeopleQuestion(filter, context), world).map(retentionPerson) };
    case 'insights/path':
      return { result: answerPaths(readPathsQuestion(filter, context), world).map(pathEdge) };
    case 'persons/path':
      return people(pathsPeople(readPathsPeopleQuestion(filter, context), world));
    case 'persons/lifecycle':
      return people(lifecyclePeople(readLifecyclePeopleQuestion(filter, context), world));
    case 'persons/stickiness':
      return people(stickinessPeople(readStickinessPeopleQuestion(filter, context), world));
    default:
      throw new Error(`no answer for ${one.endpoint}`);
  }
}

function trendKind(filter: JsonObject, world: World, context: QuestionContext): Json {
  switch (kindAt('trend', filter).kind) {
    case 'lifecycle':
      return answerLifecycle(readLifecycleQuestion(filter, context), world).map(
        (item) => ({ ...item }) as unknown as Json,
      );
    case 'stickiness':
      return answerStickiness(readStickinessQuestion(filter, context), world).map(
        (item) => ({ ...item }) as unknown as Json,
      );
    default:
      return answerTrends(readTrendsQuestion(filter, context), world).map(trendItem);
  }
}

const retentionRow = ({ label, date, breakdownValues, counts }: RetentionRow): Json => ({
  label,
  values: counts.map((count) => ({ count, people: [] })),
  ...(date === null ? {} : { date: new Date(date).toISOString() }),
  ...(breakdownValues === null ? {} : { breakdown_values: [...breakdownValues] }),
});

const retentionPerson = ({ actor, appearances }: RetentionPerson): Json => ({
  person: { id: actor },
  appearances: [...appearances],
});

const pathEdge = ({ source, target, value, averageTime }: PathEdge): Json => ({
  source,
  target,
  value,
  average_conversion_time: averageTime,
});

function correlationResult(question: CorrelationQuestion, world: World): Json {
  const { events, isSkewed } = answerCorrelation(question, world);
  const shown = events.map(({ name, success, failure, oddsRatio }) => ({
    event: name,
    success_count: success,
    failure_count: failure,
    odds_ratio: oddsRatio,
    correlation_type: oddsRatio > 1 ? 'success' : 'failure',
  }));
  return { events: shown, skewed: isSkewed };
}

/** The counts behind a funnel's trend. */
export function funnelRows(one: InsightCase): CaseAnswer {
  const answer = answerFunnel(readFunnelQuestion(one.filter, contextOf(one)), worldOf(one));
  const [trend] = answer.view === 'trends' ? answer.trends : [];
  const rows = (trend?.data ?? []).map((rate, at) => ({
    reached_from_step_count: trend?.reachedFrom[at] ?? null,
    reached_to_step_count: trend?.reachedTo[at] ?? null,
    conversion_rate: rate,
  }));
  return { status: 200, body: { rows } };
}

function funnelResult(question: FunnelQuestion, world: World): Json {
  const answer = answerFunnel(question, world);
  if (answer.view === 'time_to_convert') {
    const { bins, average } = answer.times;
    return { bins: bins.map((bin) => [...bin]), average_conversion_time: average };
  }
  if (answer.view === 'trends') {
    return answer.trends.map(({ value, data, days, labels }) => ({
      count: data.length,
      data: [...data],
      days: [...days],
      labels: [...labels],
      ...(value === null ? {} : { breakdown_value: valueJson(value) }),
    }));
  }
  const groups = answer.groups.map((group) => group.steps.map((step) => funnelStep(question, group, step)));
  return question.breakdown === null ? (groups[0] ?? []) : groups;
}

const valueJson = (value: FunnelValue): Json => (typeof value === 'object' ? [...value] : value);

function funnelStep(question: FunnelQuestion, { value, label }: FunnelGroup, step: FunnelStep): Json {
  const entity = question.steps[step.order];
  const isUnordered = question.order === 'unordered';
  const shown = {
    action_id: isUnordered ? null : (entity?.id ?? null),
    name: step.name,
    custom_name: step.customName,
    order: step.order,
    people: [],
    count: step.count,
    type: entity === undefined ? null : `${entity.kind}s`,
    average_conversion_time: step.averageTime,
    median_conversion_time: step.medianTime,
  };
  return value === null ? shown : { ...shown, ...breakdownFields(question, value, label) };
}

/** A body of an insight gets the value back in the shape in which it named the property. */
function breakdownFields({ fields, breakdown }: FunnelQuestion, value: FunnelValue, label: string | null): JsonObject {
  const own = valueJson(value);
  if (breakdown?.kind === 'cohort') return { breakdown: label, breakdown_value: own };
  if (fields['insight'] !== 'FUNNELS' || fields['breakdown_type'] === undefined)
    return { breakdown: own, breakdown_value: own };
  if (fields['breakdowns'] !== undefined) return { breakdowns: own, breakdown_value: own };
  if (typeof fields['breakdown'] !== 'string' || !Array.isArray(own)) return { breakdown: own, breakdown_value: own };
  return { breakdown: own[0] ?? '', breakdown_value: own[0] ?? '' };
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
