import { Select, TextField } from './field.tsx';

/** As the API takes it: `-7d`, `mStart`, `all`, or a date. `to` null is now. */
export interface DateRangeValue {
  from: string;
  to: string | null;
}

interface DateRangeProps {
  value: DateRangeValue;
  onChange(value: DateRangeValue): void;
  label?: string;
  hideLabel?: boolean;
}

/** `from`, or `from/to` for ranges that end before now. */
const PRESETS = [
  { value: 'dStart', label: 'Today' },
  { value: '-1dStart/-1dEnd', label: 'Yesterday' },
  { value: '-24h', label: 'Last 24 hours' },
  { value: '-7d', label: 'Last 7 days' },
  { value: '-14d', label: 'Last 14 days' },
  { value: '-30d', label: 'Last 30 days' },
  { value: '-90d', label: 'Last 90 days' },
  { value: '-1wStart/-1wEnd', label: 'Last week' },
  { value: 'mStart', label: 'This month' },
  { value: '-1mStart/-1mEnd', label: 'Last month' },
  { value: 'yStart', label: 'This year' },
  { value: 'all', label: 'All time' },
  { value: 'custom', label: 'Custom range' },
];

const keyOf = ({ from, to }: DateRangeValue): string => (to === null ? from : `${from}/${to}`);

const isDate = (text: string | null): text is string => text !== null && /^\d{4}-\d\d-\d\d/.test(text);

const daysAgo = (days: number): string => new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10);

export function DateRange({ value, onChange, label = 'Date range', hideLabel = false }: DateRangeProps) {
  const isCustom = !PRESETS.some((preset) => preset.value === keyOf(value));
  const choose = (key: string): void => {
    const [from = '-7d', to = null] = key.split('/');
    onChange(key === 'custom' ? { from: daysAgo(7), to: daysAgo(0) } : { from, to });
  };
  return (
    <div class="row-end">
      <Select
        label={label}
        hideLabel={hideLabel}
        value={isCustom ? 'custom' : keyOf(value)}
        options={PRESETS}
        onChange={choose}
      />
      {isCustom && (
        <>
          <TextField
            label="From"
            type="date"
            value={isDate(value.from) ? value.from.slice(0, 10) : ''}
            onInput={(from) => from !== '' && onChange({ ...value, from })}
          />
          <TextField
            label="To"
            type="date"
            value={isDate(value.to) ? value.to.slice(0, 10) : ''}
            onInput={(to) => onChange({ ...value, to: to === '' ? null : to })}
          />
        </>
      )}
    </div>
  );
}
