/** Reads questions about a site from the fields of a request. */
import { invalid } from '../../../core/errors.ts';
import { compileBounded } from '../../../core/filters/compile-search.ts';
import { explainPattern } from '../../../core/filters/explain-pattern.ts';
import { type Filter, NO_FILTER } from '../../../core/filters/property-filter.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../core/json/json.ts';
import { addUnits, type Interval } from '../../../core/time/interval.ts';
import { previousRange } from '../../../core/time/previous-range.ts';
import type { Range } from '../../../core/time/range.ts';
import { readDateRange } from '../../../core/time/read-date-range.ts';
import { DAY_MS } from '../../../core/time/units.ts';
import type { WebGoal, WebSettings } from '../../../core/web/web-settings.ts';
import {
  type QuestionFields,
  quote,
  readBooleanField,
  readChoiceField,
  readIntegerField,
  readListField,
  readTextField,
} from '../../insights/rules/fields.ts';
import type { QuestionContext } from '../../insights/rules/question.ts';
import { dateContext } from '../../insights/rules/read-dates.ts';
import { readFilter } from '../../insights/rules/read-filter.ts';
import {
  DERIVED_KEYS,
  SESSION_KEYS,
  TABLE_ORDERS,
  type TableKey,
  type TablePage,
  WEB_OPERATORS,
  type WebFilter,
  type WebGoalQuestion,
  type WebQuestion,
} from './web-question.ts';

const MAX_YEARS = 10;
const MAX_FILTERS = 50;
const MAX_VALUE_LENGTH = 400;
const MAX_VALUES = 100;

export interface WebContext extends QuestionContext {
  settings: WebSettings;
}

export function readWebQuestion(fields: QuestionFields, context: WebContext): WebQuestion {
  const range = readWebRange(fields, context);
  const { filters, eventFilters } = readWebFilters(fields);
  const { bounce_seconds, path_rules, own_domains, channel_rules, hidden_referrers } = context.settings;
  return {
    range,
    interval: intervalOf(range),
    timezone: context.timezone,
    filters,
    eventFilters,
    accountFilter: readBooleanField(fields, 'filter_test_accounts')
      ? readFilter(context.testAccountFilters, 'properties')
      : NO_FILTER,
    includeBots: readBooleanField(fields, 'include_bots'),
    includeOwn: readBooleanField(fields, 'include_own'),
    settings: { bounce_seconds, path_rules, own_domains, channel_rules, hidden_referrers },
  };
}

function readWebRange(fields: QuestionFields, context: QuestionContext): Range {
  const [dateFrom, dateTo] = [readTextField(fields, 'date_from'), readTextField(fields, 'date_to')];
  return checkLength(readDateRange({ dateFrom, dateTo, explicit: false, interval: 'day' }, dateContext(context)));
}

function checkLength(range: Range): Range {
  if (range.until - range.from <= MAX_YEARS * 366 * DAY_MS) return range;
  throw invalid('date_from', `The range of dates is longer than ${MAX_YEARS} years: choose a shorter one.`);
}

/** A day of 25 hours is still one. */
function intervalOf({ from, until }: Range): Interval {
  const days = Math.round((until - from) / DAY_MS);
  if (days <= 2) return 'hour';
  if (days <= 92) return 'day';
  return days <= 366 ? 'week' : 'month';
}

/** `previous_period`, `previous_year`, or two dates with a comma between; null where nothing is compared. */
export function readComparison(fields: QuestionFields, question: WebQuestion, context: QuestionContext): Range | null {
  const compare = readTextField(fields, 'compare');
  const { range, interval, timezone } = question;
  if (compare === undefined || compare === 'none') return null;
  if (compare === 'previous_period') return previousRange(range, interval, timezone);
  if (compare === 'previous_year') {
    const yearBefore = (at: number): number => addUnits(at, -1, 'year', timezone);
    return { from: yearBefore(range.from), until: yearBefore(range.until) };
  }
  const [dateFrom, dateTo, ...more] = compare.split(',').map((text) => text.trim());
  if (!dateFrom || !dateTo || more.length > 0) {
    throw invalid('compare', 'compare is previous_period, previous_year, or two dates such as 2024-01-01,2024-01-31.');
  }
  return checkLength(readDateRange({ dateFrom, dateTo, explicit: false, interval: 'day' }, dateContext(context)));
}

/** Filters with a type are as in insights: some event of the session fits. The others are about the session. */
export function readWebFilters(fields: QuestionFields): { filters: WebFilter[]; eventFilters: Filter[] } {
  const given = readListField(fields, 'filters') ?? [];
  if (given.length > MAX_FILTERS) throw invalid('filters', `There may be at most ${MAX_FILTERS} filters.`);
  const items = given.map((item) => {
    if (isJsonObject(item)) return item;
    throw invalid('filters', 'Each filter is an object {"key", "operator", "value"}.');
  });
  return {
    filters: items.filter((item) => !hasType(item)).map(readWebFilter),
    eventFilters: items.filter(hasType).map((item) => readFilter([item], 'filters')),
  };
}

const hasType = ({ type }: JsonObject): boolean => typeof type === 'string' && type !== '' && type !== 'session';

const FILTER_KEYS = [...SESSION_KEYS, 'path', 'new'] as const;

function readWebFilter(given: JsonObject): WebFilter {
  const key = FILTER_KEYS.find((one) => one === given['key']);
  if (key === undefined) {
    throw invalid(
      'filters',
      `There is no key ${quote(String(given['key']))}: choose one of ${FILTER_KEYS.join(', ')}.`,
    );
  }
  const sent = given['operator'] ?? 'exact';
  const operator = WEB_OPERATORS.find((one) => one === sent);
  if (operator === undefined) {
    throw invalid('filters', `There is no operator ${quote(String(sent))}: choose one of ${WEB_OPERATORS.join(', ')}.`);
  }
  const values = operator === 'is_set' || operator === 'is_not_set' ? [] : readValues(given['value']);
  if (operator === 'regex' || operator === 'not_regex') values.forEach(checkPattern);
  return { key, operator, values };
}

function readValues(value: Json | undefined): string[] {
  const values = (Array.isArray(value) ? value : [value]).map((one) => {
    if (typeof one === 'string' || typeof one === 'number' || typeof one === 'boolean') return String(one);
    throw invalid('filters', 'The value of a filter is a text, or a list of texts.');
  });
  if (values.length > MAX_VALUES) throw invalid('filters', `A filter has at most ${MAX_VALUES} values.`);
  if (values.some((one) => one.length > MAX_VALUE_LENGTH)) {
    throw invalid('filters', `The value of a filter has at most ${MAX_VALUE_LENGTH} characters.`);
  }
  return values;
}

function checkPattern(pattern: string): void {
  if (compileBounded(pattern, MAX_VALUE_LENGTH) !== null) return;
  throw invalid('filters', `Not a valid pattern. ${explainPattern(pattern, MAX_VALUE_LENGTH)}`);
}

/** The tables of the overview. */
const OVERVIEW_TABLES = [
  'channel',
  'source',
  'page',
  'entry',
  'exit',
  'device',
  'browser',
  'os',
  'country',
] as const satisfies TableKey[];

const TABLE_KEYS: readonly TableKey[] = [...SESSION_KEYS, ...DERIVED_KEYS, 'page'];

/** `tables=channel,page`; those of the overview unless given. */
export function readTables(fields: QuestionFields): readonly TableKey[] {
  const given = readTextField(fields, 'tables');
  if (given === undefined) return OVERVIEW_TABLES;
  return [...new Set(given.split(',').map((name) => tableKey('tables', name.trim())))];
}

function tableKey(attr: string, name: string): TableKey {
  const key = TABLE_KEYS.find((one) => one === name);
  if (key !== undefined) return key;
  throw invalid(attr, `There is no table ${quote(name)}: choose one of ${TABLE_KEYS.join(', ')}.`);
}

/** What a breakdown is by: a table, or `bot` for the views by robots. */
export function readBy(fields: QuestionFields): TableKey | 'bot' {
  const by = readTextField(fields, 'by');
  if (by === undefined) throw invalid('by', `by is required: one of ${[...TABLE_KEYS, 'bot'].join(', ')}.`, 'required');
  return by === 'bot' ? by : tableKey('by', by);
}

export function readTablePage(fields: QuestionFields): TablePage {
  return {
    limit: readIntegerField(fields, 'limit', { min: 1, max: 1000 }) ?? 100,
    offset: readIntegerField(fields, 'offset', { min: 0, max: 1_000_000 }) ?? 0,
    search: (readTextField(fields, 'search') ?? '').slice(0, MAX_VALUE_LENGTH),
    order: readChoiceField(fields, 'order', [...TABLE_ORDERS, 'value'] as const) ?? '-visitors',
  };
}

/** The project's goals; with `goal`, only the one with this id, or the event of this name. */
export function readGoals(fields: QuestionFields, { settings, action }: WebContext): WebGoalQuestion[] {
  const asked = readTextField(fields, 'goal');
  const kept = settings.goals.filter(({ id }) => asked === undefined || id === asked);
  if (asked === undefined || kept.length > 0) return kept.map((goal) => goalQuestion(goal, action));
  return [goalQuestion({ id: asked, name: asked, type: 'event', value: asked }, action)];
}

function goalQuestion({ id, name, type, value }: WebGoal, action: QuestionContext['action']): WebGoalQuestion {
  if (type === 'path') return { id, name, goal: { kind: 'path', pattern: value } };
  const named = { name, customName: null, filter: NO_FILTER };
  if (type === 'event') return { id, name, goal: { kind: 'entity', entity: { kind: 'event', id: value, ...named } } };
  const known = action?.(Number(value));
  const steps = known?.steps ?? [];
  const entity = { kind: 'action', id: Number(value), isKnown: known !== undefined, steps, ...named } as const;
  return { id, name, goal: { kind: 'entity', entity } };
}
