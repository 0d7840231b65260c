import type { PathEdge } from '../../rules/answers.ts';
import type { PathsPeopleQuestion, PathsQuestion } from '../../rules/question.ts';
import { compareText } from '../../rules/statistics.ts';
import type { PathItem } from './path-items.ts';

/** From one item of a path to the next; each name has its position. */
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

  /** Several steps with the same ends; `time` is their sum. */
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

/** Whether a path has the edge, or ends at the drop-off; without either, whether it has a step at all. */
export function matchesEdge({ startKey, endKey, dropoffKey }: PathsPeopleQuestion, path: readonly PathItem[]): boolean {
  if (dropoffKey !== null) return path.length > 0 && `${path.length}_${path.at(-1)?.item}` === dropoffKey;
  return stepsOf(path).some(
    ({ source, target }) => (startKey === null || source === startKey) && (endKey === null || target === endKey),
  );
}

type Limits = Pick<PathsQuestion, 'edgeLimit' | 'minWeight' | 'maxWeight'>;

/** The smallest weight that can be shown, given all weights: only edges from it on need their names. */
export function minShownWeight(weights: readonly number[], { edgeLimit, minWeight, maxWeight }: Limits): number {
  const least = minWeight ?? 0;
  if (edgeLimit === null) return least;
  const within = weights.filter((weight) => weight >= least && weight <= (maxWeight ?? Number.POSITIVE_INFINITY));
  const lightest = Float64Array.from(within).sort().at(-edgeLimit);
  return lightest ?? least;
}

/** The heaviest edges, and of these the ones that can be reached from the start of a path. */
export function pruneEdges(edges: readonly PathEdge[], { edgeLimit, minWeight, maxWeight }: Limits): PathEdge[] {
  const heaviest = edges
    .filter(({ value }) => value >= (minWeight ?? 0) && value <= (maxWeight ?? Number.POSITIVE_INFINITY))
    .sort((a, b) => b.value - a.value || compareText(a.source, b.source) || compareText(a.target, b.target))
    .slice(0, edgeLimit ?? undefined);
  return minWeight === null && maxWeight === null ? reachable(heaviest) : heaviest;
}

function reachable(edges: readonly PathEdge[]): PathEdge[] {
  const seen = new Set(edges.map(({ source }) => source).filter((source) => source.startsWith('1_')));
  for (const node of seen) {
    for (const { source, target } of edges) if (source === node) seen.add(target);
  }
  return edges.filter(({ source }) => seen.has(source));
}
