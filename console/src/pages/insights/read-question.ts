/** Reads a query from the fields of the API or a URL, which may be invalid. */
import { type AnyFilter, type CohortFilter, OPERATORS, type ValueFilter } from '../../lib/filters.ts';
import {
  type Action,
  type Attribution,
  type Breakdown,
  DISPLAY_NAMES,
  type Exclusion,
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
  const breakdown = readBreakdown(fields);
  return {
    ...empty,
    series: readSeries(kind, fields),
    filters: readFilters(fields['properties']),
    breakdown: breakdown ?? null,
    range: { from: text(fields['date_from']) || empty.range.from, to: text(fields['date_to']) || null },
    interval: oneOf(INTERVALS, fields['interval']) ?? empty.interval,
    display: keyOf(DISPLAY_NAMES, text(fields['display'])) ?? empty.display,
    compare: isTrue(fields['compare']),
    compareTo: text(fields['compare_to']) ?? '',
    withoutTestAccounts: isTrue(fields['filter_test_accounts']),
    formula: text(fields['formula']) ?? '',
    ...readOptions(fields, empty),
    rest: readRest(fields, breakdown === undefined),
  };
}

/** Fields without a control, including a breakdown that the form cannot show. */
function readRest(fields: Fields, keepsBreakdown: boolean): Fields {
  const kept = Object.entries(fields).filter(
    ([name, value]) =>
      value !== undefined && (!OWN_FIELDS.has(name) || (keepsBreakdown && /^breakdown(?!_attribution)/.test(name))),
  );
  return Object.fromEntries(kept);
}

function readSeries(kind: Kind, fields: Fields): readonly Series[] {
  if (kind === 'paths') return [];
  if (kind === 'retention') return [readTarget(fields['target_entity']), readTarget(fields['returning_entity'])];
  const listed = (name: string, isAction: boolean) =>
    listOf(fields[name]).map((given) => ({ given, isAction, order: number(given['order'], 0) }));
  // Actions come before events of the same order, as in the API.
  const all = [...listed('actions', true), ...listed('events', false)].sort((a, b) => a.order - b.order);
  return all.map(({ given, isAction }) => readEntity(given, isAction));
}

const listOf = (given: unknown): Fields[] => (Array.isArray(given) ? given.filter(isObject) : []);

/** Retention takes neither math nor filters. */
const readTarget = (given: unknown): Series =>
  isObject(given) ? { ...newSeries(), ...readEventOrAction(given, given['type'] === 'actions') } : newSeries();

const readId = (id: unknown): string | null => (id === null ? null : (text(id) ?? ''));

function readEventOrAction(given: Fields, isAction: boolean): { event: string | null; action: Action | null } {
  if (!isAction) return { event: readId(given['id']), action: null };
  const id = number(given['id'], 0);
  return { event: '', action: { id, name: text(given['name']) ?? `Action ${id}` } };
}

const readEntity = (given: Fields, isAction: boolean): Series => ({
  ...readEventOrAction(given, isAction),
  math: text(given['math']) ?? 'total',
  mathProperty: text(given['math_property']) ?? '',
  mathGroup: readIndex(given['math_group_type_index']),
  filters: readFilters(given['properties']),
});

const readIndex = (given: unknown): number | null => (given == null ? null : number(given, 0));

const OPERATOR_NAMES = OPERATORS.map(({ value }) => value);

/** Filters that the form cannot edit are kept whole: it shows them, and they can be removed. */
export function readFilters(given: unknown): AnyFilter[] {
  if (given === undefined || given === null) return [];
  if (!Array.isArray(given)) return [{ type: 'other', given, isWhole: true }];
  return given.map((one) => readFilter(one) ?? { type: 'other', given: one, isWhole: false });
}

function readFilter(given: unknown): AnyFilter | null {
  if (!isObject(given)) return null;
  return given['type'] === 'cohort' ? readCohortFilter(given) : readValueFilter(given);
}

function readCohortFilter({ value, operator = 'in', negation }: Fields): CohortFilter | null {
  const isKnown = operator === 'in' || operator === 'not_in';
  if (typeof value !== 'number' || !isKnown || negation === true) return null;
  return { type: 'cohort', key: 'id', value, operator };
}

function readValueFilter(given: Fields): ValueFilter | null {
  const type =
    given['type'] === undefined ? 'event' : oneOf(['event', 'person', 'session', 'group'] as const, given['type']);
  const operator = given['operator'] == null ? 'exact' : oneOf(OPERATOR_NAMES, given['operator']);
  const { key, value = '' } = given;
  const isValue = Array.isArray(value) ? value.every((one) => typeof one === 'string') : typeof value === 'string';
  if (!type || !operator || typeof key !== 'string' || !isValue || given['negation'] === true) return null;
  const read = { key, operator, value: value as string | string[] };
  if (type !== 'group') return { type, ...read };
  const index = given['group_type_index'];
  return typeof index === 'number' ? { type, ...read, group_type_index: index } : null;
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
  const index = fields['breakdown_group_type_index'];
  if (type === 'group' && key !== undefined && typeof index === 'number') return { type, key, groupTypeIndex: index };
  return (type === 'event' || type === 'person' || type === 'session') && key !== undefined ? { type, key } : undefined;
}

function readOptions(fields: Fields, { funnel, retention, paths }: Question) {
  const types = Array.isArray(fields['include_event_types']) ? fields['include_event_types'] : [];
  return {
    funnel: {
      view: oneOf(['steps', 'trends', 'time_to_convert'] as const, fields['funnel_viz_type']) ?? funnel.view,
      order: oneOf(['ordered', 'strict', 'unordered'] as const, fields['funnel_order_type']) ?? funnel.order,
      window: number(fields['funnel_window_interval'], funnel.window),
      unit: oneOf(WINDOW_UNITS, fields['funnel_window_interval_unit']) ?? funnel.unit,
      exclusions: listOf(fields['exclusions']).map(readExclusion),
      attribution: readAttribution(fields),
      group: readIndex(fields['aggregation_group_type_index']),
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

const readExclusion = (given: Fields): Exclusion => ({
  ...readEventOrAction(given, given['type'] === 'actions'),
  from: number(given['funnel_from_step'], 0),
  to: number(given['funnel_to_step'], 1),
});

function readAttribution(fields: Fields): Attribution {
  const type = fields['breakdown_attribution_type'];
  if (type === 'step') return { type, step: number(fields['breakdown_attribution_value'], 0) };
  return { type: oneOf(['first_touch', 'last_touch', 'all_events'] as const, type) ?? 'first_touch' };
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
