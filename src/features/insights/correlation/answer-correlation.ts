/** Events and properties that correlate with conversion in a funnel. */
import type { Entity } from '../../../core/actions/entity.ts';
import { matches } from '../../../core/filters/matches.ts';
import { type Filter, NO_FILTER } from '../../../core/filters/property-filter.ts';
import { parseExact } from '../../../core/json/exact-json.ts';
import type { JsonObject } from '../../../core/json/json.ts';
import { preparePatternSearch } from '../../../lib/search-pattern.ts';
import { prepareEventQuery } from '../../../query/prepare-event-query.ts';
import type { ScanDeps } from '../../../query/query-deps.ts';
import type { CorrelationAnswer } from '../rules/answers.ts';
import type { CorrelationPeopleQuestion, CorrelationQuestion } from '../rules/question.ts';
import { compareText } from '../rules/statistics.ts';
import {
  type Participant,
  participantProperties,
  participantsOf,
  queryParticipantEvents,
} from './funnel-participants.ts';
import { eventFactors, type Factor, FactorCounter, propertyFactors, stepNames } from './rules/factors.ts';

export async function answerCorrelation(
  deps: ScanDeps,
  projectId: number,
  question: CorrelationQuestion,
): Promise<CorrelationAnswer> {
  if (question.funnel.steps.length === 0) return { events: [], isSkewed: false };
  const participants = await participantsOf(deps, projectId, question.funnel);
  const success = participants.filter(({ hasConverted }) => hasConverted).length;
  const all = { success, failure: participants.length - success };
  if (all.success === 0 || all.failure === 0) return { events: [], isSkewed: true };
  const counter = new FactorCounter();
  await COUNTERS[question.of](deps, projectId, question, participants, counter);
  return counter.answer(question, all);
}

type Count = (
  deps: ScanDeps,
  projectId: number,
  question: CorrelationQuestion,
  participants: readonly Participant[],
  counter: FactorCounter,
) => Promise<void>;

const COUNTERS: Record<CorrelationQuestion['of'], Count> = {
  events: countEventsIn,
  properties: countProperties,
  event_with_properties: countEventsWithProperties,
};

async function countEventsIn(...[deps, projectId, question, participants, counter]: Parameters<Count>): Promise<void> {
  const query = await prepareEventQuery(deps, projectId, { filters: [], hasActors: true });
  const hidden = new Set([...stepNames(question), ...question.excludedEvents]);
  const batches = queryParticipantEvents(query, question.funnel, participants, () => ({
    select: `e.event as event, count(distinct case when t.outcome = '1' then t.actor end) as success,
      count(distinct case when t.outcome = '0' then t.actor end) as failure`,
    where: 'true',
    groupBy: 'e.event',
  }));
  for await (const rows of batches) {
    for (const { event, success, failure } of rows) {
      const factor: Factor = { event: String(event), key: null, value: null };
      if (hidden.has(String(event))) continue;
      counter.addCounted(factor, { success: Number(success), failure: Number(failure) });
    }
  }
}

async function countProperties(
  ...[deps, projectId, question, participants, counter]: Parameters<Count>
): Promise<void> {
  for await (const { participant, properties } of participantProperties(
    deps,
    projectId,
    question.funnel,
    participants,
  )) {
    counter.add(propertyFactors(question, properties), participant.hasConverted);
  }
}

async function countEventsWithProperties(
  ...[deps, projectId, question, participants, counter]: Parameters<Count>
): Promise<void> {
  const query = await prepareEventQuery(deps, projectId, { filters: [], hasActors: true });
  const hidden = stepNames(question);
  const names = question.names.filter((name) => !hidden.has(name));
  if (names.length === 0) return;
  const batches = queryParticipantEvents(query, question.funnel, participants, ({ sql }) => ({
    select: 't.actor as actor, t.outcome as outcome, e.event as event, e.properties as properties',
    where: `e.event in (${names.map((name) => sql.param(name)).join(', ')})`,
  }));
  for await (const rows of batches) {
    const factors = new Map<string, { own: Factor[]; hasConverted: boolean }>();
    for (const { actor, outcome, event, properties } of rows) {
      const known = factors.get(String(actor)) ?? { own: [], hasConverted: outcome === '1' };
      known.own.push(...eventFactors(question, String(event), parseExact(String(properties)) as JsonObject));
      factors.set(String(actor), known);
    }
    for (const { own, hasConverted } of factors.values()) counter.add(own, hasConverted);
  }
}

/** Participants who did the event in the funnel, or whose properties match; of one outcome or both. */
export async function findCorrelationPeople(
  deps: ScanDeps,
  projectId: number,
  { correlation, entity, properties, converted }: CorrelationPeopleQuestion,
): Promise<string[]> {
  const { funnel } = correlation;
  const all = await participantsOf(deps, projectId, funnel);
  const participants = all.filter(({ hasConverted }) => converted === null || hasConverted === converted);
  if (entity !== null) return participantsWhoDid(deps, projectId, correlation, participants, entity);
  const filter = properties as Filter | null;
  const search = await preparePatternSearch(filter ?? NO_FILTER);
  const matchesProperties = (own: JsonObject): boolean =>
    filter === null || matches(filter, { event: own, person: own, group: () => own }, search);
  const people: string[] = [];
  for await (const { participant, properties: own } of participantProperties(deps, projectId, funnel, participants)) {
    if (matchesProperties(own)) people.push(participant.actor);
  }
  return people.sort(compareText);
}

async function participantsWhoDid(
  deps: ScanDeps,
  projectId: number,
  { funnel }: CorrelationQuestion,
  participants: readonly Participant[],
  entity: Entity,
): Promise<string[]> {
  const { timezone } = funnel;
  const query = await prepareEventQuery(deps, projectId, {
    filters: [],
    entities: [entity],
    timezone,
    hasActors: true,
  });
  const people: string[] = [];
  const batches = queryParticipantEvents(query, funnel, participants, (statement) => ({
    select: 'distinct t.actor as actor',
    where: statement.isOf(entity),
  }));
  for await (const rows of batches) for (const { actor } of rows) people.push(String(actor));
  return people.sort(compareText);
}
