import { describe, expect, it } from 'vitest';
import { assembleResults, type MeasuredExperiment } from './assemble-results.ts';
import type { MetricData } from './experiment-question.ts';
import type { ExperimentMetric } from './read-metrics.ts';
import { readDecision } from './read-settings.ts';

const NOW = Date.parse('2026-01-15T12:00:00Z');
const DAY = 86_400_000;

const METRIC: ExperimentMetric = {
  uuid: 'u',
  name: 'sign-ups',
  metricType: 'funnel',
  role: 'primary',
  isLowerBetter: false,
  windowMs: null,
  winsor: null,
  guardrail: null,
  asked: { kind: 'funnel', order: 'ordered', steps: [] },
};

const converted = (variant: string, n: number, conversions: number): MetricData => ({
  variant,
  part: 0,
  data: { sums: { kind: 'proportion', n, conversions }, nonZero: conversions, isBinary: true },
  stepCounts: [conversions],
  withPast: 0,
  uncappedSum: null,
  ignoredValues: null,
});

const anExperiment = (
  control: [number, number],
  test: [number, number],
  over: Partial<MeasuredExperiment> = {},
): MeasuredExperiment => ({
  settings: readDecision({}),
  variants: [
    { key: 'control', weight: 50, isRemoved: false },
    { key: 'test', weight: 50, isRemoved: false },
  ],
  phases: [],
  exposures: {
    byVariant: { control: control[0], test: test[0] },
    multiple: { sameId: 0, mergedIds: 0 },
    withoutGroup: 0,
    days: [],
    phases: [],
    parts: {},
  },
  metrics: [{ metric: METRIC, data: [converted('control', ...control), converted('test', ...test)] }],
  startedAt: NOW - 10 * DAY,
  endedAt: null,
  now: NOW,
  ...over,
});

const fixed = readDecision({ stats_config: { stopping: 'fixed' }, plan: { planned_users: 2000 } });

describe('warnings', () => {
  const withPast = (variant: string, pastSum: number): MetricData => ({
    ...converted(variant, 1000, 300),
    data: {
      sums: {
        kind: 'mean',
        n: 1000,
        sum: 300,
        sumSquares: 300,
        past: { sum: pastSum, sumSquares: pastSum, product: 100 },
      },
      nonZero: 300,
      isBinary: true,
    },
  });

  it.each([
    // Shares of 20 % and 24 %: 2.2 standard errors apart, and 20 % and 27 %: 3.7.
    [240, []],
    [270, ['past_differs']],
  ])('tell that people differed before: %i of 1,000 against 200', (pastSum, expected) => {
    const metrics = [{ metric: METRIC, data: [withPast('control', 200), withPast('test', pastSum)] }];
    const { warnings } = assembleResults(anExperiment([1000, 0], [1000, 0], { metrics }));
    expect(warnings.map(({ code }) => code)).toEqual(expected);
  });

  it.each([
    [50, 10, []],
    [101, 20, ['exposed_before_start']],
    [0, 21, ['forced_variants']],
  ])('tell of %i exposed before and %i with a forced variant, of 2,000', (exposedBefore, forced, expected) => {
    const measured = anExperiment([1000, 100], [1000, 110], { unusualExposures: { exposedBefore, forced } });
    expect(assembleResults(measured).warnings.map(({ code }) => code)).toEqual(expected);
  });
});

describe('no difference', () => {
  it.each([
    ['a change that would have shown', 0.5, 'A change above 50.0 % would very likely have shown.'],
    ['a change that is too small to show', 0.05, /^No difference found\. Only a change above \d+\.\d % would/],
  ])('is said with %s', (_, mde_relative, sentence) => {
    const settings = readDecision({ plan: { mde_relative }, stats_config: { stopping: 'fixed' } });
    const found = assembleResults(anExperiment([1000, 100], [1000, 102], { endedAt: NOW, settings }));
    expect(found.verdict).toBe('no_difference_found');
    if (typeof sentence === 'string') expect(found.sentence).toContain(sentence);
    else expect(found.sentence).toMatch(sentence);
  });
});

describe('no difference of one metric', () => {
  it('says what that metric could show, not what the one of the plan could', () => {
    const spent = (variant: string): MetricData => ({
      ...converted(variant, 1000, 300),
      // A mean of 3 and a variance of 2,000.
      data: { sums: { kind: 'mean', n: 1000, sum: 3000, sumSquares: 2_009_000 }, nonZero: 300, isBinary: false },
    });
    const measured = anExperiment([1000, 100], [1000, 102], {
      endedAt: NOW,
      settings: readDecision({ plan: { mde_relative: 0.5 }, stats_config: { stopping: 'fixed' } }),
    });
    const revenue = { ...METRIC, uuid: 'spent', role: 'secondary' as const };
    const metrics = [...measured.metrics, { metric: revenue, data: [spent('control'), spent('test')] }];
    const results = assembleResults({ ...measured, metrics });
    expect(results.metrics.map(({ variants }) => variants[0]?.sentence)).toEqual([
      'No difference found. A change above 50.0 % would very likely have shown.',
      // (1.960 + 0.842) · √(2 · 2,000 / 1,000) / 3, with n − 1 in the variance.
      'No difference found. Only a change above 186.9 % would very likely have shown.',
    ]);
    expect(results.progress.powerNow).toBeGreaterThan(0.9);
  });
});

describe('the verdict', () => {
  it('is that of the primary metric of the plan', () => {
    const measured = anExperiment([1000, 100], [1000, 300]);
    const same = [converted('control', 1000, 200), converted('test', 1000, 200)];
    const metrics = [{ metric: { ...METRIC, uuid: 'first' }, data: same }, ...measured.metrics];
    const settings = readDecision({ plan: { primary_metric_uuid: 'u' } });
    expect(assembleResults({ ...measured, metrics }).verdict).toBe('collecting');
    expect(assembleResults({ ...measured, metrics, settings }).verdict).toBe('better');
  });

  it.each<[string, MeasuredExperiment, string]>([
    ['nobody', anExperiment([0, 0], [0, 0]), 'no_data'],
    ['a few', anExperiment([50, 20], [50, 30]), 'too_early'],
    ['few conversions', anExperiment([500, 3], [500, 4]), 'too_early'],
    ['no difference yet', anExperiment([1000, 100], [1000, 110]), 'collecting'],
    ['a large difference', anExperiment([1000, 100], [1000, 200]), 'better'],
    ['a large loss', anExperiment([1000, 200], [1000, 100]), 'worse'],
    ['a broken split', anExperiment([1000, 100], [1300, 300]), 'split_broken'],
    ['no difference at the end', anExperiment([1000, 100], [1000, 110], { endedAt: NOW }), 'no_difference_found'],
    ['fixed, before the plan', anExperiment([900, 100], [900, 200], { settings: fixed }), 'collecting'],
    ['fixed, as planned', anExperiment([1000, 100], [1000, 200], { settings: fixed }), 'better'],
    [
      'no control any more',
      anExperiment([900, 9], [900, 9], { variants: [{ key: 'test', weight: 9, isRemoved: false }] }),
      'cannot_calculate',
    ],
    ['no flag any more', anExperiment([0, 0], [0, 0], { variants: [] }), 'cannot_calculate'],
    ['no metric', anExperiment([900, 9], [900, 9], { metrics: [] }), 'cannot_calculate'],
  ])('of %s', (_, measured, verdict) => {
    const results = assembleResults(measured);
    expect(results.verdict).toBe(verdict);
    expect(results.sentence).not.toContain('NaN');
  });

  it('turns around where less is better', () => {
    const metric = { ...METRIC, isLowerBetter: true };
    const data = [converted('control', 1000, 200), converted('test', 1000, 100)];
    expect(assembleResults(anExperiment([1000, 200], [1000, 100], { metrics: [{ metric, data }] })).verdict).toBe(
      'better',
    );
  });

  it('is said in a sentence that can be repeated', () => {
    expect(assembleResults(anExperiment([1000, 100], [1000, 200])).sentence).toMatch(
      /^test raises sign-ups by 100\.0 % \(\d+\.\d % to \d+\.\d %\)\.$/,
    );
  });

  it('corrects for many primary metrics', () => {
    const data = [converted('control', 1000, 100), converted('test', 1000, 150)];
    const one = assembleResults(anExperiment([1000, 100], [1000, 150], { metrics: [{ metric: METRIC, data }] }));
    const many = assembleResults(
      anExperiment([1000, 100], [1000, 150], { metrics: Array.from({ length: 20 }, () => ({ metric: METRIC, data })) }),
    );
    const p = (results: typeof one): number => results.metrics[0]?.variants[0]?.pValueAdjusted ?? 0;
    expect(p(many)).toBeCloseTo(Math.min(1, 20 * p(one)), 12);
  });
});
