/**
 * Finds persons for a query, newest first.
 *
 * Exact ids and e-mails are looked up. Everything else uses the index. If the index cannot help at the moment, the list
 * is scanned in batches until enough persons are found; other requests run between two batches.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { countFitting } from '../../../core/count-fitting.ts';
import {
  type Filter,
  leafFilters,
  NO_FILTER,
  type PropertyFilter,
  propertyFiltersIn,
} from '../../../core/filters/property-filter.ts';
import { type ColumnFilter, matchesPerson } from '../../../core/persons/person-columns.ts';
import { createPause } from '../../../lib/in-batches.ts';
import type { Page } from '../../../stores/metadata/page.ts';
import type {
  ListedPerson,
  PartialPerson,
  PersonCursor,
  PersonSize,
  PersonStore,
  StoredPerson,
} from '../../../stores/metadata/persons.ts';
import { type ColumnFilterDeps, columnFilter } from './person-column-filter.ts';
import { emailContains, emailTexts, type Prefilters, prefilterOf } from './prefilter-persons.ts';

export interface PersonQuery {
  projectId: number;
  /** One of the person's distinct ids. */
  distinctId?: string | undefined;
  email?: string | undefined;
  /** Part of the e-mail, or a complete distinct id. */
  search?: string | undefined;
  /** Filters on event properties are ignored. */
  filter: Filter;
  /** Only these person ids, in list order. */
  among?: readonly number[] | undefined;
}

/** A page of persons. */
interface FoundPersons {
  persons: StoredPerson[];
  /** Where the next page begins, which may be empty; null if this is the last one. */
  nextOffset: number | null;
}

export interface PersonSearchDeps extends ColumnFilterDeps {
  persons: PersonStore;
}

const MAX_INDEX_RESULTS = 10_000;

/** Persons scanned before other requests may run: a few milliseconds of work. */
const MIN_BATCH_SIZE = 200;
const MAX_BATCH_SIZE = 1600;
/** The same if only indexed columns are needed. */
const MAX_INDEX_BATCH_SIZE = 6400;

export async function listPersons(deps: PersonSearchDeps, query: PersonQuery, page: Page): Promise<FoundPersons> {
  const { persons } = deps;
  const ids = matchesEverybody(query) ? await persons.listIds(query.projectId, page) : await findIds(deps, query, page);
  const sizes = await persons.listSizes(query.projectId, ids);
  const fitting = fittingIds(sizes);
  const read = fitting.length < sizes.length ? fitting.length : page.limit;
  return {
    persons: await persons.listByIds(query.projectId, fitting),
    nextOffset: ids.length >= read ? page.offset + read : null,
  };
}

async function findIds(deps: PersonSearchDeps, query: PersonQuery, { limit, offset }: Page): Promise<number[]> {
  const found: number[] = [];
  let position = 0;
  for await (const ids of eachPersonIdBatch(deps, query, offset + limit)) {
    for (const id of ids) if (position++ >= offset) found.push(id);
    if (found.length >= limit) break;
  }
  return found.slice(0, limit);
}

/** The properties of a page or batch, about: it is shorter where persons are large. */
const MAX_BATCH_BYTES = 4 * 1024 * 1024;

/** As many persons, from the first on, as may be in memory at once. */
const fittingIds = (sizes: readonly PersonSize[]): number[] =>
  sizes.slice(0, countFitting(sizes, MAX_BATCH_BYTES)).map(({ id }) => id);

const matchesEverybody = ({ distinctId, email, search, among, filter }: PersonQuery): boolean => {
  const own = personFilter(filter);
  const isRestricted = [distinctId, email, search, among].some((value) => value !== undefined);
  return !isRestricted && leafFilters(own).length === 0;
};

/** All matching persons, in batches. */
export async function* eachPersonBatch(deps: PersonSearchDeps, query: PersonQuery): AsyncGenerator<StoredPerson[]> {
  for await (const ids of eachPersonIdBatch(deps, query)) yield* readByIds(deps.persons, query.projectId, ids);
}

/** The ids of all matching persons in list order, in batches. */
export async function* eachPersonIdBatch(
  deps: PersonSearchDeps,
  query: PersonQuery,
  enough = MAX_INDEX_RESULTS,
): AsyncGenerator<number[]> {
  const { projectId, search } = query;
  const searched = search === undefined ? null : await deps.persons.getByDistinctId(projectId, search);
  const columns = compileFilter(deps, query, searched);
  const compiled: CompiledQuery = { filter: filterOf(query), searched, columns };
  const candidates = lookUp(deps, query, compiled.filter);
  if (candidates === null) yield* searchIndex(deps, query, compiled, enough);
  else for await (const batch of candidates) yield await matchingIds(columns, batch);
}

async function matchingIds(columns: ColumnFilter, persons: readonly PartialPerson[]): Promise<number[]> {
  const ids: number[] = [];
  const pause = createPause();
  for (const { id, properties } of persons) {
    if (matchesPerson(columns, id, properties)) ids.push(id);
    const paused = pause();
    if (paused !== undefined) await paused;
  }
  return ids;
}

interface CompiledQuery {
  filter: Filter;
  /** The person whose distinct id equals the search text. */
  searched: StoredPerson | null;
  columns: ColumnFilter;
}

function compileFilter(deps: PersonSearchDeps, query: PersonQuery, searched: StoredPerson | null): ColumnFilter {
  const filter = columnFilter(deps, filterOf(query));
  if (query.search === undefined) return filter;
  const isSearched: ColumnFilter[] = searched ? [{ kind: 'named', id: searched.id }] : [];
  const matchesSearch: ColumnFilter = {
    kind: 'any',
    tests: [columnFilter(deps, emailContainsFilter(query.search)), ...isSearched],
  };
  return { kind: 'all', tests: [matchesSearch, filter] };
}

async function* searchIndex(
  deps: PersonSearchDeps,
  query: PersonQuery,
  compiled: CompiledQuery,
  enough: number,
): AsyncGenerator<number[]> {
  let after: PersonCursor | null = null;
  for (let limit = Math.min(enough, MAX_INDEX_RESULTS); ; limit = MAX_INDEX_RESULTS) {
    const found: ListedPerson[] | null = await deps.persons.listMatching(
      query.projectId,
      compiled.columns,
      after,
      limit,
    );
    if (found === null) break;
    yield found.map(({ id }) => id);
    if (found.length < limit) return;
    after = found.at(-1) ?? after;
  }
  yield* searchList(deps, query, compiled, after);
}

async function* searchList(
  { persons, search }: PersonSearchDeps,
  query: PersonQuery,
  { filter, searched, columns }: CompiledQuery,
  after: PersonCursor | null,
): AsyncGenerator<number[]> {
  const isSearched = searched === null ? [] : [{ kind: 'person', id: searched.id } as const];
  const searchPrefilter = query.search === undefined ? [] : [[emailContains(query.search), ...isSearched]];
  const keys = new Set(propertyFiltersIn(filter).map(({ key }) => key));
  if (query.search !== undefined) keys.add('email');
  const prefilters = [...prefilterOf(filter, search), ...searchPrefilter];
  for await (const batch of scanPersons(persons, query.projectId, prefilters, [...keys], after)) {
    yield await matchingIds(columns, batch);
  }
}

const emailContainsFilter = (part: string): PropertyFilter => emailFilter('icontains', part);

const emailFilter = (operator: 'exact' | 'icontains', value: string): PropertyFilter => ({
  kind: 'property',
  owner: 'person',
  key: 'email',
  operator,
  values: [value],
});

function filterOf({ email, filter }: PersonQuery): Filter {
  const own = personFilter(filter);
  return email === undefined ? own : { kind: 'and', filters: [emailFilter('exact', email), own] };
}

/** Without filters on events, which say nothing about a person, and groups of nothing else. */
const personFilter = (filter: Filter): Filter => personPart(filter) ?? NO_FILTER;

function personPart(filter: Filter): Filter | undefined {
  if (filter.kind === 'cohort' || filter.kind === 'expression') return filter;
  if (filter.kind === 'property') return filter.owner === 'person' ? filter : undefined;
  const filters = filter.filters.map(personPart).filter((inner) => inner !== undefined);
  return filters.length === 0 && filter.filters.length > 0 ? undefined : { ...filter, filters };
}

/** The candidates, if they can be looked up; null if not. */
function lookUp(
  { persons }: PersonSearchDeps,
  { projectId, distinctId, among }: PersonQuery,
  filter: Filter,
): AsyncIterable<PartialPerson[]> | null {
  if (distinctId !== undefined) return readByDistinctId(persons, projectId, distinctId);
  if (among !== undefined) return readByIds(persons, projectId, among);
  const emails = requiredEmails(filter);
  return emails === undefined ? null : readByEmail(persons, projectId, emails);
}

async function* readByDistinctId(persons: PersonStore, projectId: number, id: string): AsyncGenerator<StoredPerson[]> {
  const person = await persons.getByDistinctId(projectId, id);
  if (person) yield [person];
}

/** E-mails of which every matching person has one; undefined if unknown. */
function requiredEmails(filter: Filter): string[] | undefined {
  if (filter.kind !== 'property') {
    const inner = filter.kind === 'and' ? filter.filters.map(requiredEmails) : [];
    return inner.find((emails) => emails !== undefined);
  }
  if (filter.key !== 'email' || filter.operator !== 'exact') return undefined;
  const texts = filter.values.map(emailTexts);
  return texts.includes(undefined) ? undefined : [...new Set(texts.flatMap((text) => text ?? []))];
}

const READ_BATCH_SIZE = 500;

async function* readByIds(
  persons: PersonStore,
  projectId: number,
  ids: readonly number[],
): AsyncGenerator<StoredPerson[]> {
  for (let start = 0; start < ids.length; start += READ_BATCH_SIZE) {
    const sizes = await persons.listSizes(projectId, ids.slice(start, start + READ_BATCH_SIZE));
    for (let at = 0; at < sizes.length; ) {
      const batch = fittingIds(sizes.slice(at));
      yield await persons.listByIds(projectId, batch);
      at += batch.length;
      await nextTurn();
    }
  }
}

async function* readByEmail(persons: PersonStore, projectId: number, emails: string[]): AsyncGenerator<StoredPerson[]> {
  for (let offset = 0; ; offset += READ_BATCH_SIZE) {
    const ids = await persons.listIdsByEmails(projectId, emails, { limit: READ_BATCH_SIZE, offset });
    yield* readByIds(persons, projectId, ids);
    if (ids.length < READ_BATCH_SIZE) return;
  }
}

/** All persons that pass the prefilters, with these properties. Batches grow while few persons pass. */
export async function* scanPersons(
  persons: PersonStore,
  projectId: number,
  prefilters: Prefilters,
  keys?: readonly string[],
  from: PersonCursor | null = null,
): AsyncGenerator<PartialPerson[]> {
  const isIndexed = keys?.every((key) => key === 'email') && prefilters.flat().every(({ kind }) => kind !== 'text');
  const largest = isIndexed ? MAX_INDEX_BATCH_SIZE : MAX_BATCH_SIZE;
  let size = MIN_BATCH_SIZE;
  for (let after = from; ; ) {
    const batch = await persons.scan(projectId, after, size, prefilters, keys);
    yield batch.persons;
    if (batch.cursor === null) return;
    after = batch.cursor;
    if (batch.persons.length < MAX_BATCH_SIZE / 2) size = Math.min(size * 2, largest);
    await nextTurn();
  }
}
