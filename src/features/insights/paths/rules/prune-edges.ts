import type { PathEdge } from '../../rules/answers.ts';
import { compareText } from '../../rules/assemble-trends.ts';
import type { PathsQuestion } from '../../rules/question.ts';

type Limits = Pick<PathsQuestion, 'edgeLimit' | 'minWeight' | 'maxWeight'>;

/** What is lighter than this is not shown, of edges of these weights: for whoever would have to name them all first. */
export function minShownWeight(weights: readonly number[], { edgeLimit, minWeight, maxWeight }: Limits): number {
  const least = minWeight ?? 0;
  if (edgeLimit === null) return least;
  const within = weights.filter((weight) => weight >= least && weight <= (maxWeight ?? Number.POSITIVE_INFINITY));
  const lightest = Float64Array.from(within).sort().at(-edgeLimit);
  return lightest ?? least;
}

/** The edges to show: the heaviest, and of these what can be reached from the beginning of a path. */
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
