/** What applies to all tiles of a dashboard: dates, comparison, filters. */
import { useEffect, useMemo, useState } from 'preact/hooks';
import type { Dashboard } from '../../api/dashboards.ts';
import { Button } from '../../components/button.tsx';
import { DateRange, type DateRangeValue } from '../../components/date-range.tsx';
import { Select } from '../../components/field.tsx';
import { FilterChips } from '../../components/filter-chips.tsx';
import { filtersToField, isComplete } from '../../lib/filters.ts';
import { changeQuery, useLocation } from '../../lib/router.ts';
import type { Fields } from '../insights/question.ts';
import { readFilters } from '../insights/read-question.ts';

const DATES = ['date_from', 'date_to', 'explicit_date'];
const pick = (filters: Fields, isDate: boolean): Fields =>
  Object.fromEntries(Object.entries(filters).filter(([name]) => DATES.includes(name) === isDate));

interface Range {
  /** Overrides the dates of every insight; empty if each has its own. */
  dates: Fields;
  /** From the URL. */
  isTemporary: boolean;
  /** Saved with the dashboard. */
  isSaved: boolean;
}

/** The date range of all tiles: from the URL, so that a view can be shared, or the saved one. */
export function useRange({ filters }: Dashboard): Range {
  const { query } = useLocation();
  const [from, to] = [query.get('date_from'), query.get('date_to')];
  return useMemo(() => {
    const [isTemporary, saved] = [from !== null, pick(filters, true)];
    const dates = isTemporary ? { date_from: from, ...(to === null ? {} : { date_to: to }) } : saved;
    return { dates, isTemporary, isSaved: Object.keys(saved).length > 0 };
  }, [from, to, filters]);
}

const setInUrl = ({ from, to }: DateRangeValue): void =>
  changeQuery({ date_from: from, date_to: to }, { replace: true });
const clearUrl = (): void => changeQuery({ date_from: null, date_to: null }, { replace: true });

interface DashboardBarProps {
  /** The saved filters. */
  filters: Fields;
  range: Range;
  isBusy: boolean;
  /** Resolves to whether it succeeded. */
  onSave(filters: Record<string, unknown>): Promise<boolean>;
}

export function DashboardBar({ filters, range, isBusy, onSave }: DashboardBarProps) {
  const others = pick(filters, false);
  return (
    <div class="toolbar dashboard-bar">
      <Dates range={range} isBusy={isBusy} onSave={(dates) => onSave({ ...others, ...dates })} />
      <CompareAll
        value={filters}
        onChange={(compare) => {
          const { compare: _compare, compare_to: _to, ...rest } = filters;
          void onSave({ ...rest, ...compare });
        }}
      />
      <FilterAll
        value={filters['properties']}
        onChange={(properties) => {
          const { properties: _before, ...rest } = filters;
          void onSave({ ...rest, ...properties });
        }}
      />
    </div>
  );
}

function Dates({ range, isBusy, onSave }: Pick<DashboardBarProps, 'range' | 'isBusy' | 'onSave'>) {
  const { dates, isTemporary, isSaved } = range;
  const { date_from: from, date_to: to } = dates;
  const value = { from: typeof from === 'string' ? from : '-7d', to: typeof to === 'string' ? to : null };
  if (!isTemporary && !isSaved) {
    return (
      <Button small onClick={() => setInUrl({ from: '-30d', to: null })}>
        Override date range
      </Button>
    );
  }
  return (
    <>
      <DateRange key={isTemporary ? 'url' : 'saved'} hideLabel value={value} onChange={setInUrl} />
      {isTemporary && (
        <Button small busy={isBusy} onClick={() => void onSave({ ...dates }).then((isDone) => isDone && clearUrl())}>
          Save for everyone
        </Button>
      )}
      <Button
        small
        kind="quiet"
        onClick={() => {
          clearUrl();
          if (isSaved && !isTemporary) void onSave({});
        }}
      >
        {isTemporary && isSaved ? 'Discard changes' : 'Use date range of each insight'}
      </Button>
    </>
  );
}

const COMPARISONS = [
  { value: 'own', label: 'As in each insight' },
  { value: 'none', label: 'No comparison' },
  { value: 'previous', label: 'Previous period' },
  { value: '-7d', label: 'Week before' },
  { value: '-28d', label: '4 weeks before' },
  { value: '-1y', label: 'Year before' },
];

function CompareAll({ value, onChange }: { value: Fields; onChange(compare: Fields): void }) {
  const { compare, compare_to: to } = value;
  const key = compare === undefined ? 'own' : compare !== true ? 'none' : typeof to === 'string' ? to : 'previous';
  const choose = (next: string): void => {
    if (next === 'own') onChange({});
    else onChange({ compare: next !== 'none', ...(next.startsWith('-') ? { compare_to: next } : {}) });
  };
  const isKnown = COMPARISONS.some((one) => one.value === key);
  return (
    <Select
      label="Compare to"
      value={key}
      options={isKnown ? COMPARISONS : [...COMPARISONS, { value: key, label: key }]}
      onChange={choose}
    />
  );
}

function FilterAll({ value, onChange }: { value: unknown; onChange(properties: Fields): void }) {
  const [draft, setDraft] = useState(() => readFilters(value));
  const saved = JSON.stringify(value ?? []);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the saved ones, compared by their text
  useEffect(() => setDraft(readFilters(value)), [saved]);
  return (
    <FilterChips
      value={draft}
      onChange={(next) => {
        setDraft(next);
        const complete = next.filter(isComplete);
        if (JSON.stringify(filtersToField(complete)) === saved) return;
        onChange(complete.length === 0 ? {} : { properties: filtersToField(complete) });
      }}
    />
  );
}
