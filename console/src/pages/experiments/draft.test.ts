import { describe, expect, it } from 'vitest';
import { draftBody, draftOf, EMPTY_DRAFT, EMPTY_METRIC, type MetricDraft, metricOf, planBody } from './draft.ts';

const aMetric = (over: Partial<MetricDraft>): MetricDraft => ({ ...EMPTY_METRIC, event: 'order placed', ...over });

describe('a metric in the form', () => {
  it.each([
    aMetric({}),
    aMetric({ goal: 'decrease' }),
    aMetric({ kind: 'steps', steps: ['paid', 'thanked'], order: 'unordered' }),
    aMetric({ kind: 'total' }),
    aMetric({ kind: 'total', threshold: '3' }),
    aMetric({ kind: 'sum', property: 'price' }),
    aMetric({ kind: 'sessions' }),
    aMetric({ kind: 'groups', groupType: '2' }),
  ])('is the same after it was saved: %o', (draft) => {
    const saved = { ...metricOf(draft), uuid: 'u', name: 'Another name', fingerprint: 'f' };
    expect(draftOf(saved)).toEqual(draft);
  });

  it.each<[string, Record<string, unknown>]>([
    ['filters', { metric_type: 'funnel', series: [{ kind: 'EventsNode', event: 'a', properties: [{ key: 'k' }] }] }],
    ['a ratio', { metric_type: 'ratio', numerator: { event: 'a' }, denominator: { event: 'b' } }],
    ['a window', { metric_type: 'funnel', series: [{ kind: 'EventsNode', event: 'a' }], conversion_window: 3 }],
    ['an action', { metric_type: 'mean', source: { kind: 'ActionsNode', id: 3, math: 'total' } }],
    ['nothing', {}],
  ])('is not shown with %s', (_, query) => {
    expect(draftOf(query)).toBeNull();
  });
});

describe('a new experiment', () => {
  const saved = [{ id: 7, query: { metric_type: 'mean', source: { kind: 'EventsNode', event: 'paid' } } }] as never;
  const draft = { ...EMPTY_DRAFT, name: 'One', metrics: [aMetric({ kind: 'saved', saved: '7' }), aMetric({})] };

  it('names saved metrics by their id', () => {
    expect(draftBody({ ...draft, pausesOnSplit: true }, null)).toMatchObject({
      metrics: [{ metric_type: 'funnel', series: [{ event: 'order placed' }] }],
      saved_metrics_ids: [{ id: 7, metadata: { type: 'primary' } }],
      pause_on_split: true,
    });
    expect(draftBody({ ...draft, metrics: [aMetric({ kind: 'saved' })] }, null)).toMatchObject({
      metrics: [],
      saved_metrics_ids: [],
    });
  });

  it('is planned by the first metric, also by a saved one', () => {
    expect(planBody(draft, saved)?.['metric']).toEqual({
      metric_type: 'mean',
      source: { kind: 'EventsNode', event: 'paid' },
    });
    expect(planBody(draft, [])?.['metric']).toMatchObject({ metric_type: 'funnel' });
    expect(planBody({ ...draft, metrics: [aMetric({ kind: 'insight', insight: 'x' })] }, saved)).toBeNull();
  });
});
