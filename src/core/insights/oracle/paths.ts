import { propertyText } from '../../events/hot-properties.ts';
import type { PathEdge } from '../answers/answers.ts';
import { compareText } from '../answers/assemble-trends.ts';
import { collapse, cutPath, PATH_PAUSE_MS, type PathItem } from '../answers/cut-path.ts';
import { pruneEdges } from '../answers/prune-edges.ts';
import { spanOf } from '../funnel/journey.ts';
import { mean } from '../numbers/statistics.ts';
import type {
  FunnelPath,
  FunnelPeopleQuestion,
  PathEvents,
  PathsPeopleQuestion,
  PathsQuestion,
} from '../questions/question.ts';
import { withoutSlash } from '../questions/read-paths.ts';
import { addTo } from '../time/interval.ts';
import { isWithin, type Range } from '../time/range.ts';
import { funnelPeople } from './funnel.ts';
import { entrantsOf } from './funnel-groups.ts';
import { distinct } from './measure.ts';
import type { World, WorldEvent } from './world.ts';

/** One way that somebody took, cut to what is shown. */
interface Path {
  person: string;
  items: readonly PathItem[];
}

/** One step of a path, with the places of its two ends. */
interface Step {
  person: string;
  source: string;
  target: string;
  time: number;
}

export function answerPaths(question: PathsQuestion, world: World): PathEdge[] {
  return pruneEdges(edgesOf(stepsOf(pathsOf(question, world))), question);
}

function edgesOf(steps: readonly Step[]): PathEdge[] {
  const keys = distinct(steps.map(({ source, target }) => JSON.stringify([source, target])));
  return keys.map((key) => {
    const [source, target] = JSON.parse(key) as [string, string];
    const own = steps.filter((step) => step.source === source && step.target === target);
    return { source, target, value: own.length, averageTime: mean(own.map(({ time }) => time)) ?? 0 };
  });
}

const stepsOf = (paths: readonly Path[]): Step[] =>
  paths.flatMap(({ person, items }) =>
    items.slice(1).map(({ item, at }, index) => {
      const before = items[index] as PathItem;
      return { person, source: `${index + 1}_${before.item}`, target: `${index + 2}_${item}`, time: at - before.at };
    }),
  );

function pathsOf(question: PathsQuestion, world: World): Path[] {
  const spans = question.funnel === null ? null : spansOf(question.funnel.path, question.funnel.people, world);
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
    const kept = items.filter(({ item }) => !question.excluded.includes(item));
    return sessionsOf(question, kept).flatMap((session) => {
      const cut = cutPath(collapse(session), question);
      return cut === null ? [] : [{ person, items: cut }];
    });
  });
}

const KINDS: Record<PathEvents, (event: string) => boolean> = {
  $pageview: (event) => event === '$pageview',
  $screen: (event) => event === '$screen',
  custom_event: (event) => !event.startsWith('$'),
};

function isIncluded({ eventTypes, customEvents }: PathsQuestion, { event, personId }: WorldEvent): boolean {
  if (personId === null) return false;
  if (eventTypes.length === 0 && customEvents.length === 0) return true;
  return customEvents.includes(event) || eventTypes.some((type) => KINDS[type](event));
}

/** Where an event led: an address, a screen, or itself. */
function itemOf(question: PathsQuestion, world: World, { event, properties }: WorldEvent): string {
  const text = (key: string): string => (Object.hasOwn(properties, key) ? (propertyText(properties[key]) ?? '') : '');
  const item =
    event === '$pageview' ? withoutSlash(text('$current_url')) : event === '$screen' ? text('$screen_name') : event;
  if (question.cleanings.length > 0) {
    return question.cleanings.reduce(
      (path, { pattern, alias }) => world.tools.replace(pattern, path, alias) ?? path,
      item,
    );
  }
  return question.groupings.find((grouping) => holdsGrouping(item, grouping)) ?? item;
}

/** The grouping's literal parts, one after the other, anywhere in the item; `*` is whatever lies between them. */
export function holdsGrouping(item: string, grouping: string): boolean {
  let at = 0;
  for (const part of grouping.split('*')) {
    const found = item.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return true;
}

/** A pause ends a path; on the way through a funnel only the funnel's own window does. */
function sessionsOf({ funnel, timezone }: PathsQuestion, items: readonly PathItem[]): PathItem[][] {
  const isPause = (from: number, to: number): boolean => {
    if (funnel === null) return to - from >= PATH_PAUSE_MS;
    const { window } = funnel.people.funnel;
    return to >= addTo(from, window.count, window.unit, timezone);
  };
  const sessions: PathItem[][] = [];
  for (const [index, item] of items.entries()) {
    const before = items[index - 1];
    if (before === undefined || isPause(before.at, item.at)) sessions.push([]);
    sessions.at(-1)?.push(item);
  }
  return sessions;
}

/** When the paths of those who are at a step of a funnel begin and end. */
function spansOf(path: FunnelPath, people: FunnelPeopleQuestion, world: World): Map<string, Range> {
  const asked = new Set(funnelPeople(people, world));
  const spans = entrantsOf(people.funnel, world).flatMap(({ actor, attempts }): [string, Range][] => {
    const span = asked.has(actor) ? spanOf(path, people, attempts) : null;
    return span === null ? [] : [[actor, span]];
  });
  return new Map(spans);
}

/** Who took the edge, or ended where it says; without either everybody who took a path. */
export function pathsPeople({ paths, startKey, endKey, dropoffKey }: PathsPeopleQuestion, world: World): string[] {
  const all = pathsOf(paths, world);
  if (dropoffKey !== null) {
    const ended = all.filter(({ items }) => items.length > 0 && `${items.length}_${items.at(-1)?.item}` === dropoffKey);
    return distinct(ended.map(({ person }) => person)).sort(compareText);
  }
  const steps = stepsOf(all).filter(
    ({ source, target }) => (startKey === null || source === startKey) && (endKey === null || target === endKey),
  );
  return distinct(steps.map(({ person }) => person)).sort(compareText);
}
