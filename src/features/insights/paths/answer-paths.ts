/** Paths: the engine returns each person's items as numbers; `rules/` decides what is a path, and what of it is shown. */

import type { Range } from '../../../core/time/range.ts';
import { inBatches } from '../../../lib/in-batches.ts';
import type { ScanDeps } from '../../../query/query-deps.ts';
import { selectedEntrants } from '../funnel/answer-funnel.ts';
import { pathRange } from '../funnel/rules/funnel-outcome.ts';
import type { PathEdge } from '../rules/answers.ts';
import type { PathsPeopleQuestion, PathsQuestion } from '../rules/question.ts';
import { compareText } from '../rules/statistics.ts';
import { ACTOR_BATCH_SIZE } from '../shared/actor-rows.ts';
import { type InsightDeps, inHalves } from '../shared/second-thread.ts';
import type { PathKeys } from './count-paths.ts';
import type { PathCodes } from './path-codes.ts';
import { type PathsByActor, pathEvents } from './path-events.ts';
import { EdgeCounter, matchesEdge } from './rules/path-edges.ts';
import { type PathItem, pauseRule, trimPath } from './rules/path-items.ts';
import { emptyPath, type Path, splitPaths } from './split-paths.ts';
import { StepCounter, type StepTable } from './step-counter.ts';

export async function answerPaths(deps: InsightDeps, projectId: number, question: PathsQuestion): Promise<PathEdge[]> {
  const ranges = await funnelRanges(deps, projectId, question);
  let steps: StepCounter | undefined;
  for await (const batch of pathEvents(deps, projectId, question, ranges !== null)) {
    steps ??= new StepCounter(batch.codes, question.stepLimit);
    if (ranges === null && isUntrimmed(question) && batch.keys !== null && steps.table !== null) {
      await countKeys(deps, question, batch.keys, steps.table);
    } else await countPathsOf(deps, question, ranges, await batch.byActor(), steps);
  }
  return (steps?.edges(question) ?? new EdgeCounter()).answer(question);
}

const isUntrimmed = ({ start, end }: PathsQuestion): boolean => start === null && end === null;

async function countKeys(deps: InsightDeps, question: PathsQuestion, keys: PathKeys, steps: StepTable): Promise<void> {
  const counted = await inHalves(deps, keys, ({ countPaths }, rows, part) =>
    countPaths(question, rows, part, deps.signal),
  );
  for (const one of counted) steps.add(one);
}

function countPathsOf(
  deps: ScanDeps,
  question: PathsQuestion,
  ranges: Map<string, Range> | null,
  events: PathsByActor,
  steps: StepCounter,
): Promise<void> {
  return eachPath(deps, question, ranges, events, ({ codes }, path) => {
    if (isUntrimmed(question)) steps.addFirst(path);
    else steps.add(trimPath(namedItems(codes, path), question) ?? []);
  });
}

export async function findPathsPeople(
  deps: ScanDeps,
  projectId: number,
  question: PathsPeopleQuestion,
): Promise<string[]> {
  const people = new Set<string>();
  const ranges = await funnelRanges(deps, projectId, question.paths);
  for await (const batch of pathEvents(deps, projectId, question.paths, true)) {
    await eachPath(deps, question.paths, ranges, await batch.byActor(), (events, path) => {
      const trimmed = trimPath(namedItems(events.codes, path), question.paths);
      if (trimmed !== null && matchesEdge(question, trimmed)) people.add(events.nameOf(path.actor));
    });
  }
  return [...people].sort(compareText);
}

const namedItems = (codes: PathCodes, { items, times, length }: Path): PathItem[] =>
  Array.from({ length }, (_, index) => ({
    item: codes.nameOf(items[index] as number),
    at: times[index] as number,
  }));

type OnPath = (events: PathsByActor, path: Path) => void;

async function eachPath(
  { signal }: Pick<ScanDeps, 'signal'>,
  question: PathsQuestion,
  ranges: Map<string, Range> | null,
  events: PathsByActor,
  onPath: OnPath,
): Promise<void> {
  const isPause = pauseRule(question);
  const path = emptyPath();
  const onEnd = (): void => onPath(events, path);
  await inBatches(events.actors, ACTOR_BATCH_SIZE, (first, past) => {
    signal?.throwIfAborted();
    for (path.actor = first; path.actor < past; path.actor++) {
      const own = events.of(path.actor);
      if (own.from === own.to) continue;
      const range = ranges?.get(events.nameOf(path.actor));
      if (ranges === null || range !== undefined) splitPaths(own, range, isPause, path, onEnd);
    }
  });
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
