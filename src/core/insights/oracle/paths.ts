import { propertyText } from '../../events/hot-properties.ts';
import type { PathEdge } from '../answers/answers.ts';
import { compareText } from '../answers/assemble-trends.ts';
import type { PathItem } from '../answers/cut-path.ts';
import { spanOf } from '../funnel/journey.ts';
import { cleanItem, PATH_EVENT_KINDS } from '../paths/path-items.ts';
import { EdgeCounter, isTaken, pathCutter } from '../paths/path-steps.ts';
import type { FunnelPath, FunnelPeopleQuestion, PathsPeopleQuestion, PathsQuestion } from '../questions/question.ts';
import { withoutSlash } from '../questions/read-paths.ts';
import { isWithin, type Range } from '../time/range.ts';
import { selectedEntrants } from './funnel.ts';
import { distinct } from './measure.ts';
import type { World, WorldEvent } from './world.ts';

/** One way that somebody took, cut to what is shown. */
interface Path {
  person: string;
  items: readonly PathItem[];
}

export function answerPaths(question: PathsQuestion, world: World): PathEdge[] {
  const counter = new EdgeCounter();
  for (const { items } of pathsOf(question, world)) counter.add(items);
  return counter.answer(question);
}

function pathsOf(question: PathsQuestion, world: World): Path[] {
  const spans = question.funnel === null ? null : spansOf(question.funnel.path, question.funnel.people, world);
  const cut = pathCutter(question);
  const events = world.events.filter(
    (event) =>
      isWithin(event.timestamp, question.range) && isIncluded(question, event) && world.holds(event, question.filter),
  );
  return distinct(events.map(({ personId }) => personId)).flatMap((person) => {
    const span = spans?.get(person);
    if (spans !== null && span === undefined) return [];
    const own = events.filter(
      (event) => event.personId === person && (span === undefined || isWithin(event.timestamp, span)),
    );
    const items = own.map((event) => ({ item: itemOf(question, world, event), at: event.timestamp }));
    return cut(items).map((path) => ({ person, items: path }));
  });
}

function isIncluded({ eventTypes, customEvents }: PathsQuestion, { event, personId }: WorldEvent): boolean {
  if (personId === null) return false;
  if (eventTypes.length === 0 && customEvents.length === 0) return true;
  return customEvents.includes(event) || eventTypes.some((type) => PATH_EVENT_KINDS[type](event));
}

/** Where an event led: an address, a screen, or itself. */
function itemOf(question: PathsQuestion, world: World, { event, properties }: WorldEvent): string {
  const text = (key: string): string => (Object.hasOwn(properties, key) ? (propertyText(properties[key]) ?? '') : '');
  const item =
    event === '$pageview' ? withoutSlash(text('$current_url')) : event === '$screen' ? text('$screen_name') : event;
  return cleanItem(question, item, world.tools.replace);
}

/** When the paths of those who are at a step of a funnel begin and end. */
const spansOf = (path: FunnelPath, people: FunnelPeopleQuestion, world: World): Map<string, Range> =>
  new Map(
    selectedEntrants(people, world).flatMap(({ actor, attempts }): [string, Range][] => {
      const span = spanOf(path, people, attempts);
      return span === null ? [] : [[actor, span]];
    }),
  );

/** Who took the edge, or ended where it says; without either everybody who took a path. */
export function pathsPeople(question: PathsPeopleQuestion, world: World): string[] {
  const taken = pathsOf(question.paths, world).filter(({ items }) => isTaken(question, items));
  return distinct(taken.map(({ person }) => person)).sort(compareText);
}
