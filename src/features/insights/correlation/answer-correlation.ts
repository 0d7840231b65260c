/** What those who came through a funnel did, or are, more often than those who did not. */

import type { Entity } from '../../../core/actions/entity.ts';
import { matches } from '../../../core/filters/matches.ts';
import type { Filter } from '../../../core/filters/property-filter.ts';
import type { JsonObject } from '../../../core/json/json.ts';
import { searchPattern } from '../../../lib/search-pattern.ts';
import { prepareEventQuery } from '../../../query/prepare-event-query.ts';
import type { CorrelationAnswer } from '../rules/answers.ts';
import type { CorrelationPeopleQuestion, CorrelationQuestion } from '../rules/question.ts';
import { compareText } from '../rules/statistics.ts';
import {
  type AnswerDeps,
  type Participant,
  participantProperties,
  participantsOf,
  queryParticipantEvents,
} from './funnel-participants.ts';
import { eventFactors, type Factor, FactorCounter, propertyFactors, stepNames } from './rules/factors.ts';

export async function answerCorrelation(
  deps: AnswerDeps,
  projectId: number,
  question: CorrelationQuestion,
): Promise<CorrelationAnswer> {
  if (question.funnel.steps.length === 0) return { events: [], isSkewed: false };
  const travellers = await participantsOf(deps, projectId, question.funnel);
  const success = travellers.filter(({ hasConverted }) => hasConverted).length;
  const all = { success, failure: travellers.length - success };
  if (all.success === 0 || all.failure === 0) return { events: [], isSkewed: true };
  const counter = new FactorCounter();
  await COUNTERS[question.of](deps, projectId, question, travellers, counter);
  return counter.answer(question, all);
}

type Count = (
  deps: AnswerDeps,
  projectId: number,
  question: CorrelationQuestion,
  travellers: readonly Participant[],
  counter: FactorCounter,
) => Promise<void>;

const COUNTERS: Record<CorrelationQuestion['of'], Count> = {
  events: countEvents,
  properties: countProperties,
  event_with_properties: countEventsWithProperties,
};

async function countEvents(...[deps, projectId, question, travellers, counter]: Parameters<Count>): Promise<void> {
  const query = await prepareEventQuery(deps, projectId, { filters: [], hasActors: true });
  const hidden = new Set([...stepNames(question), ...question.excludedEvents]);
  const ways = queryParticipantEvents(query, question.funnel, travellers, () => ({
    select: `e.event as event, count(distinct case when t.outcome = '1' then t.actor end) as success,
      count(distinct case when t.outcome = '0' then t.actor end) as failure`,
    where: 'true',
    groupBy: 'e.event',
  }));
  for await (const rows of ways) {
    for (const { event, success, failure } of rows) {
      const trait: Factor = { event: String(event), key: null, value: null };
      if (hidden.has(String(event))) continue;
      counter.addCounted(trait, { success: Number(success), failure: Number(failure) });
    }
  }
}

async function countProperties(...[deps, projectId, question, travellers, counter]: Parameters<Count>): Promise<void> {
  for await (const { traveller, properties } of participantProperties(deps, projectId, question.funnel, travellers)) {
    counter.add(propertyFactors(question, properties), traveller.hasConverted);
  }
}

async function countEventsWithProperties(
  ...[deps, projectId, question, travellers, counter]: Parameters<Count>
): Promise<void> {
  const query = await prepareEventQuery(deps, projectId, { filters: [], hasActors: true });
  const hidden = stepNames(question);
  const names = question.names.filter((name) => !hidden.has(name));
  if (names.length === 0) return;
  const ways = queryParticipantEvents(query, question.funnel, travellers, ({ sql }) => ({
    select: 't.actor as actor, t.outcome as outcome, e.event as event, e.properties as properties',
    where: `e.event in (${names.map((name) => sql.param(name)).join(', ')})`,
  }));
  for await (const rows of ways) {
    const traits = new Map<string, { own: Factor[]; hasConverted: boolean }>();
    for (const { actor, outcome, event, properties } of rows) {
      const known = traits.get(String(actor)) ?? { own: [], hasConverted: outcome === '1' };
      known.own.push(...eventFactors(question, String(event), JSON.parse(String(properties)) as JsonObject));
      traits.set(String(actor), known);
    }
    for (const { own, hasConverted } of traits.values()) counter.add(own, hasConverted);
  }
}

/** Those who did the event on their way, or are like the filter says; of both outcomes, or of one. */
export async function findCorrelationPeople(
  deps: AnswerDeps,
  projectId: number,
  { correlation, entity, properties, converted }: CorrelationPeopleQuestion,
): Promise<string[]> {
  const { funnel } = correlation;
  const all = await participantsOf(deps, projectId, funnel);
  const travellers = all.filter(({ hasConverted }) => converted === null || hasConverted === converted);
  if (entity !== null) return participantsWhoDid(deps, projectId, correlation, travellers, entity);
  const isLike = (own: JsonObject): boolean =>
    properties === null || matches(properties as Filter, { event: own, person: own, group: () => own }, searchPattern);
  const people: string[] = [];
  for await (const { traveller, properties: own } of participantProperties(deps, projectId, funnel, travellers)) {
    if (isLike(own)) people.push(traveller.actor);
  }
  return people.sort(compareText);
}

async function participantsWhoDid(
  deps: AnswerDeps,
  projectId: number,
  { funnel }: CorrelationQuestion,
  travellers: readonly Participant[],
  entity: Entity,
): Promise<string[]> {
  const query = await prepareEventQuery(deps, projectId, { filters: [], entities: [entity], hasActors: true });
  const people: string[] = [];
  const ways = queryParticipantEvents(query, funnel, travellers, (statement) => ({
    select: 'distinct t.actor as actor',
    where: statement.isOf(entity),
  }));
  for await (const rows of ways) for (const { actor } of rows) people.push(String(actor));
  return people.sort(compareText);
}
