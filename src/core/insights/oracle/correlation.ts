import { propertyText } from '../../events/hot-properties.ts';
import type { Correlation, CorrelationAnswer } from '../answers/answers.ts';
import { compareText } from '../answers/assemble-trends.ts';
import { journeyOf } from '../funnel/journey.ts';
import { fewestThatCount, isSkewed, type Outcomes, oddsRatio, strongest } from '../numbers/odds.ts';
import type { CorrelationPeopleQuestion, CorrelationQuestion } from '../questions/question.ts';
import { entrantsOf, funnelEvents } from './funnel-groups.ts';
import { distinct } from './measure.ts';
import type { World, WorldEvent } from './world.ts';

/** Somebody who entered the funnel, and what they did on their way through it, or until the window closed. */
interface Traveller {
  actor: string;
  hasConverted: boolean;
  events: readonly WorldEvent[];
}

const FEWEST_WITH_PROPERTY = 2;

export function answerCorrelation(question: CorrelationQuestion, world: World): CorrelationAnswer {
  if (question.funnel.steps.length === 0) return { events: [], isSkewed: false };
  const travellers = travellersOf(question, world);
  const all = outcomesOf(travellers);
  if (all.success === 0 || all.failure === 0) return { events: [], isSkewed: true };
  const traits = travellers.map(
    (traveller) => new Set(traitsOf(question, world, traveller).map((of) => JSON.stringify(of))),
  );
  const correlations = distinct(traits.flatMap((own) => [...own])).flatMap((trait): Correlation[] => {
    const of = JSON.parse(trait) as Trait;
    const own = outcomesOf(travellers.filter((_, at) => traits[at]?.has(trait)));
    const count = own.success + own.failure;
    if (count < fewestThatCount(all)) return [];
    if (question.of === 'event_with_properties' && count <= FEWEST_WITH_PROPERTY) return [];
    return [{ name: nameOf(of), of, ...own, oddsRatio: oddsRatio(all, own) }];
  });
  return { events: strongest(correlations), isSkewed: isSkewed(all) };
}

const outcomesOf = (travellers: readonly Traveller[]): Outcomes => ({
  success: travellers.filter(({ hasConverted }) => hasConverted).length,
  failure: travellers.filter(({ hasConverted }) => !hasConverted).length,
});

/**
 * What they did on their way counts whatever the funnel's own filters say of it.
 */
function travellersOf({ funnel }: CorrelationQuestion, world: World): Traveller[] {
  const events = funnelEvents({ ...funnel, filter: { kind: 'and', filters: [] } }, world);
  return entrantsOf(funnel, world).map(({ actor, attempts }) => {
    const { hasConverted, from, until } = journeyOf(funnel, attempts);
    const own = events.filter(
      (event) => world.actorOf(event, funnel.actor) === actor && event.timestamp > from && event.timestamp < until,
    );
    return { actor, hasConverted, events: own };
  });
}

type Trait = Correlation['of'];

const nameOf = ({ event, key, value }: Trait): string => [event, key, value].filter((part) => part !== null).join('::');

function traitsOf(question: CorrelationQuestion, world: World, traveller: Traveller): Trait[] {
  const { names, of } = question;
  if (of === 'properties') return propertyTraits(question, world, traveller.actor);
  const events = traveller.events.filter(({ event }) => !stepNames(question).has(event));
  if (of === 'events') {
    const shown = events.filter(({ event }) => !question.excludedEvents.includes(event));
    return shown.map(({ event }) => ({ event, key: null, value: null }));
  }
  return events
    .filter(({ event }) => names.includes(event))
    .flatMap(({ event, properties }) => texts(question, properties).map(([key, value]) => ({ event, key, value })));
}

const stepNames = ({ funnel }: CorrelationQuestion): Set<string> =>
  new Set(
    funnel.steps.flatMap((step) =>
      step.kind === 'event' ? (step.id ?? []) : step.steps.flatMap(({ event }) => event ?? []),
    ),
  );

/** All properties that are texts; numbers differ from person to person and say little. */
const texts = ({ excludedProperties }: CorrelationQuestion, properties: WorldEvent['properties']): [string, string][] =>
  Object.entries(properties).flatMap(([key, value]): [string, string][] =>
    typeof value === 'string' && !excludedProperties.includes(key) ? [[key, value]] : [],
  );

function propertyTraits(question: CorrelationQuestion, world: World, actor: string): Trait[] {
  const properties = actorProperties(question, world, actor);
  if (question.names.includes('$all'))
    return texts(question, properties).map(([key, value]) => ({ event: null, key, value }));
  return question.names
    .filter((key) => !question.excludedProperties.includes(key))
    .map((key) => ({ event: null, key, value: textOf(properties, key) }));
}

const textOf = (properties: WorldEvent['properties'], key: string): string =>
  Object.hasOwn(properties, key) ? (propertyText(properties[key]) ?? 'null') : '';

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
