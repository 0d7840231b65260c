/** What the page shows, all of it in the address. */
import type { WebFields, WebFilter } from '../../api/web.ts';
import type { DateRangeValue } from '../../components/date-range.tsx';
import { LOCALE } from '../../lib/locale.ts';
import { useJsonQueryState, useQueryState } from '../../lib/use-query-state.ts';

const NO_FILTERS: WebFilter[] = [];

export interface WebState {
  fields: WebFields;
  range: DateRangeValue;
  setRange(range: DateRangeValue): void;
  compare: string;
  setCompare(compare: string): void;
  /** Adds a filter, or removes it if it is there. */
  toggle(key: string, value: string): void;
  showAll(isShown: boolean): void;
}

export function useWebState(): WebState {
  const [from, setFrom] = useQueryState('from', '-7d');
  const [to, setTo] = useQueryState('to');
  const [compare, setCompare] = useQueryState('compare', 'previous_period');
  const [filters, setFilters] = useJsonQueryState<WebFilter[]>('filters', NO_FILTERS);
  const [all, setAll] = useQueryState('all');
  return {
    range: { from, to: to || null },
    setRange(range) {
      setFrom(range.from);
      setTo(range.to ?? '');
    },
    compare,
    setCompare,
    toggle(key, value) {
      const others = filters.filter((one) => one.key !== key || one.value !== value);
      setFilters(others.length < filters.length ? others : [...filters, { key, operator: 'exact', value }]);
    },
    showAll: (isShown) => setAll(isShown ? 'true' : ''),
    fields: {
      date_from: from,
      date_to: to || undefined,
      compare: compare === 'none' ? undefined : compare,
      filters,
      include_bots: all === 'true',
      include_own: all === 'true',
    },
  };
}

/** The names of tables and filters. */
export const TABLE_LABELS: Readonly<Record<string, string>> = {
  channel: 'Channel',
  source: 'Source',
  referrer: 'Referrer',
  utm_campaign: 'Campaign',
  page: 'Page',
  path: 'Page',
  entry: 'Entry page',
  exit: 'Exit page',
  country: 'Country',
  region: 'Region',
  city: 'City',
  device: 'Device',
  browser: 'Browser',
  os: 'System',
  screen_size: 'Size',
};

/** The filter that a row of the table sets. */
export const filterKey = (table: string): string => (table === 'page' ? 'path' : table);

/** Countries by name; everything else as it is. */
export function valueLabel(key: string, value: string): string {
  if (key !== 'country' || !/^[A-Z]{2}$/.test(value)) return value;
  return new Intl.DisplayNames([LOCALE], { type: 'region' }).of(value) ?? value;
}
