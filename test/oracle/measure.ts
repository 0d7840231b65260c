import type { Actor } from '../../src/core/actor.ts';
import type { SeriesMath } from '../../src/features/insights/rules/math.ts';
import { sessionOf } from './page-events.ts';
import { numberOf, textIn } from './property-values.ts';
import { statisticOf } from './statistics.ts';
import type { Sessions, World, WorldEvent } from './world.ts';

const PERSON: Actor = { kind: 'person' };

/** Persons, or groups of a type. */
export const actorOfMath = (math: SeriesMath): Actor => {
  if (math.kind === 'unique_group') return { kind: 'group', index: math.group };
  return math.kind === 'per_actor' && math.group !== null ? { kind: 'group', index: math.group } : PERSON;
};

export const distinct = <T>(values: readonly (T | null | undefined)[]): T[] =>
  [...new Set(values)].filter((value): value is T => value !== null && value !== undefined);

/** The number of these events. Null where there is nothing to take a statistic of. */
export function measure(
  world: World,
  math: SeriesMath,
  events: readonly WorldEvent[],
  sessions: Sessions,
): number | null {
  const actors = events.map((event) => world.actorOf(event, actorOfMath(math)));
  switch (math.kind) {
    case 'total':
      return events.length;
    case 'dau':
    case 'active':
    case 'unique_group':
      return distinct(actors).length;
    case 'unique_session':
      return distinct(events.map(sessionOf)).length;
    case 'per_actor': {
      const counts = distinct(actors).map((actor) => actors.filter((one) => one === actor).length);
      return statisticOf(math.statistic, counts);
    }
    case 'property':
      return statisticOf(math.statistic, numbersOf(math.property, events, sessions));
  }
}

/** The numbers of a property; for properties of sessions one per session. */
function numbersOf(property: string, events: readonly WorldEvent[], sessions: Sessions): number[] {
  if (/^\$(session_duration|is_bounce|(pageview|screen|autocapture)_count)$/.test(property))
    return distinct(events.map(sessionOf)).map((session) => Number(sessions.get(session)?.[property] ?? 0));
  return events.flatMap(({ properties }) => numberOf(textIn(properties, property)) ?? []);
}
