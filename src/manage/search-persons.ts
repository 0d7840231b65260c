/**
 * Finding persons. What comes in: a question. What goes out: persons in the order of the list, as many as are asked for.
 *
 * Exact ids and e-mails are looked up. Anything else goes through the list from its beginning, slice by slice, until
 * enough were found: other requests get their turn between two slices, and no more than one slice is held in memory.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { matches, type Search } from '../core/properties/matches.ts';
import {
  cohortsIn,
  type Filter,
  leavesOf,
  NO_FILTER,
  type PropertyFilter,
} from '../core/properties/property-filter.ts';
import type { Page } from '../stores/metadata-store.ts';
import type { PersonCursor, PersonStore, StoredPerson } from '../stores/person-store.ts';
import { type Clues, cluesOf, emailPart, emailTexts } from './person-clues.ts';

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

export interface PersonSearchDeps {
  persons: PersonStore;
  search: Search;
  /** Whether somebody is in a cohort, for the cohorts in the filter; without it there are none. */
  isIn?(personId: number, cohortId: number): boolean | undefined;
}

/** Persons looked at between two turns of others: some 10 ms where all of them have to be read. */
const SLICE = 1000;
/** The same where the index says enough. */
const INDEX_SLICE = 5000;

export async function listPersons(
  deps: PersonSearchDeps,
  question: PersonQuestion,
  { limit, offset }: Page,
): Promise<StoredPerson[]> {
  const filter = aboutPersons(question.filter);
  const { distinctId, email, search } = question;
  if (distinctId === undefined && email === undefined && search === undefined && isUnbounded(question, filter)) {
    return deps.persons.newest(question.projectId, { limit, offset });
  }
  const found: StoredPerson[] = [];
  let passed = 0;
  for await (const slice of eachSlice(deps, question)) {
    for (const person of slice) if (passed++ >= offset) found.push(person);
    if (found.length >= limit) break;
  }
  return found.slice(0, limit);
}

const isUnbounded = ({ among }: PersonQuestion, filter: Filter): boolean =>
  among === undefined && leavesOf(filter).length === 0 && cohortsIn(filter).length === 0;

/** Everybody whom the question means, a slice at a time. */
export async function* eachSlice(deps: PersonSearchDeps, question: PersonQuestion): AsyncGenerator<StoredPerson[]> {
  const filter = wholeFilter(question);
  const { projectId, search } = question;
  const searched = search === undefined ? null : await deps.persons.byDistinctId(projectId, search);
  const isMeant = (person: StoredPerson): boolean =>
    matches(filter, bare(person), deps.search, (id) => deps.isIn?.(person.id, id)) &&
    (search === undefined || person.id === searched?.id || matches(inEmail(search), bare(person), deps.search));
  for await (const slice of candidates(deps, question, filter, searched)) yield slice.filter(isMeant);
}

const bare = (person: StoredPerson) => ({ event: {}, person: person.properties });

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

/** Those who may be meant, from the narrowest source that there is. */
async function* candidates(
  { persons, search }: PersonSearchDeps,
  question: PersonQuestion,
  filter: Filter,
  searched: StoredPerson | null,
): AsyncGenerator<StoredPerson[]> {
  const { projectId, distinctId } = question;
  if (distinctId !== undefined) {
    const person = await persons.byDistinctId(projectId, distinctId);
    if (person) yield [person];
    return;
  }
  if (question.among !== undefined) {
    yield* byNumber(persons, projectId, question.among);
    return;
  }
  const emails = requiredEmails(filter);
  if (emails !== undefined) {
    yield* byEmail(persons, projectId, emails);
    return;
  }
  const either = searched === null ? [] : [{ kind: 'person', id: searched.id } as const];
  const inSearch = question.search === undefined ? [] : [[emailPart(question.search), ...either]];
  yield* slices(persons, projectId, [...cluesOf(filter, search), ...inSearch]);
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

async function* byNumber(
  persons: PersonStore,
  projectId: number,
  ids: readonly number[],
): AsyncGenerator<StoredPerson[]> {
  for (let start = 0; start < ids.length; start += SLICE) {
    const found = await Promise.all(ids.slice(start, start + SLICE).map((id) => persons.find(projectId, { id })));
    yield found.filter((person) => person !== null);
    await nextTurn();
  }
}

async function* byEmail(persons: PersonStore, projectId: number, emails: string[]): AsyncGenerator<StoredPerson[]> {
  for (let offset = 0; ; offset += SLICE) {
    const page = await persons.byEmail(projectId, emails, { limit: SLICE, offset });
    yield page;
    if (page.length < SLICE) return;
    await nextTurn();
  }
}

export async function* slices(persons: PersonStore, projectId: number, clues: Clues): AsyncGenerator<StoredPerson[]> {
  const size = clues.length > 0 && clues.flat().every(({ kind }) => kind !== 'text') ? INDEX_SLICE : SLICE;
  for (let after: PersonCursor | null = null; ; ) {
    const slice = await persons.slice(projectId, after, size, clues);
    yield slice.persons;
    if (slice.end === null) return;
    after = slice.end;
    await nextTurn();
  }
}
