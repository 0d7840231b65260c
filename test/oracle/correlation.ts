import {
  eventFactors,
  type Factor,
  FactorCounter,
  propertyFactors,
  stepNames,
} from '../../src/features/insights/correlation/rules/factors.ts';
import { outcomeOf } from '../../src/features/insights/funnel/rules/funnel-outcome.ts';
import type { CorrelationAnswer } from '../../src/features/insights/rules/answers.ts';
import type { CorrelationPeopleQuestion, CorrelationQuestion } from '../../src/features/insights/rules/question.ts';
import { compareText } from '../../src/features/insights/rules/statistics.ts';
import { entrantsOf, funnelEvents } from './funnel-groups.ts';
import type { World, WorldEvent } from './world.ts';

/** Somebody who entered the funnel, and what they did on their way through it, or until the window closed. */
interface Traveller {
  actor: string;
  hasConverted: boolean;
  events: readonly WorldEvent[];
}

export function answerCorrelation(question: CorrelationQuestion, world: World): CorrelationAnswer {
  if (question.funnel.steps.length === 0) return { events: [], isSkewed: false };
  const travellers = travellersOf(question, world);
  const success = travellers.filter(({ hasConverted }) => hasConverted).length;
  const all = { success, failure: travellers.length - success };
  if (all.success === 0 || all.failure === 0) return { events: [], isSkewed: true };
  const counter = new FactorCounter();
  for (const traveller of travellers) counter.add(traitsOf(question, world, traveller), traveller.hasConverted);
  return counter.answer(question, all);
}

/** What they did on their way counts whatever the funnel's own filters say of it. */
function travellersOf({ funnel }: CorrelationQuestion, world: World): Traveller[] {
  const events = funnelEvents({ ...funnel, filter: { kind: 'and', filters: [] } }, world);
  return entrantsOf(funnel, world).map(({ actor, attempts }) => {
    const { hasConverted, from, until } = outcomeOf(funnel, attempts);
    const own = events.filter(
      (event) => world.actorOf(event, funnel.actor) === actor && event.timestamp > from && event.timestamp < until,
    );
    return { actor, hasConverted, events: own };
  });
}

function traitsOf(question: CorrelationQuestion, world: World, traveller: Traveller): Factor[] {
  const { names, of } = question;
  if (of === 'properties') return propertyFactors(question, actorProperties(question, world, traveller.actor));
  const events = traveller.events.filter(({ event }) => !stepNames(question).has(event));
  if (of === 'events') {
    const shown = events.filter(({ event }) => !question.excludedEvents.includes(event));
    return shown.map(({ event }) => ({ event, key: null, value: null }));
  }
  return events
    .filter(({ event }) => names.includes(event))
    .flatMap(({ event, properties }) => eventFactors(question, event, properties));
}

const actorProperties = ({ funnel }: CorrelationQuestion, world: World, actor: string): WorldEvent['properties'] =>
  (funnel.actor.kind === 'person'
    ? world.person(actor)?.properties
    : world.group(funnel.actor.index, actor)?.properties) ?? {};

/** Those who did the event on their way, or are like the filter says; of both outcomes, or of one. */
export function correlationPeople(question: CorrelationPeopleQuestion, world: World): string[] {
  const { correlation, entity, properties, converted } = question;
  const isAsked = ({ actor, hasConverted, events }: Traveller): boolean => {
    if (converted !== null && hasConverted !== converted) return false;
    if (entity !== null) return events.some((event) => world.isOf(event, entity));
    return properties === null || world.holdsFor(actorProperties(correlation, world, actor), properties);
  };
  return travellersOf(correlation, world)
    .filter(isAsked)
    .map(({ actor }) => actor)
    .sort(compareText);
}
