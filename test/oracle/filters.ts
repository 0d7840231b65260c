/** Whether a filter matches, operator by operator. */
import type { CohortFilter } from '../../src/core/filters/cohort-filter.ts';
import type { Filter, PropertyFilter } from '../../src/core/filters/property-filter.ts';
import { matchesElements } from './elements.ts';
import { momentOf, numberOf, type Properties, textIn } from './property-values.ts';
import { DAY } from './time.ts';

/** Whether a pattern is found in a text; null where the pattern is invalid. */
export type Search = (pattern: string, text: string) => boolean | null;

/** What filters are about. */
interface Subject {
  event: Properties;
  person: Properties;
  group?(index: number): Properties;
  /** The properties of the session; null without one. */
  session?: Properties | null;
  elements?: string;
}

export function isMatch(
  filter: Filter,
  subject: Subject,
  search: Search,
  isIn: (cohort: number) => boolean | undefined = () => undefined,
): boolean {
  if (filter.kind === 'property') return matchesProperty(filter, subject, search);
  if (filter.kind === 'cohort') return isIn(filter.id) === !filter.negated;
  if (filter.kind === 'expression') throw new Error('Expressions have cases of their own');
  const found = filter.filters.map((inner) => isMatch(inner, subject, search, isIn));
  return filter.kind === 'or' ? found.length === 0 || found.includes(true) : !found.includes(false);
}

function matchesProperty(filter: PropertyFilter, subject: Subject, search: Search): boolean {
  const { owner, groupIndex = 0 } = filter;
  if (owner === 'element') return matchesElements(filter, subject.elements ?? '', search);
  if (owner === 'group') return compares(filter, subject.group?.(groupIndex) ?? {}, search);
  if (owner !== 'session') return compares(filter, subject[owner], search);
  const { session = null } = subject;
  return session !== null && compares(filter, session, search);
}

function compares({ key, operator, values }: PropertyFilter, properties: Properties, search: Search): boolean {
  const text = textIn(properties, key);
  const isAny = (test: (value: string) => boolean): boolean => values.some(test);
  switch (operator) {
    case 'is_set':
      return Object.hasOwn(properties, key);
    case 'is_not_set':
      return !Object.hasOwn(properties, key);
    case 'exact':
      return isAny((value) => isSame(text, value));
    case 'is_not':
      return !isAny((value) => isSame(text, value));
    case 'icontains':
      return isAny((value) => text.toLowerCase().includes(value.toLowerCase()));
    case 'not_icontains':
      return !isAny((value) => text.toLowerCase().includes(value.toLowerCase()));
    case 'regex':
      return isAny((value) => search(value, text) === true);
    case 'not_regex':
      return values.every((value) => search(value, text) === false);
    case 'gt':
      return isAny((value) => compareNumbers(text, value, (a, b) => a > b));
    case 'gte':
      return isAny((value) => compareNumbers(text, value, (a, b) => a >= b));
    case 'lt':
      return isAny((value) => compareNumbers(text, value, (a, b) => a < b));
    case 'lte':
      return isAny((value) => compareNumbers(text, value, (a, b) => a <= b));
    case 'is_date_exact':
      return isAny((value) => compareDates(text, value, (at, from, to) => from <= at && at < to));
    case 'is_date_after':
      return isAny((value) => compareDates(text, value, (at, _, to) => at >= to));
    case 'is_date_before':
      return isAny((value) => compareDates(text, value, (at, from) => at < from));
  }
}

/** Lists and objects are the same whatever their spaces. */
function isSame(text: string, value: string): boolean {
  const squeeze = (given: string): string => given.split(' ').join('');
  return isList(value) ? squeeze(text) === squeeze(value) : text === value;
}

function isList(value: string): boolean {
  try {
    const read: unknown = JSON.parse(value);
    return typeof read === 'object' && read !== null;
  } catch {
    return false;
  }
}

function compareNumbers(text: string, value: string, test: (a: number, b: number) => boolean): boolean {
  const [a, b] = [numberOf(text), numberOf(value)];
  return a !== null && b !== null && test(a, b);
}

/** A value without a time stands for its day, one with a time for its second. */
function compareDates(text: string, value: string, test: (at: number, from: number, to: number) => boolean): boolean {
  const [at, span] = [momentOf(text), momentOf(value)];
  return at !== null && span !== null && test(at.ms, span.ms, span.ms + (span.isDay ? DAY : 1000));
}

export const leavesOf = (filter: Filter): (PropertyFilter | CohortFilter)[] => {
  if (filter.kind === 'property' || filter.kind === 'cohort') return [filter];
  return filter.kind === 'expression' ? [] : filter.filters.flatMap(leavesOf);
};
