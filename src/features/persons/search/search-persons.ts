/**
 * Finding persons. What comes in: a question. What goes out: persons in the order of the list, as many as are asked for.
 *
 * Exact ids and e-mails are looked up. For anything else the index is asked. Where it cannot help for the moment, the
 * list is gone through from its beginning, slice by slice, until enough were found: other requests get their turn between
 * two slices, and no more than one slice is held in memory.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  cohortsIn,
  type Filter,
  leavesOf,
  NO_FILTER,
  type PropertyFilter,
} from '../../../core/filters/property-filter.ts';
import { type PersonTest, passes } from '../../../core/persons/person-columns.ts';
import type { Page } from '../../../stores/metadata/page.ts';
import type {
  ListedPerson,
  PersonCursor,
  PersonSketch,
  PersonStore,
  StoredPerson,
} from '../../../stores/metadata/persons.ts';
import { type PersonTestDeps, personTest } from './person-column-filter.ts';
import { type Clues, cluesOf, emailPart, emailTexts } from './prefilter-persons.ts';

export interface PersonQuestion {
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

export interface PersonSearchDeps extends PersonTestDeps {
  persons: PersonStore;
}

/** The most that the index is asked for at a time. */
const MOST_AT_ONCE = 10_000;

/** Persons looked at between two turns of others, at first and at the most: a few milliseconds of work. */
const FIRST_SLICE = 200;
const LARGEST_SLICE = 1600;
/** The same where the index says enough. */
const LARGEST_INDEX_SLICE = 6400;

export async function listPersons(
  deps: PersonSearchDeps,
  question: PersonQuestion,
  { limit, offset }: Page,
): Promise<StoredPerson[]> {
  const { projectId } = question;
  if (isEveryone(question)) return deps.persons.newest(projectId, { limit, offset });
  const found: number[] = [];
  let passed = 0;
  for await (const ids of eachSlice(deps, question, offset + limit)) {
    for (const id of ids) if (passed++ >= offset) found.push(id);
    if (found.length >= limit) break;
  }
  return deps.persons.byIds(projectId, found.slice(0, limit));
}

const isEveryone = ({ distinctId, email, search, among, filter }: PersonQuestion): boolean => {
  const own = aboutPersons(filter);
  const isBounded = [distinctId, email, search, among].some((bound) => bound !== undefined);
  return !isBounded && leavesOf(own).length === 0 && cohortsIn(own).length === 0;
};

/** Everybody whom the question means, whole, some at a time. */
export async function* eachPerson(deps: PersonSearchDeps, question: PersonQuestion): AsyncGenerator<StoredPerson[]> {
  for await (const ids of eachSlice(deps, question)) yield* byNumber(deps.persons, question.projectId, ids);
}

/** The numbers of everybody whom the question means, in the order of the list, a slice at a time. */
export async function* eachSlice(
  deps: PersonSearchDeps,
  question: PersonQuestion,
  enough = MOST_AT_ONCE,
): AsyncGenerator<number[]> {
  const { projectId, search } = question;
  const searched = search === undefined ? null : await deps.persons.byDistinctId(projectId, search);
  const meant: Meant = { filter: wholeFilter(question), searched, test: testOf(deps, question, searched) };
  const isMeant = ({ id, properties }: PersonSketch): boolean => passes(meant.test, id, properties);
  const known = lookedUp(deps, question, meant.filter);
  if (known === null) {
    yield* throughIndex(deps, question, meant, enough);
    return;
  }
  for await (const slice of known) yield slice.filter(isMeant).map(({ id }) => id);
}

interface Meant {
  filter: Filter;
  /** Whose distinct id is what is searched for. */
  searched: StoredPerson | null;
  test: PersonTest;
}

function testOf(deps: PersonSearchDeps, question: PersonQuestion, searched: StoredPerson | null): PersonTest {
  const fitsFilter = personTest(deps, wholeFilter(question));
  if (question.search === undefined) return fitsFilter;
  const isSearched: PersonTest[] = searched ? [{ kind: 'named', id: searched.id }] : [];
  const fitsSearch: PersonTest = { kind: 'any', tests: [personTest(deps, inEmail(question.search)), ...isSearched] };
  return { kind: 'all', tests: [fitsSearch, fitsFilter] };
}

async function* throughIndex(
  deps: PersonSearchDeps,
  question: PersonQuestion,
  meant: Meant,
  enough: number,
): AsyncGenerator<number[]> {
  let after: PersonCursor | null = null;
  for (let limit = Math.min(enough, MOST_AT_ONCE); ; limit = MOST_AT_ONCE) {
    const found: ListedPerson[] | null = await deps.persons.passing(question.projectId, meant.test, after, limit);
    if (found === null) break;
    yield found.map(({ id }) => id);
    if (found.length < limit) return;
    after = found.at(-1) ?? after;
  }
  yield* throughList(deps, question, meant, after);
}

async function* throughList(
  { persons, search }: PersonSearchDeps,
  question: PersonQuestion,
  { filter, searched, test }: Meant,
  after: PersonCursor | null,
): AsyncGenerator<number[]> {
  const either = searched === null ? [] : [{ kind: 'person', id: searched.id } as const];
  const inSearch = question.search === undefined ? [] : [[emailPart(question.search), ...either]];
  const keys = new Set(leavesOf(filter).map(({ key }) => key));
  if (question.search !== undefined) keys.add('email');
  const clues = [...cluesOf(filter, search), ...inSearch];
  for await (const slice of slices(persons, question.projectId, clues, [...keys], after)) {
    yield slice.filter(({ id, properties }) => passes(test, id, properties)).map(({ id }) => id);
  }
}

const inEmail = (part: string): PropertyFilter => emailFilter('icontains', part);

const emailFilter = (operator: 'exact' | 'icontains', value: string): PropertyFilter => ({
  kind: 'property',
  owner: 'person',
  key: 'email',
  operator,
  values: [value],
});

function wholeFilter({ email, filter }: PersonQuestion): Filter {
  const own = aboutPersons(filter);
  return email === undefined ? own : { kind: 'and', filters: [emailFilter('exact', email), own] };
}

/** A filter on events says nothing of a person: it is left out of its group, and so is a group of nothing else. */
const aboutPersons = (filter: Filter): Filter => personsPart(filter) ?? NO_FILTER;

function personsPart(filter: Filter): Filter | undefined {
  if (filter.kind === 'cohort') return filter;
  if (filter.kind === 'property') return filter.owner === 'person' ? filter : undefined;
  const filters = filter.filters.map(personsPart).filter((inner) => inner !== undefined);
  return filters.length === 0 && filter.filters.length > 0 ? undefined : { ...filter, filters };
}

/** Those who may be meant, where they are few and known by name; null where they are not. */
function lookedUp(
  { persons }: PersonSearchDeps,
  { projectId, distinctId, among }: PersonQuestion,
  filter: Filter,
): AsyncIterable<PersonSketch[]> | null {
  if (distinctId !== undefined) return byDistinctId(persons, projectId, distinctId);
  if (among !== undefined) return byNumber(persons, projectId, among);
  const emails = requiredEmails(filter);
  return emails === undefined ? null : byEmail(persons, projectId, emails);
}

async function* byDistinctId(persons: PersonStore, projectId: number, id: string): AsyncGenerator<StoredPerson[]> {
  const person = await persons.byDistinctId(projectId, id);
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
const READ_AT_ONCE = 500;

async function* byNumber(
  persons: PersonStore,
  projectId: number,
  ids: readonly number[],
): AsyncGenerator<StoredPerson[]> {
  for (let start = 0; start < ids.length; start += READ_AT_ONCE) {
    yield await persons.byIds(projectId, ids.slice(start, start + READ_AT_ONCE));
    await nextTurn();
  }
}

async function* byEmail(persons: PersonStore, projectId: number, emails: string[]): AsyncGenerator<StoredPerson[]> {
  for (let offset = 0; ; offset += READ_AT_ONCE) {
    const page = await persons.byEmail(projectId, emails, { limit: READ_AT_ONCE, offset });
    yield page;
    if (page.length < READ_AT_ONCE) return;
    await nextTurn();
  }
}

/** Everybody who shows the clues, with these properties. Slices grow while they hold little that has to be looked at. */
export async function* slices(
  persons: PersonStore,
  projectId: number,
  clues: Clues,
  keys?: readonly string[],
  from: PersonCursor | null = null,
): AsyncGenerator<PersonSketch[]> {
  const isInIndex = keys?.every((key) => key === 'email') && clues.flat().every(({ kind }) => kind !== 'text');
  const largest = isInIndex ? LARGEST_INDEX_SLICE : LARGEST_SLICE;
  let size = FIRST_SLICE;
  for (let after = from; ; ) {
    const slice = await persons.slice(projectId, after, size, clues, keys);
    yield slice.persons;
    if (slice.end === null) return;
    after = slice.end;
    if (slice.persons.length < LARGEST_SLICE / 2) size = Math.min(size * 2, largest);
    await nextTurn();
  }
}
