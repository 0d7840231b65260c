/**
 * The ways that people take. The engine gives each person's items as numbers; what is a path, and which part of it is
 * shown, is decided by the rules of `core/insights/paths`.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { PathEdge } from '../core/insights/answers/answers.ts';
import { compareText } from '../core/insights/answers/assemble-trends.ts';
import { cutPath, type PathItem } from '../core/insights/answers/cut-path.ts';
import { spanOf } from '../core/insights/funnel/journey.ts';
import { pauseIn } from '../core/insights/paths/path-items.ts';
import { EdgeCounter, isTaken } from '../core/insights/paths/path-steps.ts';
import type { PathsPeopleQuestion, PathsQuestion } from '../core/insights/questions/question.ts';
import { isWithin, type Range } from '../core/insights/time/range.ts';
import { selectedEntrants } from './answer-funnel.ts';
import type { AskedDeps } from './asked-events.ts';
import { LEFT_OUT, type PathCodes } from './path-codes.ts';
import { type PathEvents, pathEvents } from './path-events.ts';

export async function answerPaths(deps: AskedDeps, projectId: number, question: PathsQuestion): Promise<PathEdge[]> {
  let steps: StepCounter | undefined;
  for await (const { events, actors } of personPaths(deps, projectId, question, false)) {
    steps ??= new StepCounter(events.codes);
    const isWhole = question.start === null && question.end === null;
    for (const { items, times } of actors) {
      if (isWhole) steps.addFirst(items, times, question.stepLimit);
      else steps.add(cutPath(named(events.codes, items, times), question) ?? []);
    }
  }
  return (steps?.edges() ?? new EdgeCounter()).answer(question);
}

export async function pathsPeople(
  deps: AskedDeps,
  projectId: number,
  question: PathsPeopleQuestion,
): Promise<string[]> {
  const people = new Set<string>();
  for await (const { events, actors } of personPaths(deps, projectId, question.paths, true)) {
    for (const { actor, items, times } of actors) {
      const path = cutPath(named(events.codes, items, times), question.paths);
      if (path !== null && isTaken(question, path)) people.add(events.nameOf(actor));
    }
  }
  return [...people].sort(compareText);
}

const named = (codes: PathCodes, items: readonly number[], times: readonly number[]): PathItem[] =>
  items.map((code, index) => ({ item: codes.nameOf(code), at: times[index] as number }));

/** One way without a pause, repeated items put together at the time of the last. The lists are used again. */
interface Way {
  actor: number;
  items: readonly number[];
  times: readonly number[];
}

/** So many persons are looked at before others get their turn. */
const TURN = 2000;

async function* personPaths(
  deps: AskedDeps,
  projectId: number,
  question: PathsQuestion,
  hasNames: boolean,
): AsyncGenerator<{ events: PathEvents; actors: Iterable<Way> }> {
  const spans = await spansOf(deps, projectId, question);
  const isPause = pauseIn(question);
  for await (const events of pathEvents(deps, projectId, question, hasNames || spans !== null)) {
    for (let first = 0; first < events.actors; first += TURN) {
      yield { events, actors: waysOf(events, first, Math.min(first + TURN, events.actors), spans, isPause) };
      await nextTurn();
    }
  }
}

function* waysOf(
  events: PathEvents,
  first: number,
  past: number,
  spans: ReadonlyMap<string, Range> | null,
  isPause: (from: number, to: number) => boolean,
): Generator<Way> {
  for (let actor = first; actor < past; actor++) {
    const [from, to] = [events.starts[actor] as number, events.starts[actor + 1] as number];
    if (from === to) continue;
    const span = spans?.get(events.nameOf(actor));
    if (spans !== null && span === undefined) continue;
    yield* waysIn(events, actor, from, to, span, isPause);
  }
}

function* waysIn(
  { items, at }: PathEvents,
  actor: number,
  from: number,
  to: number,
  span: Range | undefined,
  isPause: (from: number, to: number) => boolean,
): Generator<Way> {
  const way = { actor, items: [] as number[], times: [] as number[] };
  let last = Number.NaN;
  for (let place = from; place < to; place++) {
    const [item, time] = [items[place] as number, at[place] as number];
    if (item === LEFT_OUT || (span !== undefined && !isWithin(time, span))) continue;
    if (way.items.length > 0 && isPause(last, time)) {
      yield way;
      way.items.length = 0;
      way.times.length = 0;
    }
    last = time;
    if (way.items.at(-1) === item) way.times[way.times.length - 1] = time;
    else {
      way.items.push(item);
      way.times.push(time);
    }
  }
  if (way.items.length > 0) yield way;
}

/** When the paths of those who are at a step of a funnel begin and end; null where any path counts. */
async function spansOf(
  deps: AskedDeps,
  projectId: number,
  { funnel }: PathsQuestion,
): Promise<Map<string, Range> | null> {
  if (funnel === null) return null;
  const spans = new Map<string, Range>();
  for await (const { actor, attempts } of selectedEntrants(deps, projectId, funnel.people)) {
    const span = spanOf(funnel.path, funnel.people, attempts);
    if (span !== null) spans.set(actor, span);
  }
  return spans;
}

/** Counts steps by the numbers of their ends, which get their names at the end. */
class StepCounter {
  readonly #codes: PathCodes;
  readonly #steps = new Map<
    string | number,
    { place: number; from: number; to: number; count: number; time: number }
  >();
  readonly #edges = new EdgeCounter();

  constructor(codes: PathCodes) {
    this.#codes = codes;
  }

  add(path: readonly PathItem[]): void {
    this.#edges.add(path);
  }

  /** The first items of a way, up to so many. */
  addFirst(items: readonly number[], times: readonly number[], most: number): void {
    for (let place = 1; place < items.length && place < most; place++) {
      const [from, to] = [items[place - 1] as number, items[place] as number];
      const took = (times[place] as number) - (times[place - 1] as number);
      const { count } = this.#codes;
      // Fewer items than there will be may be known as yet: then the numbers are told apart as text.
      const key = this.#codes.areKnown ? (place * count + from) * count + to : `${place} ${from} ${to}`;
      const step = this.#steps.get(key);
      if (step === undefined) this.#steps.set(key, { place, from, to, count: 1, time: took });
      else {
        step.count++;
        step.time += took;
      }
    }
  }

  edges(): EdgeCounter {
    for (const { place, from, to, count, time } of this.#steps.values()) {
      const [source, target] = [this.#codes.nameOf(from), this.#codes.nameOf(to)];
      this.#edges.addSteps(`${place}_${source}`, `${place + 1}_${target}`, count, time);
    }
    return this.#edges;
  }
}
