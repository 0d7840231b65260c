import type { Range } from '../../src/core/time/range.ts';
import type { PathEdge } from '../../src/features/insights/rules/answers.ts';
import type {
  FunnelPath,
  FunnelPeopleQuestion,
  PathEventType,
  PathsPeopleQuestion,
  PathsQuestion,
} from '../../src/features/insights/rules/question.ts';
import { selectedEntrants } from './funnel.ts';
import { type Attempt, windowEnd } from './funnel-attempts.ts';
import { distinct } from './measure.ts';
import { textOf } from './property-values.ts';
import { average } from './statistics.ts';
import { isWithin, MINUTE } from './time.ts';
import type { World, WorldEvent } from './world.ts';

interface PathItem {
  item: string;
  at: number;
}

/** A path of a person, trimmed to what is shown. */
interface Path {
  person: string;
  items: readonly PathItem[];
}

export function answerPaths(question: PathsQuestion, world: World): PathEdge[] {
  const hops = pathsOf(question, world).flatMap(({ items }) => hopsOf(items));
  const names = distinct(hops.map(({ source, target }) => JSON.stringify([source, target])));
  const edges = names.map((name) => {
    const same = hops.filter(({ source, target }) => JSON.stringify([source, target]) === name);
    const [source = '', target = ''] = JSON.parse(name) as string[];
    return { source, target, value: same.length, averageTime: average(same.map(({ time }) => time)) ?? 0 };
  });
  return shownEdges(question, edges);
}

/** From one item to the next, each with its position. */
const hopsOf = (items: readonly PathItem[]) =>
  items.slice(1).map(({ item, at }, index) => {
    const before = items[index] as PathItem;
    return { source: `${index + 1}_${before.item}`, target: `${index + 2}_${item}`, time: at - before.at };
  });

/** The heaviest edges; without limits of weight only those that can be reached from a first item. */
function shownEdges({ minWeight, maxWeight, edgeLimit }: PathsQuestion, edges: readonly PathEdge[]): PathEdge[] {
  const order = ({ source, target }: PathEdge): string[] => [source, target];
  const heaviest = edges
    .filter(({ value }) => value >= (minWeight ?? value) && value <= (maxWeight ?? value))
    .sort((a, b) => b.value - a.value || (less(order(a), order(b)) ? -1 : 1))
    .slice(0, edgeLimit ?? edges.length);
  if (minWeight !== null || maxWeight !== null) return heaviest;
  const isReached = ({ source }: PathEdge): boolean =>
    source.startsWith('1_') || heaviest.some((edge) => edge.target === source && isReached(edge));
  return heaviest.filter(isReached);
}

const less = ([a = '', b = '']: string[], [c = '', d = '']: string[]): boolean => a < c || (a === c && b < d);

function pathsOf(question: PathsQuestion, world: World): Path[] {
  const ranges = question.funnel === null ? null : rangesOf(question.funnel.path, question.funnel.people, world);
  const split = pathSplitter(question);
  const events = world.events.filter(
    (event) =>
      isWithin(event.timestamp, question.range) && isIncluded(question, event) && world.holds(event, question.filter),
  );
  return distinct(events.map(({ personId }) => personId)).flatMap((person) => {
    const range = ranges?.get(person);
    if (ranges !== null && range === undefined) return [];
    const own = events.filter(
      (event) => event.personId === person && (range === undefined || isWithin(event.timestamp, range)),
    );
    const items = own.map((event) => ({ item: itemOf(question, world, event), at: event.timestamp }));
    return split(items).map((path) => ({ person, items: path }));
  });
}

/** The paths of one person, trimmed to what is shown. */
function pathSplitter(question: PathsQuestion): (items: readonly PathItem[]) => PathItem[][] {
  const { funnel } = question;
  const isPause = (from: number, to: number): boolean =>
    funnel === null ? to - from >= 30 * MINUTE : to >= windowEnd(funnel.people.funnel, from);
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

/** The part of a path that is shown; null where it misses the start or the end. */
function trimPath(items: readonly PathItem[], { start, end, stepLimit }: PathsQuestion): PathItem[] | null {
  const names = items.map(({ item }) => item);
  const first = start === null ? 0 : names.indexOf(start);
  if (first < 0) return null;
  if (end === null) return items.slice(first, first + stepLimit);
  const last = names.indexOf(end, first);
  if (last < 0) return null;
  const path = items.slice(first, last + 1);
  if (path.length <= stepLimit) return path;
  if (start === null) return path.slice(path.length - stepLimit);
  const half = Math.floor(stepLimit / 2);
  const tail = path.slice(path.length - half);
  const left = path[path.length - half - 1] as PathItem;
  return [...path.slice(0, half), { item: '...', at: left.at }, ...tail];
}

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
  const text = (key: string): string => textOf(properties[key] ?? '');
  const item =
    event === '$pageview'
      ? text('$current_url').replace(/(.)\/$/s, '$1')
      : event === '$screen'
        ? text('$screen_name')
        : event;
  if (question.cleanings.length === 0) return question.groupings.find((group) => isInGroup(item, group)) ?? item;
  return question.cleanings.reduce(
    (path, { pattern, alias }) => world.tools.replace(pattern, path, alias) ?? path,
    item,
  );
}

/** The parts between the stars, one after the other, anywhere in the item. */
const isInGroup = (item: string, group: string): boolean =>
  new RegExp(group.split('*').map(literal).join('.*'), 's').test(item);

const literal = (text: string): string => text.replace(/[^\w\s]/g, '\\$&');

/** When the paths of persons at a step of the funnel start and end. */
const rangesOf = (path: FunnelPath, people: FunnelPeopleQuestion, world: World): Map<string, Range> =>
  new Map(
    selectedEntrants(people, world).flatMap(({ actor, attempts }): [string, Range][] => {
      const range = pathRange(path, people, attempts);
      return range === null ? [] : [[actor, range]];
    }),
  );

function pathRange(
  path: FunnelPath,
  { funnel, selection }: FunnelPeopleQuestion,
  attempts: readonly Attempt[],
): Range | null {
  const asked = selection.kind === 'reached' ? selection.step : selection.kind === 'dropped' ? selection.step - 1 : 1;
  const [best] = attempts.toSorted((a, b) => b.depth - a.depth || a.start - b.start);
  const [at, before] = [best?.times[asked - 1] ?? null, best?.times[asked - 2] ?? null];
  if (at === null) return null;
  if (path === 'funnel_path_after_step') return { from: at, until: windowEnd(funnel, at) + 1 };
  if (path === 'funnel_path_before_step') return { from: windowEnd(funnel, at, -1), until: at + 1 };
  return before === null ? null : { from: before, until: at + 1 };
}

/** Persons with the edge or the drop-off; without either all persons with a path. */
export function pathsPeople(question: PathsPeopleQuestion, world: World): string[] {
  const { startKey, endKey, dropoffKey } = question;
  const isTaken = (items: readonly PathItem[]): boolean => {
    if (dropoffKey !== null) return items.length > 0 && `${items.length}_${items.at(-1)?.item}` === dropoffKey;
    return hopsOf(items).some(({ source, target }) => source === (startKey ?? source) && target === (endKey ?? target));
  };
  const taken = pathsOf(question.paths, world).filter(({ items }) => isTaken(items));
  return distinct(taken.map(({ person }) => person)).sort();
}
