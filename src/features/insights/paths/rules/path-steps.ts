import type { PathEdge } from '../../rules/answers.ts';
import type { PathsPeopleQuestion, PathsQuestion } from '../../rules/question.ts';
import { pauseRule, splitAtPauses } from './path-items.ts';
import { pruneEdges } from './prune-edges.ts';
import { mergeRepeats, type PathItem, trimPath } from './trim-path.ts';

/** The paths of one person, cut to what is shown. */
export function pathSplitter(question: PathsQuestion): (items: readonly PathItem[]) => PathItem[][] {
  const isPause = pauseRule(question);
  const excluded = new Set(question.excluded);
  return (items) => {
    const kept = items.filter(({ item }) => !excluded.has(item));
    return splitAtPauses(kept, isPause).flatMap((session) => {
      const cut = trimPath(mergeRepeats(session), question);
      return cut === null ? [] : [cut];
    });
  };
}

/** One step of a path, with the places of its two ends. */
interface PathStep {
  source: string;
  target: string;
  time: number;
}

const stepsOf = (path: readonly PathItem[]): PathStep[] =>
  path.slice(1).map(({ item, at }, index) => {
    const before = path[index] as PathItem;
    return { source: `${index + 1}_${before.item}`, target: `${index + 2}_${item}`, time: at - before.at };
  });

/** Counts the steps of paths. */
export class EdgeCounter {
  private readonly edges = new Map<string, { source: string; target: string; count: number; time: number }>();

  add(path: readonly PathItem[]): void {
    for (const { source, target, time } of stepsOf(path)) this.addSteps(source, target, 1, time);
  }

  /** Steps of the same two ends, that took so long together. */
  addSteps(source: string, target: string, count: number, time: number): void {
    const key = JSON.stringify([source, target]);
    const edge = this.edges.get(key) ?? { source, target, count: 0, time: 0 };
    edge.count += count;
    edge.time += time;
    this.edges.set(key, edge);
  }

  answer(question: PathsQuestion): PathEdge[] {
    const edges = [...this.edges.values()].map(({ source, target, count, time }) => ({
      source,
      target,
      value: count,
      averageTime: time / count,
    }));
    return pruneEdges(edges, question);
  }
}

/** Whether a path takes the edge that is asked for, or ends where it says; without either, whether it is one at all. */
export function matchesEdge({ startKey, endKey, dropoffKey }: PathsPeopleQuestion, path: readonly PathItem[]): boolean {
  if (dropoffKey !== null) return path.length > 0 && `${path.length}_${path.at(-1)?.item}` === dropoffKey;
  return stepsOf(path).some(
    ({ source, target }) => (startKey === null || source === startKey) && (endKey === null || target === endKey),
  );
}
