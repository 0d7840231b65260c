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

/** An entrant, and their events in the funnel, or until the end of the window. */
interface Participant {
  actor: string;
  hasConverted: boolean;
  events: readonly WorldEvent[];
}

export function answerCorrelation(question: CorrelationQuestion, world: World): CorrelationAnswer {
  if (question.funnel.steps.length === 0) return { events: [], isSkewed: false };
  const participants = participantsOf(question, world);
  const success = participants.filter(({ hasConverted }) => hasConverted).length;
  const all = { success, failure: participants.length - success };
  if (all.success === 0 || all.failure === 0) return { events: [], isSkewed: true };
  const counter = new FactorCounter();
  for (const participant of participants)
    counter.add(factorsOf(question, world, participant), participant.hasConverted);
  return counter.answer(question, all);
}

/** The filters of the funnel do not apply to these events. */
function participantsOf({ funnel }: CorrelationQuestion, world: World): Participant[] {
  const events = funnelEvents({ ...funnel, filter: { kind: 'and', filters: [] } }, world);
  return entrantsOf(funnel, world).map(({ actor, attempts }) => {
    const { hasConverted, from, until } = outcomeOf(funnel, attempts);
    const own = events.filter(
      (event) => world.actorOf(event, funnel.actor) === actor && event.timestamp > from && event.timestamp < until,
    );
    return { actor, hasConverted, events: own };
  });
}

function factorsOf(question: CorrelationQuestion, world: World, participant: Participant): Factor[] {
  const { names, of } = question;
  if (of === 'properties') return propertyFactors(question, actorProperties(question, world, participant.actor));
  const events = participant.events.filter(({ event }) => !stepNames(question).has(event));
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

/** Participants who did the event, or whose properties match; of one outcome or both. */
export function correlationPeople(question: CorrelationPeopleQuestion, world: World): string[] {
  const { correlation, entity, properties, converted } = question;
  const isAsked = ({ actor, hasConverted, events }: Participant): boolean => {
    if (converted !== null && hasConverted !== converted) return false;
    if (entity !== null) return events.some((event) => world.isOf(event, entity));
    return properties === null || world.holdsFor(actorProperties(correlation, world, actor), properties);
  };
  return participantsOf(correlation, world)
    .filter(isAsked)
    .map(({ actor }) => actor)
    .sort(compareText);
}
