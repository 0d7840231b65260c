/**
 * Finding persons. What comes in: a question. What goes out: persons in the order of the list, as many as are asked for.
 *
 * Exact ids and e-mails are looked up. For anything else the index is asked. Where it cannot help for the moment, the
 * list is gone through from its beginning, slice by slice, until enough were found: other requests get their turn between
 * two slices, and no more than one slice is held in memory.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  cohortFiltersIn,
  type Filter,
  NO_FILTER,
  type PropertyFilter,
  propertyFiltersIn,
} from '../../../core/filters/property-filter.ts';
import { type ColumnFilter, matchesPerson } from '../../../core/persons/person-columns.ts';
import type { Page } from '../../../stores/metadata/page.ts';
import type {
  ListedPerson,
  PartialPerson,
  PersonCursor,
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
  /** Part of the e-mail, or a whole distinct id. */
  search?: string | undefined;
  /** What it says of events has no effect. */
  filter: Filter;
  /** Only these persons, by number, in the order of the list. */
  among?: readonly number[] | undefined;
}

export interface PersonSearchDeps extends ColumnFilterDeps {
  persons: PersonStore;
}

/** The most that the index is asked for at a time. */
const MAX_INDEX_RESULTS = 10_000;

/** Persons looked at between two turns of others, at first and at the most: a few milliseconds of work. */
const MIN_BATCH_SIZE = 200;
const MAX_BATCH_SIZE = 1600;
/** The same where the index says enough. */
const MAX_INDEX_BATCH_SIZE = 6400;

export async function listPersons(
  deps: PersonSearchDeps,
  question: PersonQuery,
  { limit, offset }: Page,
): Promise<StoredPerson[]> {
  const { projectId } = question;
  if (isEveryone(question)) return deps.persons.list(projectId, { limit, offset });
  const found: number[] = [];
  let passed = 0;
  for await (const ids of eachPersonIdBatch(deps, question, offset + limit)) {
    for (const id of ids) if (passed++ >= offset) found.push(id);
    if (found.length >= limit) break;
  }
  return deps.persons.listByIds(projectId, found.slice(0, limit));
}

const isEveryone = ({ distinctId, email, search, among, filter }: PersonQuery): boolean => {
  const own = personFilter(filter);
  const isBounded = [distinctId, email, search, among].some((bound) => bound !== undefined);
  return !isBounded && propertyFiltersIn(own).length === 0 && cohortFiltersIn(own).length === 0;
};

/** Everybody whom the question means, whole, some at a time. */
export async function* eachPersonBatch(deps: PersonSearchDeps, question: PersonQuery): AsyncGenerator<StoredPerson[]> {
  for await (const ids of eachPersonIdBatch(deps, question)) yield* readByIds(deps.persons, question.projectId, ids);
}

/** The numbers of everybody whom the question means, in the order of the list, a slice at a time. */
export async function* eachPersonIdBatch(
  deps: PersonSearchDeps,
  question: PersonQuery,
  enough = MAX_INDEX_RESULTS,
): AsyncGenerator<number[]> {
  const { projectId, search } = question;
  const searched = search === undefined ? null : await deps.persons.getByDistinctId(projectId, search);
  const meant: CompiledQuery = { filter: filterOf(question), searched, test: compileFilter(deps, question, searched) };
  const isMeant = ({ id, properties }: PartialPerson): boolean => matchesPerson(meant.test, id, properties);
  const known = lookUp(deps, question, meant.filter);
  if (known === null) {
    yield* searchIndex(deps, question, meant, enough);
    return;
  }
  for await (const slice of known) yield slice.filter(isMeant).map(({ id }) => id);
}

interface CompiledQuery {
  filter: Filter;
  /** Whose distinct id is what is searched for. */
  searched: StoredPerson | null;
  test: ColumnFilter;
}

function compileFilter(deps: PersonSearchDeps, question: PersonQuery, searched: StoredPerson | null): ColumnFilter {
  const fitsFilter = columnFilter(deps, filterOf(question));
  if (question.search === undefined) return fitsFilter;
  const isSearched: ColumnFilter[] = searched ? [{ kind: 'named', id: searched.id }] : [];
  const fitsSearch: ColumnFilter = {
    kind: 'any',
    tests: [columnFilter(deps, emailContainsFilter(question.search)), ...isSearched],
  };
  return { kind: 'all', tests: [fitsSearch, fitsFilter] };
}

async function* searchIndex(
  deps: PersonSearchDeps,
  question: PersonQuery,
  meant: CompiledQuery,
  enough: number,
): AsyncGenerator<number[]> {
  let after: PersonCursor | null = null;
  for (let limit = Math.min(enough, MAX_INDEX_RESULTS); ; limit = MAX_INDEX_RESULTS) {
    const found: ListedPerson[] | null = await deps.persons.listMatching(question.projectId, meant.test, after, limit);
    if (found === null) break;
    yield found.map(({ id }) => id);
    if (found.length < limit) return;
    after = found.at(-1) ?? after;
  }
  yield* searchList(deps, question, meant, after);
}

async function* searchList(
  { persons, search }: PersonSearchDeps,
  question: PersonQuery,
  { filter, searched, test }: CompiledQuery,
  after: PersonCursor | null,
): AsyncGenerator<number[]> {
  const either = searched === null ? [] : [{ kind: 'person', id: searched.id } as const];
  const inSearch = question.search === undefined ? [] : [[emailContains(question.search), ...either]];
  const keys = new Set(propertyFiltersIn(filter).map(({ key }) => key));
  if (question.search !== undefined) keys.add('email');
  const clues = [...prefilterOf(filter, search), ...inSearch];
  for await (const slice of scanPersons(persons, question.projectId, clues, [...keys], after)) {
    yield slice.filter(({ id, properties }) => matchesPerson(test, id, properties)).map(({ id }) => id);
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

/** A filter on events says nothing of a person: it is left out of its group, and so is a group of nothing else. */
const personFilter = (filter: Filter): Filter => personPart(filter) ?? NO_FILTER;

function personPart(filter: Filter): Filter | undefined {
  if (filter.kind === 'cohort') return filter;
  if (filter.kind === 'property') return filter.owner === 'person' ? filter : undefined;
  const filters = filter.filters.map(personPart).filter((inner) => inner !== undefined);
  return filters.length === 0 && filter.filters.length > 0 ? undefined : { ...filter, filters };
}

/** Those who may be meant, where they are few and known by name; null where they are not. */
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

/** E-mails of which everybody who is meant has one; undefined where that is not known. */
function requiredEmails(filter: Filter): string[] | undefined {
  if (filter.kind !== 'property') {
    const inner = filter.kind === 'and' ? filter.filters.map(requiredEmails) : [];
    return inner.find((emails) => emails !== undefined);
  }
  if (filter.key !== 'email' || filter.operator !== 'exact') return undefined;
  const texts = filter.values.map(emailTexts);
  return texts.includes(undefined) ? undefined : [...new Set(texts.flatMap((text) => text ?? []))];
}

/** Persons read at once, where it is known whom to read. */
const READ_BATCH_SIZE = 500;

async function* readByIds(
  persons: PersonStore,
  projectId: number,
  ids: readonly number[],
): AsyncGenerator<StoredPerson[]> {
  for (let start = 0; start < ids.length; start += READ_BATCH_SIZE) {
    yield await persons.listByIds(projectId, ids.slice(start, start + READ_BATCH_SIZE));
    await nextTurn();
  }
}

async function* readByEmail(persons: PersonStore, projectId: number, emails: string[]): AsyncGenerator<StoredPerson[]> {
  for (let offset = 0; ; offset += READ_BATCH_SIZE) {
    const page = await persons.listByEmails(projectId, emails, { limit: READ_BATCH_SIZE, offset });
    yield page;
    if (page.length < READ_BATCH_SIZE) return;
    await nextTurn();
  }
}

/** Everybody who shows the clues, with these properties. Slices grow while they hold little that has to be looked at. */
export async function* scanPersons(
  persons: PersonStore,
  projectId: number,
  clues: Prefilters,
  keys?: readonly string[],
  from: PersonCursor | null = null,
): AsyncGenerator<PartialPerson[]> {
  const isInIndex = keys?.every((key) => key === 'email') && clues.flat().every(({ kind }) => kind !== 'text');
  const largest = isInIndex ? MAX_INDEX_BATCH_SIZE : MAX_BATCH_SIZE;
  let size = MIN_BATCH_SIZE;
  for (let after = from; ; ) {
    const slice = await persons.scan(projectId, after, size, clues, keys);
    yield slice.persons;
    if (slice.cursor === null) return;
    after = slice.cursor;
    if (slice.persons.length < MAX_BATCH_SIZE / 2) size = Math.min(size * 2, largest);
    await nextTurn();
  }
}
