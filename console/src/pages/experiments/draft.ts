/** What the form of a new experiment holds, and what is sent for it. */
import type { Plan } from '../../api/experiments.ts';

export type MetricKind = 'funnel' | 'total' | 'sum' | 'insight';
export type GuardAction = 'notify' | 'pause' | 'roll_back';

export interface MetricDraft {
  kind: MetricKind;
  event: string;
  property: string;
  goal: 'increase' | 'decrease';
  /** The short id of a saved insight. */
  insight: string;
}

export interface GuardrailDraft extends MetricDraft {
  marginPercent: string;
  action: GuardAction;
}

export interface Draft {
  name: string;
  description: string;
  flagKey: string;
  isAa: boolean;
  /** Of a holdout; empty: none. */
  holdoutId: string;
  metrics: MetricDraft[];
  guardrails: GuardrailDraft[];
  mdePercent: string;
  /** The event of those who will be part of it. */
  exposedBy: string;
}

export const EMPTY_METRIC: MetricDraft = { kind: 'funnel', event: '', property: '', goal: 'increase', insight: '' };

export const EMPTY_GUARDRAIL: GuardrailDraft = {
  ...EMPTY_METRIC,
  goal: 'decrease',
  marginPercent: '2',
  action: 'notify',
};

export const EMPTY_DRAFT: Draft = {
  name: '',
  description: '',
  flagKey: '',
  isAa: false,
  holdoutId: '',
  metrics: [EMPTY_METRIC],
  guardrails: [],
  mdePercent: '5',
  exposedBy: '$pageview',
};

type MetricBody = Record<string, unknown>;

/** Null while something is missing. */
function metricOf({ kind, event, property, goal, insight }: MetricDraft): MetricBody | null {
  if (kind === 'insight') return insight === '' ? null : { insight_id: insight, goal };
  if (event === '' || (kind === 'sum' && property === '')) return null;
  const node = { kind: 'EventsNode', event };
  if (kind === 'funnel') return { metric_type: 'funnel', name: event, goal, series: [node] };
  const source = kind === 'sum' ? { ...node, math: 'sum', math_property: property } : { ...node, math: 'total' };
  return { metric_type: 'mean', name: kind === 'sum' ? `${property} of ${event}` : event, goal, source };
}

const metricsOf = (drafts: readonly MetricDraft[]): MetricBody[] =>
  drafts.map(metricOf).filter((metric) => metric !== null);

const mdeOf = ({ mdePercent }: Draft): number => Number(mdePercent) / 100;

/** By the first metric that is no saved insight. */
export function planBody(draft: Draft): Record<string, unknown> | null {
  const metric = metricsOf(draft.metrics.filter(({ kind }) => kind !== 'insight'))[0];
  const isKnown = mdeOf(draft) > 0 && draft.exposedBy !== '';
  return metric === undefined || !isKnown
    ? null
    : { metric, event: draft.exposedBy, plan: { mde_relative: mdeOf(draft) } };
}

export function draftBody(draft: Draft, plan: Plan | null): Record<string, unknown> {
  const planned = plan?.planned_users ?? null;
  return {
    name: draft.name,
    description: draft.description,
    feature_flag_key: draft.flagKey,
    // The form lists known events; one that is typed in may come with the new variant.
    allow_unknown_events: true,
    ...(draft.isAa ? { mode: 'aa' } : {}),
    ...(draft.holdoutId === '' ? {} : { holdout_id: Number(draft.holdoutId) }),
    metrics: metricsOf(draft.metrics),
    guardrails: draft.guardrails.flatMap((guardrail) => {
      const metric = metricOf(guardrail);
      const margin = Number(guardrail.marginPercent) / 100;
      return metric === null ? [] : [{ metric, margin_relative: margin, action: guardrail.action }];
    }),
    plan: {
      ...(mdeOf(draft) > 0 ? { mde_relative: mdeOf(draft) } : {}),
      ...(planned === null ? {} : { planned_users: planned }),
    },
  };
}
