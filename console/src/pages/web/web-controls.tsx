import { useRef, useState } from 'preact/hooks';
import type { Overview, WebFilter } from '../../api/web.ts';
import { Button } from '../../components/button.tsx';
import { Chip } from '../../components/chip.tsx';
import { DateRange } from '../../components/date-range.tsx';
import { Dialog, DialogActions } from '../../components/dialog.tsx';
import { Select, Switch, TextField } from '../../components/field.tsx';
import { Menu } from '../../components/menu.tsx';
import { filterLabel, OPERATORS, TABLE_LABELS, type Traffic, type WebState } from './web-state.ts';

const COMPARISONS = [
  { value: 'previous_period', label: 'Previous period' },
  { value: 'previous_year', label: 'Previous year' },
  { value: 'none', label: 'None' },
];

interface ControlsProps {
  state: WebState;
  overview: Overview | undefined;
}

export function Controls({ state, overview }: ControlsProps) {
  const [isAdding, setAdding] = useState(false);
  return (
    <div class="stack-s">
      <div class="row-end web-controls">
        <SitePicker state={state} overview={overview} />
        <DateRange value={state.range} onChange={state.setRange} />
        <Select label="Compare to" value={state.compare} options={COMPARISONS} onChange={state.setCompare} />
        <TrafficMenu state={state} />
        <Button onClick={() => setAdding(true)}>Add filter</Button>
      </div>
      {state.fields.filters.length > 0 && <Chips state={state} />}
      {isAdding && <AddFilter state={state} onClose={() => setAdding(false)} />}
    </div>
  );
}

export function Chips({ state }: { state: WebState }) {
  const { filters } = state.fields;
  return (
    <div class="chips">
      {filters.map((filter) => {
        const label = filterLabel(filter);
        return <Chip key={label} kind="Filter" label={label} onRemove={() => state.toggle(filter)} />;
      })}
      {filters.length > 1 && (
        <Button kind="quiet" small onClick={() => state.setFilters([])}>
          Clear filters
        </Button>
      )}
    </div>
  );
}

const ALL_SITES = '';

/** Shown once a project has views of two hosts. */
function SitePicker({ state, overview }: ControlsProps) {
  const { filters } = state.fields;
  const chosen = filters.find(({ key, operator }) => key === 'host' && operator === 'exact')?.value ?? ALL_SITES;
  // While one is chosen, answers name only that one.
  const seen = useRef<Set<string>>(new Set());
  for (const [value] of overview?.tables['host']?.rows ?? []) {
    if (typeof value === 'string' && value !== '(none)') seen.current.add(value);
  }
  if (chosen !== ALL_SITES) seen.current.add(chosen);
  if (seen.current.size < 2 && chosen === ALL_SITES) return null;
  const choose = (value: string): void => {
    const others = filters.filter(({ key }) => key !== 'host');
    state.setFilters(value === ALL_SITES ? others : [...others, { key: 'host', operator: 'exact', value }]);
  };
  const options = [...seen.current].sort().map((value) => ({ value, label: value }));
  return (
    <Select
      label="Site"
      value={chosen}
      options={[{ value: ALL_SITES, label: 'All sites' }, ...options]}
      onChange={choose}
    />
  );
}

const TRAFFIC: readonly [Traffic, string][] = [
  ['bots', 'Bots'],
  ['own', 'Your own visits'],
  ['internal', 'Internal and test users'],
];

const TrafficMenu = ({ state }: { state: WebState }) => (
  <Menu label="Include">
    {TRAFFIC.map(([name, label]) => (
      <Switch
        key={name}
        label={label}
        checked={state.traffic[name]}
        onChange={(isOn) => state.setTraffic({ [name]: isOn })}
      />
    ))}
  </Menu>
);

// biome-ignore format: a list
const FILTER_KEYS = [
  'path', 'entry', 'exit', 'channel', 'source', 'referrer', 'utm_source', 'utm_medium', 'utm_campaign', 'utm_term',
  'utm_content', 'country', 'region', 'city', 'language', 'device', 'browser', 'browser_version', 'os', 'screen_size',
  'host',
];

const FILTER_OPTIONS = FILTER_KEYS.map((value) => ({ value, label: TABLE_LABELS[value] ?? value }));
const OPERATOR_OPTIONS = (Object.keys(OPERATORS) as WebFilter['operator'][]).map((value) => ({
  value,
  label: OPERATORS[value],
}));

function AddFilter({ state, onClose }: { state: WebState; onClose(): void }) {
  const [key, setKey] = useState('path');
  const [operator, setOperator] = useState<WebFilter['operator']>('icontains');
  const [value, setValue] = useState('');
  const hasValue = operator !== 'is_set' && operator !== 'is_not_set';
  const isReady = !hasValue || value !== '';
  const add = (event: Event): void => {
    event.preventDefault();
    if (!isReady) return;
    state.toggle({ key, operator, value: hasValue ? value : '' });
    onClose();
  };
  return (
    <Dialog title="Add filter" onClose={onClose}>
      <form class="stack" onSubmit={add}>
        <Select label="Filter" value={key} options={FILTER_OPTIONS} onChange={setKey} />
        <Select<WebFilter['operator']>
          label="Operator"
          value={operator}
          options={OPERATOR_OPTIONS}
          onChange={setOperator}
        />
        {hasValue && (
          <TextField
            label="Value"
            value={value}
            onInput={setValue}
            maxLength={400}
            placeholder={EXAMPLES[key] ?? ''}
            hint={key === 'country' ? 'Two letters, such as DE.' : undefined}
          />
        )}
        <DialogActions onCancel={onClose}>
          <Button kind="primary" type="submit" disabled={!isReady}>
            Add filter
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}

const EXAMPLES: Readonly<Record<string, string>> = {
  path: '/pricing',
  entry: '/blog/',
  exit: '/checkout',
  channel: 'Organic Search',
  source: 'Google',
  country: 'DE',
  device: 'Mobile',
};
