import { propertyText } from '../../src/core/events/hot-properties.ts';
import { isInRange, type Range } from '../../src/core/time/range.ts';
import { pathRange } from '../../src/features/insights/funnel/rules/funnel-outcome.ts';
import { EdgeCounter, matchesEdge } from '../../src/features/insights/paths/rules/path-edges.ts';
import { cleanItem, type PathItem, pauseRule, trimPath } from '../../src/features/insights/paths/rules/path-items.ts';
import { withoutSlash } from '../../src/features/insights/paths/rules/read-paths.ts';
import type { PathEdge } from '../../src/features/insights/rules/answers.ts';
import type {
  FunnelPath,
  FunnelPeopleQuestion,
  PathEventType,
  PathsPeopleQuestion,
  PathsQuestion,
} from '../../src/features/insights/rules/question.ts';
import { compareText } from '../../src/features/insights/rules/statistics.ts';
import { selectedEntrants } from './funnel.ts';
import { distinct } from './measure.ts';
import type { World, WorldEvent } from './world.ts';

/** A path of a person, trimmed to what is shown. */
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
  const ranges = question.funnel === null ? null : rangesOf(question.funnel.path, question.funnel.people, world);
  const split = pathSplitter(question);
  const events = world.events.filter(
    (event) =>
      isInRange(event.timestamp, question.range) && isIncluded(question, event) && world.holds(event, question.filter),
  );
  return distinct(events.map(({ personId }) => personId)).flatMap((person) => {
    const range = ranges?.get(person);
    if (ranges !== null && range === undefined) return [];
    const own = events.filter(
      (event) => event.personId === person && (range === undefined || isInRange(event.timestamp, range)),
    );
    const items = own.map((event) => ({ item: itemOf(question, world, event), at: event.timestamp }));
    return split(items).map((path) => ({ person, items: path }));
  });
}

/** The paths of one person, trimmed to what is shown. */
function pathSplitter(question: PathsQuestion): (items: readonly PathItem[]) => PathItem[][] {
  const isPause = pauseRule(question);
  const excluded = new Set(question.excluded);
  return (items) => {
    const kept = items.filter(({ item }) => !excluded.has(item));
    return splitAtPauses(kept, isPause).flatMap((session) => {
      const trimmed = trimPath(mergeRepeats(session), question);
      return trimmed === null ? [] : [trimmed];
    });
  };
}

function splitAtPauses(items: readonly PathItem[], isPause: (from: number, to: number) => boolean): PathItem[][] {
  const sessions: PathItem[][] = [];
  for (const [index, item] of items.entries()) {
    const before = items[index - 1];
    if (before === undefined || isPause(before.at, item.at)) sessions.push([]);
    sessions.at(-1)?.push(item);
  }
  return sessions;
}

/** Directly repeated items are one, at the time of the last. */
const mergeRepeats = (items: readonly PathItem[]): PathItem[] =>
  items.filter(({ item }, at) => items[at + 1]?.item !== item);

const PATH_EVENT_TESTS: Record<PathEventType, (event: string) => boolean> = {
  $pageview: (event) => event === '$pageview',
  $screen: (event) => event === '$screen',
  custom_event: (event) => !event.startsWith('$'),
};

function isIncluded({ eventTypes, customEvents }: PathsQuestion, { event, personId }: WorldEvent): boolean {
  if (personId === null) return false;
  if (eventTypes.length === 0 && customEvents.length === 0) return true;
  return customEvents.includes(event) || eventTypes.some((type) => PATH_EVENT_TESTS[type](event));
}

/** The address, the screen, or the name of the event. */
function itemOf(question: PathsQuestion, world: World, { event, properties }: WorldEvent): string {
  const text = (key: string): string => (Object.hasOwn(properties, key) ? (propertyText(properties[key]) ?? '') : '');
  const item =
    event === '$pageview' ? withoutSlash(text('$current_url')) : event === '$screen' ? text('$screen_name') : event;
  return cleanItem(question, item, world.tools.replace);
}

/** When the paths of persons at a step of the funnel start and end. */
const rangesOf = (path: FunnelPath, people: FunnelPeopleQuestion, world: World): Map<string, Range> =>
  new Map(
    selectedEntrants(people, world).flatMap(({ actor, attempts }): [string, Range][] => {
      const range = pathRange(path, people, attempts);
      return range === null ? [] : [[actor, range]];
    }),
  );

/** Persons with the edge or the drop-off; without either all persons with a path. */
export function pathsPeople(question: PathsPeopleQuestion, world: World): string[] {
  const taken = pathsOf(question.paths, world).filter(({ items }) => matchesEdge(question, items));
  return distinct(taken.map(({ person }) => person)).sort(compareText);
}
