/** Reads the steps of an action. */
import { Failure, invalid } from '../errors.ts';
import { checkElementFilter } from '../filters/element-filter.ts';
import { filterWithoutLookAround } from '../filters/look-around/filter-without-look-around.ts';
import { readFilters } from '../filters/parse-filters.ts';
import type { Filter, PropertyFilter } from '../filters/property-filter.ts';
import { isJsonObject, type Json, type JsonObject } from '../json/json.ts';
import { type ActionStep, URL_MATCHINGS } from './entity.ts';

const MAX_STEPS = 50;
const ELEMENT_KEYS = ['tag_name', 'text', 'href', 'selector'] as const;
/** Only these events have clicked elements. */
const AUTOCAPTURE_EVENT = '$autocapture';

/** Rejects what it does not understand: ignoring it would count the wrong events. */
export function readSteps(steps: readonly Json[]): ActionStep[] {
  if (steps.length > MAX_STEPS) throw invalid('steps', `An action has at most ${MAX_STEPS} steps.`, 'max_length');
  return steps.map((step, at) => {
    if (!isJsonObject(step)) throw invalid(`steps__${at}`, 'A step is an object: {"event", "url", "properties", …}.');
    return readStep(step, `steps__${at}`);
  });
}

function readStep(step: JsonObject, at: string): ActionStep {
  const event = readText(step, 'event', at);
  const matching = readText(step, 'url_matching', at) ?? 'contains';
  const urlMatching = URL_MATCHINGS.find((one) => one === matching);
  if (urlMatching === undefined) {
    throw invalid(`${at}__url_matching`, `url_matching is one of ${URL_MATCHINGS.join(', ')}.`, 'invalid_choice');
  }
  const own = readProperties(step['properties'], at);
  const clicked = event === AUTOCAPTURE_EVENT ? elementFilters(step, at) : [];
  const url = readText(step, 'url', at);
  const filters = [own, ...clicked, ...(urlMatching === 'regex' ? lookAroundFilters(url, at) : [])];
  const filter: Filter = filters.length === 1 ? own : { kind: 'and', filters };
  return { event, url: filters.length > clicked.length + 1 ? null : url, urlMatching, filter };
}

/** The pattern of a URL as a filter, if it has look-around; none if it has not. */
function lookAroundFilters(url: string | null, at: string): Filter[] {
  if (url === null) return [];
  const plain: PropertyFilter = {
    kind: 'property',
    owner: 'event',
    key: '$current_url',
    operator: 'regex',
    values: [url],
  };
  const filter = withErrorAttr(`${at}__url`, () => filterWithoutLookAround(plain));
  return filter === plain ? [] : [filter];
}

function readText(step: JsonObject, name: string, at: string): string | null {
  const value = step[name] ?? null;
  if (value === null || value === '') return null;
  if (typeof value !== 'string' || value.length > 2000) {
    throw invalid(`${at}__${name}`, `${name} has to be a string of at most 2000 characters.`);
  }
  return value;
}

const readProperties = (value: Json | undefined, at: string): Filter =>
  withErrorAttr(`${at}__properties`, () => readFilters(value ?? []));

function elementFilters(step: JsonObject, at: string): PropertyFilter[] {
  return ELEMENT_KEYS.flatMap((key): PropertyFilter[] => {
    const value = readText(step, key, at);
    if (value === null) return [];
    const filter = { kind: 'property', owner: 'element', key, operator: 'exact', values: [value] } as const;
    withErrorAttr(`${at}__${key}`, () => checkElementFilter(filter));
    return [filter];
  });
}

/** Reports any error as an error of this field. */
function withErrorAttr<T>(attr: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof Failure) throw invalid(attr, error.message);
    throw error;
  }
}
