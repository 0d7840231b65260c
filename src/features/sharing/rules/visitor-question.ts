/**
 * What somebody with a link to a site asks: the filters of the link, and those that they add. All must hold, so that they
 * can only narrow.
 */
import { invalid } from '../../../core/errors.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../core/json/json.ts';
import { parseJson } from '../../../core/json/parse-json.ts';
import { maskAddresses } from './public-result.ts';
import { SHARED_DATES, type ShareSettings } from './share-settings.ts';

/** As they come in an address. */
export interface VisitorQuery {
  dateFrom: string | undefined;
  /** JSON. */
  filters: string | undefined;
}

interface VisitorQuestion {
  /** Null: the link's own. */
  dateFrom: string | null;
  filters: JsonObject[];
}

const MAX_FILTERS = 10;
/** By a part of a value, what pages hide could be guessed letter by letter. */
const OPERATORS: readonly Json[] = ['exact', 'is_not', 'is_set', 'is_not_set'];

/** What a link does not allow is as if it were not asked. */
export function readVisitorQuestion(query: VisitorQuery, settings: ShareSettings): VisitorQuestion {
  return {
    dateFrom: (settings.allowDates && SHARED_DATES.find((one) => one === query.dateFrom)) || null,
    filters: settings.allowFilters ? readFilters(query.filters) : [],
  };
}

function readFilters(text: string | undefined): JsonObject[] {
  if (text === undefined || text === '') return [];
  const given = parsed(text);
  if (!Array.isArray(given) || !given.every(isJsonObject)) {
    throw invalid('filters', 'filters is a list of filters, as JSON.');
  }
  if (given.length > MAX_FILTERS) throw invalid('filters', `There may be at most ${MAX_FILTERS} filters.`);
  return given.map(readFilter);
}

function parsed(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return null;
  }
}

function readFilter({ key, operator = 'exact', value }: JsonObject): JsonObject {
  if (!OPERATORS.includes(operator))
    throw invalid('filters', `Choose one of these operators: ${OPERATORS.join(', ')}.`);
  const isText = typeof value === 'string' && maskAddresses(value) === value;
  const hasValue = operator === 'exact' || operator === 'is_not';
  if (hasValue && !isText) throw invalid('filters', 'The value of a filter is a text without an e-mail address.');
  // Without a type it is about sessions, and never about a property of somebody.
  return { key: key ?? null, operator, ...(hasValue ? { value: value as Json } : {}) };
}
