/**
 * The ways that people take. The engine gives each person's items as numbers; what is a path, and which part of it is
 * shown, is decided by the rules of `core/insights/paths`.
 */

import { isInRange, type Range } from '../../../core/time/range.ts';
import { inBatches } from '../../../lib/in-turns.ts';
import type { ScanDeps } from '../../../query/query-deps.ts';
import { selectedEntrants } from '../funnel/answer-funnel.ts';
import { pathRange } from '../funnel/rules/funnel-outcome.ts';
import type { PathEdge } from '../rules/answers.ts';
import type { PathsPeopleQuestion, PathsQuestion } from '../rules/question.ts';
import { compareText } from '../rules/statistics.ts';
import { ACTOR_BATCH_SIZE } from '../shared/actor-rows.ts';
import { EXCLUDED_CODE, type PathCodes } from './path-codes.ts';
import { type ActorItems, type PathEventBatch, pathEvents } from './path-events.ts';
import { EdgeCounter, matchesEdge, minShownWeight } from './rules/path-edges.ts';
import { type PathItem, pauseRule, trimPath } from './rules/path-items.ts';

export async function answerPaths(deps: ScanDeps, projectId: number, question: PathsQuestion): Promise<PathEdge[]> {
  let steps: StepCounter | undefined;
  const isWhole = question.start === null && question.end === null;
  await eachPath(deps, projectId, question, { hasNames: false }, ({ codes }, way) => {
    steps ??= new StepCounter(codes, question.stepLimit);
    if (isWhole) steps.addFirst(way);
    else steps.add(trimPath(namedItems(codes, way), question) ?? []);
  });
  return (steps?.edges(question) ?? new EdgeCounter()).answer(question);
}

export async function findPathsPeople(
  deps: ScanDeps,
  projectId: number,
  question: PathsPeopleQuestion,
): Promise<string[]> {
  const people = new Set<string>();
  await eachPath(deps, projectId, question.paths, { hasNames: true }, (events, way) => {
    const path = trimPath(namedItems(events.codes, way), question.paths);
    if (path !== null && matchesEdge(question, path)) people.add(events.nameOf(way.actor));
  });
  return [...people].sort(compareText);
}

const namedItems = (codes: PathCodes, { items, times, length }: Path): PathItem[] =>
  Array.from({ length }, (_, index) => ({
    item: codes.nameOf(items[index] as number),
    at: times[index] as number,
  }));

/** One way without a pause, repeated items put together at the time of the last. It is used again for the next. */
interface Path {
  actor: number;
  length: number;
  items: Int32Array;
  times: Float64Array;
}

type OnPath = (events: PathEventBatch, way: Path) => void;

async function eachPath(
  deps: ScanDeps,
  projectId: number,
  question: PathsQuestion,
  { hasNames }: { hasNames: boolean },
  onWay: OnPath,
): Promise<void> {
  const spans = await funnelRanges(deps, projectId, question);
  const isPause = pauseRule(question);
  for await (const events of pathEvents(deps, projectId, question, hasNames || spans !== null)) {
    const way: Path = { actor: 0, length: 0, items: new Int32Array(64), times: new Float64Array(64) };
    const onOwn = (): void => onWay(events, way);
    await inBatches(events.actors, ACTOR_BATCH_SIZE, (first, past) => {
      deps.signal?.throwIfAborted();
      for (way.actor = first; way.actor < past; way.actor++) {
        const own = events.of(way.actor);
        if (own.from === own.to) continue;
        const span = spans?.get(events.nameOf(way.actor));
        if (spans === null || span !== undefined) splitPaths(own, span, isPause, way, onOwn);
      }
    });
  }
}

/** Tells of each of somebody's ways, one after the other, in `way`. */
function splitPaths(
  { from, to, items, at }: ActorItems,
  span: Range | undefined,
  isPause: (from: number, to: number) => boolean,
  way: Path,
  onOwn: () => void,
): void {
  if (way.items.length < to - from) {
    way.items = new Int32Array(2 * (to - from));
    way.times = new Float64Array(2 * (to - from));
  }
  way.length = 0;
  let before = Number.NaN;
  for (let place = from; place < to; place++) {
    const [item, time] = [items[place] as number, at[place] as number];
    if (item === EXCLUDED_CODE || (span !== undefined && !isInRange(time, span))) continue;
    if (way.length > 0 && isPause(before, time)) {
      onOwn();
      way.length = 0;
    }
    before = time;
    if (way.length === 0 || way.items[way.length - 1] !== item) way.items[way.length++] = item;
    way.times[way.length - 1] = time;
  }
  if (way.length > 0) onOwn();
}

/** When the paths of those who are at a step of a funnel begin and end; null where any path counts. */
async function funnelRanges(
  deps: ScanDeps,
  projectId: number,
  { funnel }: PathsQuestion,
): Promise<Map<string, Range> | null> {
  if (funnel === null) return null;
  const spans = new Map<string, Range>();
  for await (const { actor, attempts } of selectedEntrants(deps, projectId, funnel.people)) {
    const span = pathRange(funnel.path, funnel.people, attempts);
    if (span !== null) spans.set(actor, span);
  }
  return spans;
}

interface Step {
  place: number;
  from: number;
  to: number;
  count: number;
  time: number;
}

/** So many steps have a place in a table each; where there may be more, they are looked for. */
const MAX_TABLE_SIZE = 1_000_000;

/** Counts steps by the numbers of their ends, which get their names at the end. */
class StepCounter {
  readonly #codes: PathCodes;
  readonly #limit: number;
  /** Steps by their number, where they are few. */
  readonly #table: (Step | undefined)[] | null;
  readonly #steps = new Map<string | number, Step>();
  readonly #edges = new EdgeCounter();

  constructor(codes: PathCodes, limit: number) {
    this.#codes = codes;
    this.#limit = limit;
    const places = limit * codes.count * codes.count;
    this.#table =
      codes.isComplete && places <= MAX_TABLE_SIZE ? new Array<Step | undefined>(places).fill(undefined) : null;
  }

  add(path: readonly PathItem[]): void {
    this.#edges.add(path);
  }

  /** The first items of a way, up to the limit. */
  addFirst({ items, times, length }: Path): void {
    const most = Math.min(length, this.#limit);
    for (let place = 1; place < most; place++) {
      const step = this.#stepOf(place, items[place - 1] as number, items[place] as number);
      step.count++;
      step.time += (times[place] as number) - (times[place - 1] as number);
    }
  }

  #stepOf(place: number, from: number, to: number): Step {
    const { count, isComplete } = this.#codes;
    const number = (place * count + from) * count + to;
    if (this.#table !== null) {
      const step = this.#table[number] ?? { place, from, to, count: 0, time: 0 };
      this.#table[number] = step;
      return step;
    }
    // Fewer items than there will be may be known as yet: then the numbers are told apart as text.
    const key = isComplete ? number : `${place} ${from} ${to}`;
    const step = this.#steps.get(key) ?? { place, from, to, count: 0, time: 0 };
    if (step.count === 0) this.#steps.set(key, step);
    return step;
  }

  /** Names those that can be shown: mostly few of many. */
  edges(question: PathsQuestion): EdgeCounter {
    const counted = this.#table?.filter((step) => step !== undefined) ?? [...this.#steps.values()];
    const weights = counted.map(({ count }) => count);
    const least = minShownWeight(weights, question);
    for (const { place, from, to, count, time } of counted) {
      if (count < least) continue;
      const [source, target] = [this.#codes.nameOf(from), this.#codes.nameOf(to)];
      this.#edges.addSteps(`${place}_${source}`, `${place + 1}_${target}`, count, time);
    }
    return this.#edges;
  }
}
