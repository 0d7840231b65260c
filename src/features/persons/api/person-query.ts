/** Parses requests about persons, and builds the links of their list. */
import { invalid } from '../../../core/errors.ts';
import { isUuid } from '../../../core/events/uuid.ts';
import { parseFilters } from '../../../core/filters/parse-filters.ts';
import { type Filter, propertyFiltersIn } from '../../../core/filters/property-filter.ts';
import { type Query, queryText, queryTexts } from '../../../http/paging.ts';
import type { Page } from '../../../stores/metadata/page.ts';
import type { PersonRef } from '../../../stores/metadata/persons.ts';
import type { PersonQuery } from '../search/search-persons.ts';

/** A person in a path, by id or by uuid with or without hyphens. Null for anything else. */
export function readPersonRef(text = ''): PersonRef | null {
  if (/^\d{1,15}$/.test(text)) return { id: Number(text) };
  const uuid = /^[0-9a-f]{32}$/i.test(text) ? text.replace(/(.{8})(.{4})(.{4})(.{4})(.{12})/, '$1-$2-$3-$4-$5') : text;
  return isUuid(uuid) ? { uuid: uuid.toLowerCase() } : null;
}

export function readPersonQuery(projectId: number, query: Query): PersonQuery {
  return {
    projectId,
    distinctId: nonEmpty(query, 'distinct_id'),
    email: nonEmpty(query, 'email'),
    search: nonEmpty(query, 'search'),
    filter: readPersonFilter(queryTexts(query, 'properties')),
  };
}

/** Filters without a type are about persons here. */
function readPersonFilter(given: readonly string[]): Filter {
  const filter = parseFilters(given, { owner: 'person', expressions: 'persons' });
  const other = propertyFiltersIn(filter).find(({ owner }) => owner !== 'person' && owner !== 'event');
  if (other === undefined) return filter;
  throw invalid('properties', `Filters of type "${other.owner}" are not supported here: use person or cohort.`);
}

/** Forms send empty fields; they count as absent. */
const nonEmpty = (query: Query, name: string): string | undefined => queryText(query, name) || undefined;

/** A full page always links to the next one, which may be empty: nobody reads ahead. Only the offset changes. */
export function pageLinks(url: URL, { limit, offset }: Page, nextOffset: number | null) {
  const at = (start: number): string => {
    const link = new URL(url);
    link.searchParams.set('offset', String(start));
    return link.toString();
  };
  return {
    next: nextOffset === null ? null : at(nextOffset),
    previous: offset >= limit ? at(offset - limit) : null,
  };
}
