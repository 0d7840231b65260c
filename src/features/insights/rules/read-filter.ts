import { Failure, invalid } from '../../../core/errors.ts';
import { parseFilters, readFilters, UnparsableFilters } from '../../../core/filters/parse-filters.ts';
import { type Filter, NO_FILTER } from '../../../core/filters/property-filter.ts';
import { type QuestionFields, readBooleanField, readJsonField, readTextField } from './fields.ts';
import type { QuestionContext } from './question.ts';

const OPTIONS = { expressions: 'events' } as const;

/** Filters in any of their formats, also as JSON text. */
export function readFilter(value: unknown, attr: string): Filter {
  if (value === undefined || value === null) return NO_FILTER;
  const read = readJsonField({ [attr]: value }, attr);
  try {
    return typeof read === 'string' ? parseFilters(read, OPTIONS) : readFilters(read ?? [], OPTIONS);
  } catch (error) {
    const isOfField = error instanceof Failure && error.attr === undefined && !(error instanceof UnparsableFilters);
    throw isOfField ? invalid(attr, error.message) : error;
  }
}

/** The filters of a question and, with `filter_test_accounts`, those of the project. */
export function readQuestionFilter(fields: QuestionFields, context: QuestionContext): Filter {
  const filters = [readFilter(fields['properties'], 'properties')];
  if (readBooleanField(fields, 'filter_test_accounts'))
    filters.push(readFilter(context.testAccountFilters, 'properties'));
  return andFilters(filters);
}

export function andFilters(filters: readonly Filter[]): Filter {
  const given = filters.filter(
    (filter) => filter.kind === 'property' || !('filters' in filter) || filter.filters.length > 0,
  );
  return given.length === 1 ? (given[0] as Filter) : { kind: 'and', filters: given };
}

/** `search`: the text is part of the person's email address or name, or of the event's distinct id. */
export function readSearchFilter(fields: QuestionFields): Filter {
  const text = readTextField(fields, 'search');
  if (text === undefined) return NO_FILTER;
  const holds = (owner: 'person' | 'event', key: string): Filter => ({
    kind: 'property',
    owner,
    key,
    operator: 'icontains',
    values: [text],
  });
  return { kind: 'or', filters: [holds('person', 'email'), holds('person', 'name'), holds('event', 'distinct_id')] };
}
