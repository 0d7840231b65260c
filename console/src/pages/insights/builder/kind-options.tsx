/** The controls that only one kind of question has. */
import { Checkbox, Select, TextField } from '../../../components/field.tsx';
import {
  type FunnelOptions,
  PATH_TYPES,
  type PathOptions,
  PERIODS,
  type Question,
  type RetentionOptions,
  type Series,
  WINDOW_UNITS,
} from '../question.ts';
import { EventField } from './event-field.tsx';

/** A whole number of at least `min`; what is being written and is none changes nothing. */
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
  onChange(value: FunnelOptions): void;
}

export function FunnelControls({ value, onChange }: FunnelProps) {
  return (
    <div class="row-end">
      <Select
        label="Show"
        value={value.view}
        options={[
          { value: 'steps', label: 'Steps' },
          { value: 'trends', label: 'Conversion over time' },
          { value: 'time_to_convert', label: 'Time it takes' },
        ]}
        onChange={(view) => onChange({ ...value, view })}
      />
      <Select
        label="Steps"
        value={value.order}
        options={[
          { value: 'ordered', label: 'in this order' },
          { value: 'strict', label: 'directly one after the other' },
          { value: 'unordered', label: 'in any order' },
        ]}
        onChange={(order) => onChange({ ...value, order })}
      />
      <div class="narrow-field">
        <CountField
          label="Within"
          value={value.window}
          min={1}
          max={100_000}
          onChange={(window) => onChange({ ...value, window })}
        />
      </div>
      <Select
        label="Unit of the time"
        hideLabel
        value={value.unit}
        options={WINDOW_UNITS.map((unit) => ({ value: unit, label: value.window === 1 ? unit : `${unit}s` }))}
        onChange={(unit) => onChange({ ...value, unit })}
      />
    </div>
  );
}

interface RetentionProps {
  question: Question;
  onSeries(series: readonly Series[]): void;
  onChange(value: RetentionOptions): void;
}

export function RetentionControls({ question: { series, retention }, onSeries, onChange }: RetentionProps) {
  const [target, returning] = series;
  const put = (at: number, event: string | null): void =>
    onSeries(series.map((one, index) => (index === at ? { ...one, event } : one)));
  return (
    <div class="stack-s">
      <div class="sentence">
        <span>Persons who did</span>
        <EventField label="What begins it" value={target?.event ?? ''} onChange={(event) => put(0, event)} canBeAny />
        <Select
          label="Which time counts"
          hideLabel
          value={retention.isFirstTime ? 'first' : 'every'}
          options={[
            { value: 'every', label: 'any time' },
            { value: 'first', label: 'for the first time ever' },
          ]}
          onChange={(which) => onChange({ ...retention, isFirstTime: which === 'first' })}
        />
        <span>and then did</span>
        <EventField
          label="What counts as a return"
          value={returning?.event ?? ''}
          onChange={(event) => put(1, event)}
        />
      </div>
      <div class="row-end">
        <Select
          label="By"
          value={retention.period}
          options={PERIODS.map((period) => ({ value: period, label: period.toLowerCase() }))}
          onChange={(period) => onChange({ ...retention, period })}
        />
        <div class="narrow-field">
          <CountField
            label="Periods"
            value={retention.count}
            min={2}
            max={60}
            onChange={(count) => onChange({ ...retention, count })}
          />
        </div>
      </div>
    </div>
  );
}

const TYPE_WORDS = { $pageview: 'Pages', $screen: 'Screens', custom_event: 'Own events' };

export function PathControls({ value, onChange }: { value: PathOptions; onChange(value: PathOptions): void }) {
  const toggle = (type: (typeof PATH_TYPES)[number], isOn: boolean): void =>
    onChange({ ...value, types: PATH_TYPES.filter((one) => (one === type ? isOn : value.types.includes(one))) });
  return (
    <div class="stack-s">
      <fieldset class="plain row">
        <legend class="unseen">What a way is made of</legend>
        {PATH_TYPES.map((type) => (
          <Checkbox
            key={type}
            label={TYPE_WORDS[type]}
            checked={value.types.includes(type)}
            onChange={(isOn) => toggle(type, isOn)}
          />
        ))}
        {value.types.length === 0 && <span class="soft small">everything, unless you choose</span>}
      </fieldset>
      <div class="row-end">
        <TextField
          label="Beginning at"
          placeholder="anywhere"
          value={value.start}
          onInput={(start) => onChange({ ...value, start })}
        />
        <TextField
          label="Ending at"
          placeholder="anywhere"
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
