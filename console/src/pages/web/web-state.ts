/** What the page shows, all of it in the address. */
import type { WebFields, WebFilter } from '../../api/web.ts';
import type { DateRangeValue } from '../../components/date-range.tsx';
import { LOCALE } from '../../lib/locale.ts';
import { changeQuery } from '../../lib/router.ts';
import { useJsonQueryState, useQueryState } from '../../lib/use-query-state.ts';

const NO_FILTERS: WebFilter[] = [];

/** Visits that are stored with a label and can be left out or counted. */
export type Traffic = 'bots' | 'own' | 'internal';

export interface WebState {
  fields: WebFields;
  range: DateRangeValue;
  setRange(range: DateRangeValue): void;
  compare: string;
  setCompare(compare: string): void;
  /** Adds a filter, or removes it if it is there. */
  toggle(filter: WebFilter): void;
  setFilters(filters: WebFilter[]): void;
  traffic: Readonly<Record<Traffic, boolean>>;
  setTraffic(changes: Partial<Record<Traffic, boolean>>): void;
  /** Filters cannot be changed: a link shows what it shows. */
  isFixed: boolean;
}

export function useWebState(): WebState {
  const [from] = useQueryState('from', '-7d');
  const [to] = useQueryState('to');
  const [compare, setCompare] = useQueryState('compare', 'previous_period', { isStep: true });
  const [filters, setFilters] = useJsonQueryState<WebFilter[]>('filters', NO_FILTERS, { isStep: true });
  const [bots] = useQueryState('bots');
  const [own] = useQueryState('own');
  const [internal] = useQueryState('internal');
  const traffic = { bots: bots === 'true', own: own === 'true', internal: internal !== 'false' };
  return {
    isFixed: false,
    range: { from, to: to || null },
    setRange: (range) => changeQuery({ from: range.from === '-7d' ? null : range.from, to: range.to }),
    compare,
    setCompare,
    toggle(filter) {
      const others = filters.filter((one) => !isSame(one, filter));
      setFilters(others.length < filters.length ? others : [...filters, filter]);
    },
    setFilters,
    traffic,
    setTraffic(changes) {
      const next = { ...traffic, ...changes };
      changeQuery({
        bots: next.bots ? 'true' : null,
        own: next.own ? 'true' : null,
        internal: next.internal ? null : 'false',
      });
    },
    fields: {
      date_from: from,
      date_to: to || undefined,
      compare: compare === 'none' ? undefined : compare,
      filters,
      include_bots: traffic.bots,
      include_own: traffic.own,
      filter_test_accounts: !traffic.internal,
    },
  };
}

const isSame = (a: WebFilter, b: WebFilter): boolean =>
  a.key === b.key && a.operator === b.operator && a.value === b.value && a.type === b.type;

export const isFilteredBy = ({ fields }: WebState, filter: WebFilter): boolean =>
  fields.filters.some((one) => isSame(one, filter));

/** The names of tables and filters. */
export const TABLE_LABELS: Readonly<Record<string, string>> = {
  channel: 'Channel',
  source: 'Source',
  referrer: 'Referrer',
  utm_source: 'UTM source',
  utm_medium: 'UTM medium',
  utm_campaign: 'Campaign',
  utm_term: 'UTM term',
  utm_content: 'UTM content',
  page: 'Page',
  path: 'Page',
  entry: 'Entry page',
  exit: 'Exit page',
  country: 'Country',
  region: 'Region',
  city: 'City',
  language: 'Language',
  device: 'Device',
  browser: 'Browser',
  browser_version: 'Browser version',
  os: 'System',
  screen_size: 'Size',
  host: 'Site',
  bot: 'Bot',
};

/** The filter that a row of the table sets. */
export const rowFilter = (table: string, value: string): WebFilter => {
  const key = table === 'page' ? 'path' : table;
  // Values that are unknown are shown as a row of this name.
  return value === '(none)' && key !== 'path'
    ? { key, operator: 'is_not_set', value: '' }
    : { key, operator: 'exact', value };
};

export const OPERATORS = {
  exact: 'equals',
  is_not: "doesn't equal",
  icontains: 'contains',
  not_icontains: "doesn't contain",
  regex: 'matches',
  is_set: 'is set',
  is_not_set: 'is not set',
} as const satisfies Record<WebFilter['operator'], string>;

export function filterLabel({ key, operator, value, label }: WebFilter): string {
  if (label !== undefined) return label;
  const name = TABLE_LABELS[key] ?? key;
  if (operator === 'exact') return `${name}: ${valueLabel(key, value)}`;
  return `${name} ${OPERATORS[operator]} ${valueLabel(key, value)}`.trimEnd();
}

/** Countries by name; everything else as it is. */
export function valueLabel(key: string, value: string): string {
  if (value === '(none)') return 'Unknown';
  if (key !== 'country' || !/^[A-Z]{2}$/.test(value)) return value;
  return new Intl.DisplayNames([LOCALE], { type: 'region' }).of(value) ?? value;
}
