/** What the form of a new experiment holds, and what is sent for it. */
import type { Plan, SavedMetric } from '../../api/experiments.ts';

export type MetricKind = 'funnel' | 'steps' | 'total' | 'sum' | 'sessions' | 'groups' | 'insight' | 'saved';
export type FunnelOrder = 'ordered' | 'strict' | 'unordered';
export type GuardAction = 'notify' | 'pause' | 'roll_back';

export interface MetricDraft {
  kind: MetricKind;
  event: string;
  property: string;
  /** Events after the first one, of several steps. */
  steps: string[];
  order: FunnelOrder;
  /** Who has at least so much is counted; empty: the number itself is the value. */
  threshold: string;
  groupType: string;
  goal: 'increase' | 'decrease';
  /** The short id of a saved insight. */
  insight: string;
  /** The id of a saved metric. */
  saved: string;
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
  pausesOnSplit: boolean;
  mdePercent: string;
  /** The event of those who will be part of it. */
  exposedBy: string;
  /** Persons count from this event on; empty: from their exposure on. */
  activation: string;
}

export const EMPTY_METRIC: MetricDraft = {
  kind: 'funnel',
  event: '',
  property: '',
  steps: [''],
  order: 'ordered',
  threshold: '',
  groupType: '0',
  goal: 'increase',
  insight: '',
  saved: '',
};

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
  pausesOnSplit: false,
  mdePercent: '5',
  exposedBy: '$pageview',
  activation: '',
};

type MetricBody = Record<string, unknown>;

/** Null while something is missing, and for a saved metric, which is named by its id. */
export function metricOf(draft: MetricDraft): MetricBody | null {
  const { kind, event, property, goal, insight } = draft;
  if (kind !== 'insight' && kind !== 'saved' && (event === '' || (kind === 'sum' && property === ''))) return null;
  const node = { kind: 'EventsNode', event };
  switch (kind) {
    case 'saved':
      return null;
    case 'insight':
      return insight === '' ? null : { insight_id: insight, goal };
    case 'funnel':
      return { metric_type: 'funnel', name: event, goal, series: [node] };
    case 'steps':
      return funnelOf(draft);
    case 'sessions':
      return meanOf(draft, `Sessions with ${event}`, { ...node, math: 'unique_session' });
    case 'groups': {
      const source = { ...node, math: 'unique_group', math_group_type_index: Number(draft.groupType) };
      return meanOf(draft, `Groups with ${event}`, source);
    }
    case 'sum':
      return meanOf(draft, `${property} of ${event}`, { ...node, math: 'sum', math_property: property });
    case 'total':
      return meanOf(draft, event, { ...node, math: 'total' });
  }
}

function funnelOf({ event, steps, order, goal }: MetricDraft): MetricBody | null {
  const events = [event, ...steps];
  if (events.includes('')) return null;
  const series = events.map((one) => ({ kind: 'EventsNode', event: one }));
  return { metric_type: 'funnel', name: events.join(' → '), goal, series, funnel_order_type: order };
}

/** Only numbers and sums can reach a threshold. */
const hasThreshold = ({ kind, threshold }: MetricDraft): boolean =>
  (kind === 'total' || kind === 'sum') && Number(threshold) > 0;

const meanOf = (draft: MetricDraft, name: string, source: object): MetricBody =>
  hasThreshold(draft)
    ? {
        metric_type: 'mean',
        name: `${name}, at least ${draft.threshold}`,
        goal: draft.goal,
        source,
        threshold: Number(draft.threshold),
      }
    : { metric_type: 'mean', name, goal: draft.goal, source };

const metricsOf = (drafts: readonly MetricDraft[]): MetricBody[] =>
  drafts.map(metricOf).filter((metric) => metric !== null);

const mdeOf = ({ mdePercent }: Draft): number => Number(mdePercent) / 100;

/** By the first metric that is no saved insight. */
export function planBody(draft: Draft, saved: readonly SavedMetric[]): Record<string, unknown> | null {
  const [metric] = draft.metrics.flatMap((one) =>
    one.kind === 'insight'
      ? []
      : ((one.kind === 'saved' ? saved.find(({ id }) => String(id) === one.saved)?.query : metricOf(one)) ?? []),
  );
  const isKnown = mdeOf(draft) > 0 && draft.exposedBy !== '';
  return metric === undefined || !isKnown
    ? null
    : { metric, event: draft.exposedBy, feature_flag_key: draft.flagKey, plan: { mde_relative: mdeOf(draft) } };
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
    saved_metrics_ids: draft.metrics
      .filter(({ kind, saved }) => kind === 'saved' && saved !== '')
      .map(({ saved }) => ({ id: Number(saved), metadata: { type: 'primary' } })),
    pause_on_split: draft.pausesOnSplit,
    ...(draft.activation === ''
      ? {}
      : { exposure_criteria: { activation_config: { kind: 'EventsNode', event: draft.activation } } }),
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

/** What the form shows for a metric; null where the form cannot express all of it. */
export function draftOf(query: Record<string, unknown>): MetricDraft | null {
  const events = nodesOf(query['series']).map(({ event }) => String(event ?? ''));
  const [source = {}] = nodesOf([query['source']]);
  const shared = {
    ...EMPTY_METRIC,
    goal: query['goal'] === 'decrease' ? ('decrease' as const) : ('increase' as const),
    order: (query['funnel_order_type'] ?? 'ordered') as FunnelOrder,
    event: String(source['event'] ?? events[0] ?? ''),
    steps: events.length > 1 ? events.slice(1) : [''],
    property: String(source['math_property'] ?? ''),
    groupType: String(source['math_group_type_index'] ?? 0),
    threshold: String(query['threshold'] ?? ''),
  };
  const kinds: readonly MetricKind[] = ['funnel', 'steps', 'total', 'sum', 'sessions', 'groups'];
  // The kind whose own words give the same metric.
  const kind = kinds.find((one) => {
    const made = metricOf({ ...shared, kind: one });
    return made !== null && isSame(made, query);
  });
  return kind === undefined ? null : { ...shared, kind };
}

const nodesOf = (value: unknown): Record<string, unknown>[] =>
  Array.isArray(value) ? value.filter((one) => typeof one === 'object' && one !== null) : [];

/** Whether both measure the same; names and ids do not count, and increase is the default goal. */
const isSame = (a: Record<string, unknown>, b: Record<string, unknown>): boolean => definition(a) === definition(b);

const definition = ({
  uuid: _uuid,
  name: _name,
  fingerprint: _fingerprint,
  ...metric
}: Record<string, unknown>): string => sorted({ goal: 'increase', ...metric });

/** Absent and null are the same. */
const sorted = (value: unknown): string =>
  JSON.stringify(value, (_, inner) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(
          Object.entries(inner)
            .filter(([, own]) => own !== null && own !== undefined)
            .sort(([one], [other]) => (one < other ? -1 : 1)),
        )
      : inner,
  );
