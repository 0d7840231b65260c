/** Reads a query from the fields of the API or a URL, which may be invalid. */
import { OPERATORS, type PropertyFilter } from '../../lib/filters.ts';
import {
  type Breakdown,
  DISPLAY_NAMES,
  type Fields,
  INTERVALS,
  type Kind,
  NAMES,
  newQuestion,
  newSeries,
  OWN_FIELDS,
  PATH_TYPES,
  PERIODS,
  type Question,
  type Series,
  WINDOW_UNITS,
} from './question.ts';

export function readQuestion(fields: Fields): Question {
  const kind = keyOf(NAMES, text(fields['insight'])?.toUpperCase()) ?? 'trends';
  const empty = newQuestion(kind);
  const filters = readFilters(fields['properties']);
  const breakdown = readBreakdown(fields);
  return {
    ...empty,
    series: readSeries(kind, fields),
    filters: filters ?? [],
    breakdown: breakdown ?? null,
    range: { from: text(fields['date_from']) || empty.range.from, to: text(fields['date_to']) || null },
    interval: oneOf(INTERVALS, fields['interval']) ?? empty.interval,
    display: keyOf(DISPLAY_NAMES, text(fields['display'])) ?? empty.display,
    compare: isTrue(fields['compare']),
    withoutTestAccounts: isTrue(fields['filter_test_accounts']),
    formula: text(fields['formula']) ?? '',
    ...readOptions(fields, empty),
    rest: readRest(fields, filters === undefined, breakdown === undefined),
  };
}

/** Fields without a control, including filters and breakdowns that the form cannot show. */
function readRest(fields: Fields, keepsFilters: boolean, keepsBreakdown: boolean): Fields {
  const kept = Object.entries(fields).filter(
    ([name, value]) =>
      value !== undefined &&
      (!OWN_FIELDS.has(name) ||
        (keepsFilters && name === 'properties') ||
        (keepsBreakdown && name.startsWith('breakdown'))),
  );
  return Object.fromEntries(kept);
}

function readSeries(kind: Kind, fields: Fields): readonly Series[] {
  if (kind === 'paths') return [];
  if (kind === 'retention') return [readEntity(fields['target_entity']), readEntity(fields['returning_entity'])];
  const listed = Array.isArray(fields['events']) ? fields['events'] : [];
  const sorted = listed.filter(isObject).sort((a, b) => number(a['order'], 0) - number(b['order'], 0));
  return sorted.map(readEvent);
}

const readEntity = (given: unknown): Series => newSeries(isObject(given) ? readId(given['id']) : '');

const readId = (id: unknown): string | null => (id === null ? null : (text(id) ?? ''));

const readEvent = (given: Fields): Series => ({
  event: readId(given['id']),
  math: text(given['math']) ?? 'total',
  mathProperty: text(given['math_property']) ?? '',
  filters: readFilters(given['properties']) ?? [],
});

const OPERATOR_NAMES = OPERATORS.map(({ value }) => value);

/** Undefined for filters that the form cannot show: groups, cohorts, elements. */
function readFilters(given: unknown): PropertyFilter[] | undefined {
  if (given === undefined || given === null) return [];
  if (!Array.isArray(given)) return undefined;
  const read = given.map(readFilter);
  return read.every((one) => one !== null) ? read : undefined;
}

function readFilter(given: unknown): PropertyFilter | null {
  if (!isObject(given)) return null;
  const type = given['type'] === undefined ? 'event' : oneOf(['event', 'person'] as const, given['type']);
  const operator = given['operator'] == null ? 'exact' : oneOf(OPERATOR_NAMES, given['operator']);
  const { key, value = '' } = given;
  const isValue = Array.isArray(value) ? value.every((one) => typeof one === 'string') : typeof value === 'string';
  if (!type || !operator || typeof key !== 'string' || !isValue || given['negation'] === true) return null;
  return { type, key, operator, value: value as string | string[] };
}

/** Undefined for breakdowns that the form cannot show. */
function readBreakdown(fields: Fields): Breakdown | null | undefined {
  const { breakdown: given, breakdown_type: type = 'event' } = fields;
  if (given === undefined || given === null) return null;
  if (type === 'cohort') {
    const ids = [given].flat().filter((one) => one !== 'all');
    return ids.length > 1 ? undefined : { type, key: text(ids[0]) ?? '' };
  }
  const key = text(given);
  return (type === 'event' || type === 'person') && key !== undefined ? { type, key } : undefined;
}

function readOptions(fields: Fields, { funnel, retention, paths }: Question) {
  const types = Array.isArray(fields['include_event_types']) ? fields['include_event_types'] : [];
  return {
    funnel: {
      view: oneOf(['steps', 'trends', 'time_to_convert'] as const, fields['funnel_viz_type']) ?? funnel.view,
      order: oneOf(['ordered', 'strict', 'unordered'] as const, fields['funnel_order_type']) ?? funnel.order,
      window: number(fields['funnel_window_interval'], funnel.window),
      unit: oneOf(WINDOW_UNITS, fields['funnel_window_interval_unit']) ?? funnel.unit,
    },
    retention: {
      period: oneOf(PERIODS, fields['period']) ?? retention.period,
      count: number(fields['total_intervals'], retention.count),
      isFirstTime: fields['retention_type'] === 'retention_first_time',
    },
    paths: {
      types: types.flatMap((one) => oneOf(PATH_TYPES, one) ?? []),
      start: text(fields['start_point']) ?? '',
      end: text(fields['end_point']) ?? '',
      steps: number(fields['step_limit'], paths.steps),
    },
  };
}

/** Strings are written as they are; everything else, and strings that look like JSON, as JSON. */
export function toSearch(fields: Fields): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(fields)) {
    search.set(name, typeof value === 'string' && readJson(value) === value ? value : JSON.stringify(value));
  }
  return search.toString();
}

export function fromSearch(search: URLSearchParams, without: readonly string[] = []): Fields {
  const entries = [...search].filter(([name]) => !without.includes(name));
  return Object.fromEntries(entries.map(([name, value]) => [name, readJson(value)]));
}

function readJson(value: string): unknown {
  if (!/^(?:["[{]|(?:true|false|null|-?\d+(?:\.\d+)?)$)/.test(value)) return value;
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}

const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const text = (value: unknown): string | undefined =>
  typeof value === 'string' ? value : typeof value === 'number' ? String(value) : undefined;
const isTrue = (value: unknown): boolean => value === true || value === 'true';
const oneOf = <T extends string>(all: readonly T[], value: unknown): T | undefined => all.find((one) => one === value);
const keyOf = <K extends string>(names: Record<K, string>, value: string | undefined): K | undefined =>
  (Object.keys(names) as K[]).find((key) => names[key] === value);

function number(value: unknown, fallback: number): number {
  const read = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof read === 'number' && Number.isFinite(read) ? read : fallback;
}
