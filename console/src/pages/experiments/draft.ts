/** What the form of a new experiment holds, and what is sent for it. */
import type { Plan } from '../../api/experiments.ts';

export type MetricKind = 'funnel' | 'total' | 'sum';

export interface Draft {
  name: string;
  description: string;
  flagKey: string;
  kind: MetricKind;
  event: string;
  property: string;
  goal: 'increase' | 'decrease';
  mdePercent: string;
  /** The event of those who will be part of it. */
  exposedBy: string;
}

export const EMPTY_DRAFT: Draft = {
  name: '',
  description: '',
  flagKey: '',
  kind: 'funnel',
  event: '',
  property: '',
  goal: 'increase',
  mdePercent: '5',
  exposedBy: '$pageview',
};

/** Null while something is missing. */
function metricOf({ kind, event, property, goal }: Draft): Record<string, unknown> | null {
  if (event === '' || (kind === 'sum' && property === '')) return null;
  const node = { kind: 'EventsNode', event };
  if (kind === 'funnel') return { metric_type: 'funnel', name: event, goal, series: [node] };
  const source = kind === 'sum' ? { ...node, math: 'sum', math_property: property } : { ...node, math: 'total' };
  return { metric_type: 'mean', name: kind === 'sum' ? `${property} of ${event}` : event, goal, source };
}

const mdeOf = ({ mdePercent }: Draft): number => Number(mdePercent) / 100;

export function planBody(draft: Draft): Record<string, unknown> | null {
  const metric = metricOf(draft);
  const isKnown = mdeOf(draft) > 0 && draft.exposedBy !== '';
  return metric === null || !isKnown ? null : { metric, event: draft.exposedBy, plan: { mde_relative: mdeOf(draft) } };
}

export function draftBody(draft: Draft, plan: Plan | null): Record<string, unknown> {
  const metric = metricOf(draft);
  const planned = plan?.planned_users ?? null;
  return {
    name: draft.name,
    description: draft.description,
    feature_flag_key: draft.flagKey,
    metrics: metric === null ? [] : [metric],
    plan: {
      ...(mdeOf(draft) > 0 ? { mde_relative: mdeOf(draft) } : {}),
      ...(planned === null ? {} : { planned_users: planned }),
    },
  };
}
