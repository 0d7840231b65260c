/** Controls of a single insight type. */
import type { GroupType } from '../../../api/groups.ts';
import { Checkbox, Select, TextField } from '../../../components/field.tsx';
import {
  type FunnelOptions,
  PATH_TYPES,
  type PathOptions,
  type Question,
  type RetentionOptions,
  type Series,
  WINDOW_UNITS,
} from '../question.ts';
import { EventField } from './event-field.tsx';
import { ExclusionChips } from './exclusion-chips.tsx';

/** Ignores invalid numbers while typing. */
function CountField(props: { label: string; value: number; min: number; max: number; onChange(value: number): void }) {
  const { label, value, min, max, onChange } = props;
  const read = (text: string): void => {
    const number = Number(text);
    if (Number.isInteger(number) && number >= min && number <= max) onChange(number);
  };
  return <TextField label={label} type="number" min={min} max={max} value={String(value)} onInput={read} />;
}

interface FunnelProps {
  value: FunnelOptions;
  steps: number;
  groupTypes: readonly GroupType[];
  onChange(value: FunnelOptions): void;
}

export function FunnelControls({ value, steps, groupTypes, onChange }: FunnelProps) {
  return (
    <>
      <ExclusionChips
        value={value.exclusions}
        steps={steps}
        onChange={(exclusions) => onChange({ ...value, exclusions })}
      />
      <div class="inline-field row">
        <Select
          label="Step order"
          value={value.order}
          options={[
            { value: 'ordered', label: 'Sequential' },
            { value: 'strict', label: 'Strict order' },
            { value: 'unordered', label: 'Any order' },
          ]}
          onChange={(order) => onChange({ ...value, order })}
        />
        <div class="window-field">
          <CountField
            label="Conversion window"
            value={value.window}
            min={1}
            max={100_000}
            onChange={(window) => onChange({ ...value, window })}
          />
          <Select
            label="Unit of the conversion window"
            hideLabel
            value={value.unit}
            options={WINDOW_UNITS.map((unit) => ({ value: unit, label: value.window === 1 ? unit : `${unit}s` }))}
            onChange={(unit) => onChange({ ...value, unit })}
          />
        </div>
        {groupTypes.length > 0 && (
          <Select
            label="Count"
            value={value.group === null ? '' : String(value.group)}
            options={[
              { value: '', label: 'Unique users' },
              ...groupTypes.map(({ group_type_index: index, group_type, name_plural }) => ({
                value: String(index),
                label: `Unique ${name_plural || `groups of ${group_type}`}`,
              })),
            ]}
            onChange={(index) => onChange({ ...value, group: index === '' ? null : Number(index) })}
          />
        )}
      </div>
    </>
  );
}

interface RetentionProps {
  question: Question;
  onSeries(series: readonly Series[]): void;
  onChange(value: RetentionOptions): void;
}

const NONE = { event: '', action: null };

export function RetentionControls({ question: { series, retention }, onSeries, onChange }: RetentionProps) {
  const [target, returning] = series;
  const update = (at: number, entity: Pick<Series, 'event' | 'action'>): void =>
    onSeries(series.map((one, index) => (index === at ? { ...one, ...entity } : one)));
  return (
    <div class="stack-s">
      <div class="sentence">
        <span>Users who performed</span>
        <EventField label="Start event" value={target ?? NONE} onChange={(entity) => update(0, entity)} />
        <Select
          label="Occurrence"
          hideLabel
          value={retention.isFirstTime ? 'first' : 'every'}
          options={[
            { value: 'every', label: 'at any time' },
            { value: 'first', label: 'for the first time' },
          ]}
          onChange={(which) => onChange({ ...retention, isFirstTime: which === 'first' })}
        />
        <span>and came back to perform</span>
        <EventField label="Return event" value={returning ?? NONE} onChange={(entity) => update(1, entity)} />
      </div>
    </div>
  );
}

const TYPE_LABELS = { $pageview: 'Pageviews', $screen: 'Screens', custom_event: 'Custom events' };

export function PathControls({ value, onChange }: { value: PathOptions; onChange(value: PathOptions): void }) {
  const toggle = (type: (typeof PATH_TYPES)[number], isOn: boolean): void =>
    onChange({ ...value, types: PATH_TYPES.filter((one) => (one === type ? isOn : value.types.includes(one))) });
  return (
    <div class="stack-s">
      <fieldset class="plain row">
        <legend class="visually-hidden">Event types</legend>
        {PATH_TYPES.map((type) => (
          <Checkbox
            key={type}
            label={TYPE_LABELS[type]}
            checked={value.types.includes(type)}
            onChange={(isOn) => toggle(type, isOn)}
          />
        ))}
        {value.types.length === 0 && <span class="muted small">All event types</span>}
      </fieldset>
      <div class="row-end">
        <TextField
          label="Start point"
          placeholder="/pricing"
          value={value.start}
          onInput={(start) => onChange({ ...value, start })}
        />
        <TextField
          label="End point"
          placeholder="/checkout"
          value={value.end}
          onInput={(end) => onChange({ ...value, end })}
        />
        <div class="narrow-field">
          <CountField
            label="Steps"
            value={value.steps}
            min={2}
            max={20}
            onChange={(steps) => onChange({ ...value, steps })}
          />
        </div>
      </div>
    </div>
  );
}
