/** Paths: the engine returns each person's items as numbers; `rules/` decides what is a path, and what of it is shown. */

import { isInRange, type Range } from '../../../core/time/range.ts';
import { inBatches } from '../../../lib/in-batches.ts';
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
  const isUntrimmed = question.start === null && question.end === null;
  await eachPath(deps, projectId, question, { hasNames: false }, ({ codes }, path) => {
    steps ??= new StepCounter(codes, question.stepLimit);
    if (isUntrimmed) steps.addFirst(path);
    else steps.add(trimPath(namedItems(codes, path), question) ?? []);
  });
  return (steps?.edges(question) ?? new EdgeCounter()).answer(question);
}

export async function findPathsPeople(
  deps: ScanDeps,
  projectId: number,
  question: PathsPeopleQuestion,
): Promise<string[]> {
  const people = new Set<string>();
  await eachPath(deps, projectId, question.paths, { hasNames: true }, (events, path) => {
    const trimmed = trimPath(namedItems(events.codes, path), question.paths);
    if (trimmed !== null && matchesEdge(question, trimmed)) people.add(events.nameOf(path.actor));
  });
  return [...people].sort(compareText);
}

const namedItems = (codes: PathCodes, { items, times, length }: Path): PathItem[] =>
  Array.from({ length }, (_, index) => ({
    item: codes.nameOf(items[index] as number),
    at: times[index] as number,
  }));

/** One path without a pause; repeated items are merged, at the time of the last. Reused for the next path. */
interface Path {
  actor: number;
  length: number;
  items: Int32Array;
  times: Float64Array;
}

type OnPath = (events: PathEventBatch, path: Path) => void;

async function eachPath(
  deps: ScanDeps,
  projectId: number,
  question: PathsQuestion,
  { hasNames }: { hasNames: boolean },
  onPath: OnPath,
): Promise<void> {
  const ranges = await funnelRanges(deps, projectId, question);
  const isPause = pauseRule(question);
  for await (const events of pathEvents(deps, projectId, question, hasNames || ranges !== null)) {
    const path: Path = { actor: 0, length: 0, items: new Int32Array(64), times: new Float64Array(64) };
    const onEnd = (): void => onPath(events, path);
    await inBatches(events.actors, ACTOR_BATCH_SIZE, (first, past) => {
      deps.signal?.throwIfAborted();
      for (path.actor = first; path.actor < past; path.actor++) {
        const own = events.of(path.actor);
        if (own.from === own.to) continue;
        const range = ranges?.get(events.nameOf(path.actor));
        if (ranges === null || range !== undefined) splitPaths(own, range, isPause, path, onEnd);
      }
    });
  }
}

/** Calls back with each path of one person, in `path`. */
function splitPaths(
  { from, to, items, at }: ActorItems,
  range: Range | undefined,
  isPause: (from: number, to: number) => boolean,
  path: Path,
  onEnd: () => void,
): void {
  if (path.items.length < to - from) {
    path.items = new Int32Array(2 * (to - from));
    path.times = new Float64Array(2 * (to - from));
  }
  path.length = 0;
  let before = Number.NaN;
  for (let position = from; position < to; position++) {
    const [item, time] = [items[position] as number, at[position] as number];
    if (item === EXCLUDED_CODE || (range !== undefined && !isInRange(time, range))) continue;
    if (path.length > 0 && isPause(before, time)) {
      onEnd();
      path.length = 0;
    }
    before = time;
    if (path.length === 0 || path.items[path.length - 1] !== item) path.items[path.length++] = item;
    path.times[path.length - 1] = time;
  }
  if (path.length > 0) onEnd();
}

/** When the paths of persons at a step of the funnel start and end; null without a funnel. */
async function funnelRanges(
  deps: ScanDeps,
  projectId: number,
  { funnel }: PathsQuestion,
): Promise<Map<string, Range> | null> {
  if (funnel === null) return null;
  const ranges = new Map<string, Range>();
  for await (const { actor, attempts } of selectedEntrants(deps, projectId, funnel.people)) {
    const range = pathRange(funnel.path, funnel.people, attempts);
    if (range !== null) ranges.set(actor, range);
  }
  return ranges;
}

interface Step {
  position: number;
  from: number;
  to: number;
  count: number;
  time: number;
}

/** Up to this size steps are counted in a table, beyond it in a map. */
const MAX_TABLE_SIZE = 1_000_000;

/** Counts steps by the codes of their ends, which are named last. */
class StepCounter {
  readonly #codes: PathCodes;
  readonly #limit: number;
  /** Null where it would be too large. */
  readonly #table: (Step | undefined)[] | null;
  readonly #steps = new Map<string | number, Step>();
  readonly #edges = new EdgeCounter();

  constructor(codes: PathCodes, limit: number) {
    this.#codes = codes;
    this.#limit = limit;
    const size = limit * codes.count * codes.count;
    this.#table = codes.isComplete && size <= MAX_TABLE_SIZE ? new Array<Step | undefined>(size).fill(undefined) : null;
  }

  add(path: readonly PathItem[]): void {
    this.#edges.add(path);
  }

  /** The first items of a path, up to the limit. */
  addFirst({ items, times, length }: Path): void {
    const end = Math.min(length, this.#limit);
    for (let position = 1; position < end; position++) {
      const step = this.#stepOf(position, items[position - 1] as number, items[position] as number);
      step.count++;
      step.time += (times[position] as number) - (times[position - 1] as number);
    }
  }

  #stepOf(position: number, from: number, to: number): Step {
    const { count, isComplete } = this.#codes;
    const number = (position * count + from) * count + to;
    if (this.#table !== null) {
      const step = this.#table[number] ?? { position, from, to, count: 0, time: 0 };
      this.#table[number] = step;
      return step;
    }
    // While items are still being added, `number` is not unique.
    const key = isComplete ? number : `${position} ${from} ${to}`;
    const step = this.#steps.get(key) ?? { position, from, to, count: 0, time: 0 };
    if (step.count === 0) this.#steps.set(key, step);
    return step;
  }

  /** Only names steps that can be shown: mostly few of many. */
  edges(question: PathsQuestion): EdgeCounter {
    const counted = this.#table?.filter((step) => step !== undefined) ?? [...this.#steps.values()];
    const weights = counted.map(({ count }) => count);
    const minWeight = minShownWeight(weights, question);
    for (const { position, from, to, count, time } of counted) {
      if (count < minWeight) continue;
      const [source, target] = [this.#codes.nameOf(from), this.#codes.nameOf(to)];
      this.#edges.addSteps(`${position}_${source}`, `${position + 1}_${target}`, count, time);
    }
    return this.#edges;
  }
}
