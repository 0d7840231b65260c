/** The metrics of an experiment: those that decide, and those that must not be harmed. */
import './experiments.css';
import type { ComponentChildren } from 'preact';
import type { SavedMetric } from '../../api/experiments.ts';
import { listGroupTypes } from '../../api/groups.ts';
import { listInsights } from '../../api/insights.ts';
import { Button } from '../../components/button.tsx';
import { Checkbox, Select, TextField } from '../../components/field.tsx';
import { useProject } from '../../lib/session.ts';
import { useResource } from '../../lib/use-resource.ts';
import { EventField } from '../insights/builder/event-field.tsx';
import {
  type Draft,
  EMPTY_GUARDRAIL,
  EMPTY_METRIC,
  type FunnelOrder,
  type GuardAction,
  type GuardrailDraft,
  type MetricDraft,
  type MetricKind,
} from './draft.ts';

interface KindOption {
  value: MetricKind;
  label: string;
}

/** Measured by events alone. */
export const EVENT_KINDS: readonly KindOption[] = [
  { value: 'funnel', label: 'Share of persons who do it' },
  { value: 'steps', label: 'Share of persons who do several things' },
  { value: 'total', label: 'Number of events per person' },
  { value: 'sum', label: 'Sum of a property per person' },
  { value: 'sessions', label: 'Number of sessions with it per person' },
  { value: 'groups', label: 'Number of groups with it per person' },
];
const KINDS: readonly KindOption[] = [...EVENT_KINDS, { value: 'insight', label: 'A saved insight' }];
const PRIMARY_KINDS: readonly KindOption[] = [...KINDS, { value: 'saved', label: 'A saved metric' }];

const GOALS = [
  { value: 'increase', label: 'Increase' },
  { value: 'decrease', label: 'Decrease' },
] as const;

const ACTIONS: readonly { value: GuardAction; label: string }[] = [
  { value: 'notify', label: 'Show it on this page' },
  { value: 'pause', label: 'Pause the experiment' },
  { value: 'roll_back', label: 'Give its persons control again' },
];

interface FieldsProps {
  draft: Draft;
  onChange(changes: Partial<Draft>): void;
}

const replaced = <T,>(list: readonly T[], at: number, changes: Partial<T>): T[] =>
  list.map((one, index) => (index === at ? { ...one, ...changes } : one));
const without = <T,>(list: readonly T[], at: number): T[] => list.filter((_, index) => index !== at);

interface PrimaryProps extends FieldsProps {
  /** Of the project. */
  saved: readonly SavedMetric[];
}

export function PrimaryMetrics({ draft: { metrics }, saved, onChange }: PrimaryProps) {
  return (
    <section class="stack card" aria-label="Primary metrics">
      <h2>Primary metrics</h2>
      {metrics.map((metric, at) => (
        <MetricFields
          key={at}
          name={at === 0 ? 'the metric' : `metric ${at + 1}`}
          metric={metric}
          kinds={saved.length > 0 ? PRIMARY_KINDS : KINDS}
          saved={saved}
          onChange={(changes) => onChange({ metrics: replaced(metrics, at, changes) })}
          onRemove={at === 0 ? null : () => onChange({ metrics: without(metrics, at) })}
        />
      ))}
      <div class="row">
        <Button small onClick={() => onChange({ metrics: [...metrics, EMPTY_METRIC] })}>
          Add metric
        </Button>
        {metrics.length > 1 && (
          <span class="muted small">
            The more metrics decide, the more evidence each of them needs: p-values are corrected for all of them.
          </span>
        )}
      </div>
    </section>
  );
}

export function GuardrailMetrics({ draft: { guardrails, pausesOnSplit }, onChange }: FieldsProps) {
  const change = (at: number, changes: Partial<GuardrailDraft>): void =>
    onChange({ guardrails: replaced(guardrails, at, changes) });
  return (
    <section class="stack card" aria-label="Guardrails">
      <h2>Guardrails</h2>
      <p class="muted small">What no variant may harm, such as crashes. It is checked every minute while it runs.</p>
      {guardrails.map((guardrail, at) => (
        <MetricFields
          key={at}
          name={`guardrail ${at + 1}`}
          metric={guardrail}
          onChange={(changes) => change(at, changes)}
          onRemove={() => onChange({ guardrails: without(guardrails, at) })}
        >
          <TextField
            label="Harm to put up with (%)"
            type="number"
            min={0}
            max={1000}
            step={0.1}
            value={guardrail.marginPercent}
            onInput={(marginPercent) => change(at, { marginPercent })}
          />
          <Select
            label="If there is more"
            value={guardrail.action}
            options={ACTIONS}
            onChange={(action) => change(at, { action })}
          />
        </MetricFields>
      ))}
      <div class="row">
        <Button small onClick={() => onChange({ guardrails: [...guardrails, EMPTY_GUARDRAIL] })}>
          Add guardrail
        </Button>
      </div>
      <Checkbox
        label="Pause the experiment if persons are not split between the variants as planned"
        checked={pausesOnSplit}
        onChange={(checked) => onChange({ pausesOnSplit: checked })}
      />
    </section>
  );
}

interface MetricFieldsProps {
  /** For labels: 'metric 2'. */
  name: string;
  metric: MetricDraft;
  kinds?: readonly KindOption[];
  /** To select from. */
  saved?: readonly SavedMetric[];
  onChange(changes: Partial<MetricDraft>): void;
  onRemove: (() => void) | null;
  children?: ComponentChildren;
}

export function MetricFields({
  name,
  metric,
  kinds = KINDS,
  saved = [],
  onChange,
  onRemove,
  children,
}: MetricFieldsProps) {
  return (
    <fieldset class="stack-s plain-fieldset">
      <legend class="visually-hidden">{name}</legend>
      <Select label="Measured" value={metric.kind} options={kinds} onChange={(kind) => onChange({ kind })} />
      {metric.kind === 'insight' && (
        <InsightField value={metric.insight} onChange={(insight) => onChange({ insight })} />
      )}
      {metric.kind === 'saved' && (
        <Select
          label="Saved metric"
          value={metric.saved}
          options={[
            { value: '', label: 'Select a metric' },
            ...saved.map((one) => ({ value: String(one.id), label: one.name })),
          ]}
          onChange={(id) => onChange({ saved: id })}
        />
      )}
      {metric.kind !== 'insight' && metric.kind !== 'saved' && (
        <EventField
          label={`Event of ${name}`}
          value={{ event: metric.event, action: null }}
          isPlain
          onChange={({ event }) => onChange({ event: event ?? '' })}
        />
      )}
      {metric.kind === 'sum' && (
        <TextField
          label="Property"
          placeholder="price"
          value={metric.property}
          onInput={(property) => onChange({ property })}
        />
      )}
      {metric.kind === 'steps' && <Steps name={name} metric={metric} onChange={onChange} />}
      {metric.kind === 'groups' && (
        <GroupTypeField value={metric.groupType} onChange={(groupType) => onChange({ groupType })} />
      )}
      {(metric.kind === 'total' || metric.kind === 'sum') && (
        <TextField
          label="At least (optional)"
          hint="With a number, the value is the share of persons who reach it."
          type="number"
          min={0}
          step="any"
          value={metric.threshold}
          onInput={(threshold) => onChange({ threshold })}
        />
      )}
      {metric.kind !== 'saved' && (
        <Select label="Goal" value={metric.goal} options={GOALS} onChange={(goal) => onChange({ goal })} />
      )}
      {children}
      {onRemove && (
        <div class="row">
          <Button small kind="quiet" onClick={onRemove}>
            Remove {name}
          </Button>
        </div>
      )}
    </fieldset>
  );
}

const ORDERS: readonly { value: FunnelOrder; label: string }[] = [
  { value: 'ordered', label: 'In this order' },
  { value: 'strict', label: 'In this order, nothing else in between' },
  { value: 'unordered', label: 'In any order' },
];

const MAX_STEPS = 15;

/** What has to be done besides the first event. */
function Steps({ name, metric, onChange }: Pick<MetricFieldsProps, 'name' | 'metric' | 'onChange'>) {
  const { steps, order } = metric;
  return (
    <>
      {steps.map((event, at) => (
        <div key={at} class="stack-s">
          <EventField
            label={`Step ${at + 2} of ${name}`}
            value={{ event, action: null }}
            isPlain
            onChange={(picked) => onChange({ steps: steps.with(at, picked.event ?? '') })}
          />
          {steps.length > 1 && (
            <div class="row">
              <Button small kind="quiet" onClick={() => onChange({ steps: without(steps, at) })}>
                Remove step {at + 2}
              </Button>
            </div>
          )}
        </div>
      ))}
      {steps.length + 1 < MAX_STEPS && (
        <div class="row">
          <Button small onClick={() => onChange({ steps: [...steps, ''] })}>
            Add step
          </Button>
        </div>
      )}
      <Select
        label="Order of the steps"
        value={order}
        options={ORDERS}
        onChange={(chosen) => onChange({ order: chosen })}
      />
    </>
  );
}

function GroupTypeField({ value, onChange }: { value: string; onChange(value: string): void }) {
  const { id } = useProject();
  const types = useResource((signal) => listGroupTypes(id, signal), [id]);
  const known = types.data ?? [];
  if (types.data !== undefined && known.length === 0)
    return <p class="muted small">No groups yet: your events have to be sent with groups first.</p>;
  return (
    <Select
      label="Group type"
      value={value}
      options={known.map(({ group_type, group_type_index }) => ({
        value: String(group_type_index),
        label: group_type,
      }))}
      onChange={onChange}
    />
  );
}

/** Trends, funnels and retention. */
const MEASURABLE = ['TRENDS', 'FUNNELS', 'RETENTION'];

function InsightField({ value, onChange }: { value: string; onChange(value: string): void }) {
  const { id } = useProject();
  const found = useResource((signal) => listInsights(id, { saved: true, limit: 100 }, signal), [id]);
  const insights = (found.data?.results ?? []).filter(({ filters }) =>
    MEASURABLE.includes(String((filters as { insight?: unknown }).insight ?? 'TRENDS').toUpperCase()),
  );
  return (
    <Select
      label="Saved insight"
      hint="Its events and filters are measured for each person."
      value={value}
      options={[
        { value: '', label: 'Select an insight' },
        ...insights.map(({ short_id, name, derived_name }) => ({
          value: short_id,
          label: name || derived_name || short_id,
        })),
      ]}
      onChange={onChange}
    />
  );
}
