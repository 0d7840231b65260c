import { describe, expect, it } from 'vitest';
import type { MetricResult, Results, VariantResult } from '../../api/experiments.ts';
import { againstConclusion, againstShipping } from './conclusions.ts';

type Verdict = VariantResult['verdict'];

const metric = (role: MetricResult['role'], ...found: [key: string, verdict: Verdict][]): MetricResult => ({
  uuid: role ?? 'old',
  name: 'orders',
  ...(role === undefined ? {} : { role }),
  baseline: null,
  variant_results: found.map(
    ([key, verdict]) => ({ key, verdict, sentence: `${key} is ${verdict}.` }) as VariantResult,
  ),
});

const results = (verdict: Verdict, ...metrics: MetricResult[]): Pick<Results, 'verdict' | 'sentence' | 'metrics'> => ({
  verdict,
  sentence: `All is ${verdict}.`,
  metrics,
});

describe('a conclusion', () => {
  it.each<[conclusion: string, verdict: Verdict, expected: string | null]>([
    ['won', 'better', null],
    ['won', 'collecting', 'The results do not show that a variant is better. All is collecting.'],
    ['won', 'worse', 'The results do not show that a variant is better. All is worse.'],
    ['lost', 'worse', null],
    ['lost', 'no_difference_found', 'The results do not show that a variant is worse. All is no_difference_found.'],
    ['inconclusive', 'better', 'The evidence is enough to decide. All is better.'],
    ['inconclusive', 'worse', 'The evidence is enough to decide. All is worse.'],
    ['inconclusive', 'collecting', null],
    ['stopped_early', 'better', null],
    ['invalid', 'split_broken', null],
    ['', 'better', null],
  ])('%j is compared with %s', (conclusion, verdict, expected) => {
    expect(againstConclusion(conclusion, results(verdict))).toBe(expected);
  });
});

describe('a variant to ship', () => {
  it.each<[name: string, variant: string, given: ReturnType<typeof results>, expected: string[]]>([
    ['that is better', 'test', results('better', metric('primary', ['test', 'better'])), []],
    ['that is worse', 'test', results('worse', metric('primary', ['test', 'worse'])), ['test is worse.']],
    [
      'while another one is better',
      'a',
      results('better', metric('primary', ['a', 'collecting'], ['b', 'better'])),
      ['b is better.'],
    ],
    [
      'that is the baseline, where a variant is better by two metrics of the same name',
      'control',
      results('better', metric(undefined, ['test', 'better']), metric('primary', ['test', 'better'])),
      ['test is better.'],
    ],
    [
      'that is better, and does harm elsewhere',
      'test',
      results(
        'better',
        metric('primary', ['test', 'better']),
        metric('secondary', ['test', 'worse']),
        metric('guardrail', ['test', 'harm'], ['b', 'harm']),
      ),
      ['test is worse.', 'test is harm.'],
    ],
    [
      'where only a secondary metric is better with another one',
      'a',
      results('collecting', metric('primary', ['a', 'collecting']), metric('secondary', ['b', 'better'])),
      [],
    ],
    [
      'while the split is wrong',
      'test',
      results('split_broken', metric('primary', ['test', 'worse'])),
      ['All is split_broken.'],
    ],
  ])('%s', (_, variant, given, expected) => {
    expect(againstShipping(variant, given)).toEqual(expected);
  });
});
