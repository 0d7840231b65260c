import type { Correlation, CorrelationAnswer } from '../../src/features/insights/rules/answers.ts';
import type { CorrelationPeopleQuestion, CorrelationQuestion } from '../../src/features/insights/rules/question.ts';
import { windowEnd } from './funnel-attempts.ts';
import { type Entrant, entrantsOf, funnelEvents } from './funnel-groups.ts';
import { distinct } from './measure.ts';
import { type Properties, textIn } from './property-values.ts';
import type { World, WorldEvent } from './world.ts';

type Factor = Correlation['factor'];

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
  const failure = participants.length - success;
  if (success === 0 || failure === 0) return { events: [], isSkewed: true };
  const keys = participants.map((one) => factorsOf(question, world, one).map((factor) => JSON.stringify(factor)));
  const correlations = distinct(keys.flat()).flatMap((key): Correlation[] => {
    const having = participants.filter((_, at) => keys[at]?.includes(key));
    const [s, f] = [true, false].map((is) => having.filter(({ hasConverted }) => hasConverted === is).length) as [
      number,
      number,
    ];
    const isRare = s + f < Math.min(25, 0.02 * (success + failure));
    if (isRare || (question.of === 'event_with_properties' && s + f <= 2)) return [];
    const factor = JSON.parse(key) as Factor;
    const name = [factor.event, factor.key, factor.value].filter((part) => part !== null).join('::');
    const oddsRatio = ((s + 1) * (failure - f + 1)) / ((success - s + 1) * (f + 1));
    return [{ name, factor, success: s, failure: f, oddsRatio }];
  });
  const isSkewed = success > 10 * failure || failure > 10 * success;
  return { events: strongest(correlations), isSkewed };
}

/** Ten that go with success, then ten that go with failure. */
function strongest(all: readonly Correlation[]): Correlation[] {
  const sorted = (list: readonly Correlation[], sign: number): Correlation[] =>
    list.toSorted((a, b) => sign * (a.oddsRatio - b.oddsRatio) || (a.name < b.name ? -1 : 1)).slice(0, 10);
  const isGood = ({ oddsRatio }: Correlation): boolean => oddsRatio > 1;
  return [
    ...sorted(all.filter(isGood), -1),
    ...sorted(
      all.filter((one) => !isGood(one)),
      1,
    ),
  ];
}

/** The filters of the funnel do not apply to these events. */
function participantsOf({ funnel }: CorrelationQuestion, world: World): Participant[] {
  const events = funnelEvents({ ...funnel, filter: { kind: 'and', filters: [] } }, world);
  return entrantsOf(funnel, world).map((entrant) => {
    const { actor } = entrant;
    const { hasConverted, from, until } = outcomeOf(funnel, entrant);
    const own = events.filter(
      (event) => world.actorOf(event, funnel.actor) === actor && event.timestamp > from && event.timestamp < until,
    );
    return { actor, hasConverted, events: own };
  });
}

/** From the first step of the deepest attempts to their last one, or for a whole window. */
function outcomeOf(funnel: CorrelationQuestion['funnel'], { attempts }: Entrant) {
  const depth = Math.max(...attempts.map((attempt) => attempt.depth));
  const deepest = attempts.filter((attempt) => attempt.depth === depth);
  const from = Math.min(...deepest.map(({ start }) => start));
  const hasConverted = depth === funnel.steps.length;
  const ends = deepest.flatMap(({ times }) => times.at(-1) ?? []);
  return { hasConverted, from, until: hasConverted ? Math.max(...ends) : windowEnd(funnel, from) };
}

function factorsOf(question: CorrelationQuestion, world: World, participant: Participant): Factor[] {
  const { names, of } = question;
  if (of === 'properties') return ofPerson(question, actorProperties(question, world, participant.actor));
  const steps = question.funnel.steps.flatMap((step) =>
    step.kind === 'event' ? [step.id] : step.steps.map(({ event }) => event),
  );
  const events = participant.events.filter(({ event }) => !steps.includes(event));
  if (of === 'events') {
    const shown = events.filter(({ event }) => !question.excludedEvents.includes(event));
    return shown.map(({ event }) => ({ event, key: null, value: null }));
  }
  return events
    .filter(({ event }) => names.includes(event))
    .flatMap(({ event, properties }) => texts(question, properties).map((factor) => ({ ...factor, event })));
}

/** Only texts: numbers mostly differ from person to person. */
const texts = ({ excludedProperties }: CorrelationQuestion, properties: Properties): Factor[] =>
  Object.entries(properties).flatMap(([key, value]) =>
    typeof value === 'string' && !excludedProperties.includes(key) ? [{ event: null, key, value }] : [],
  );

function ofPerson(question: CorrelationQuestion, properties: Properties): Factor[] {
  if (question.names.includes('$all')) return texts(question, properties);
  const names = question.names.filter((key) => !question.excludedProperties.includes(key));
  return names.map((key) => ({ event: null, key, value: textIn(properties, key) }));
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
    .sort();
}
