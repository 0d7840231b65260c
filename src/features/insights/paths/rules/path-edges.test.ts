import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { PathEdge } from '../../rules/answers.ts';
import { minShownWeight, pruneEdges } from './path-edges.ts';

const edge = (source: string, target: string, value: number): PathEdge => ({ source, target, value, averageTime: 0 });
type Limits = Parameters<typeof pruneEdges>[1];
const ALL: Limits = { edgeLimit: null, minWeight: null, maxWeight: null };

describe('the edges that are shown', () => {
  const edges = [
    edge('1_a', '2_b', 5),
    edge('1_a', '2_c', 3),
    edge('2_b', '3_d', 4),
    edge('2_c', '3_e', 2),
    edge('2_x', '3_e', 9),
  ];
  const shown = (limits: Partial<Limits>): string[] =>
    pruneEdges(edges, { ...ALL, ...limits }).map(({ source, target }) => `${source} ${target}`);

  it('are the heaviest first, and can be reached from a start', () => {
    expect(shown({})).toEqual(['1_a 2_b', '2_b 3_d', '1_a 2_c', '2_c 3_e']);
  });

  it('are limited before unreachable ones are removed', () => {
    expect(shown({ edgeLimit: 3 })).toEqual(['1_a 2_b', '2_b 3_d']);
  });

  it('have weights within the bounds, and then need no start', () => {
    expect(shown({ minWeight: 4 })).toEqual(['2_x 3_e', '1_a 2_b', '2_b 3_d']);
    expect(shown({ maxWeight: 4, edgeLimit: 2 })).toEqual(['2_b 3_d', '1_a 2_c']);
  });
});

describe('the smallest shown weight', () => {
  const weight = fc.integer({ min: 1, max: 6 });
  const bound = fc.option(weight);
  const limits = fc.record({ edgeLimit: fc.option(fc.nat(8)), minWeight: bound, maxWeight: bound });

  it('leaves out no edge that would be shown', () => {
    fc.assert(
      fc.property(fc.array(weight, { maxLength: 20 }), limits, (weights, limited) => {
        const edges = weights.map((value, at) => edge(`${(at % 3) + 1}_${at % 2}`, `${(at % 3) + 2}_${at}`, value));
        const least = minShownWeight(weights, limited);
        const kept = edges.filter(({ value }) => value >= least);
        expect(pruneEdges(kept, limited)).toEqual(pruneEdges(edges, limited));
      }),
    );
  });

  it('is that of the last edge within the limit', () => {
    expect(minShownWeight([1, 9, 4, 4, 7], { ...ALL, edgeLimit: 3 })).toBe(4);
    expect(minShownWeight([1, 9, 4, 4, 7], { edgeLimit: 1, minWeight: null, maxWeight: 8 })).toBe(7);
    expect(minShownWeight([1, 9], { ...ALL, edgeLimit: 5 })).toBe(0);
  });
});
