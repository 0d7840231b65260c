/** Lists of persons, all or the members of a cohort, as JSON pages or as CSV. */
import { expressionFiltersIn, type Filter } from '../../../core/filters/property-filter.ts';
import type { Json } from '../../../core/json/json.ts';
import type { RouteDeps } from '../../../http/api/route-deps.ts';
import { csvLines, type FlatRow, flatten } from '../../../http/csv.ts';
import type { Query } from '../../../http/paging.ts';
import { isoOffset } from '../../../http/schemas/common.ts';
import type { CsvCells } from '../../../lib/csv-line.ts';
import { preparePatternSearch } from '../../../lib/search-pattern.ts';
import { CohortMembers } from '../../../query/cohorts/cohort-members.ts';
import { findPersonsByExpression } from '../../../query/expressions/match-persons.ts';
import type { QueryDeps } from '../../../query/query-deps.ts';
import type { Cohort } from '../../../stores/metadata/cohorts.ts';
import type { Page } from '../../../stores/metadata/page.ts';
import type { PersonStore, StoredPerson } from '../../../stores/metadata/persons.ts';
import { eachPersonBatch, listPersons, type PersonQuery, type PersonSearchDeps } from '../search/search-persons.ts';
import { pageLinks, readPersonQuery } from './person-query.ts';
import { presentListedPerson } from './person-schemas.ts';

type Deps = RouteDeps & QueryDeps;

interface PersonSearch {
  deps: PersonSearchDeps;
  query: PersonQuery;
}

export async function searchPersons(deps: Deps, projectId: number, query: Query): Promise<PersonSearch> {
  const parsed = readPersonQuery(projectId, query);
  return { deps: await searchDeps(deps, projectId, parsed.filter), query: parsed };
}

/** Up to this many members are sorted at once, in about 40 ms; beyond it the list of persons is filtered. */
const MAX_SORTED_MEMBERS = 20_000;

export async function searchCohortMembers(
  deps: Deps,
  projectId: number,
  { id }: Cohort,
  query: Query,
): Promise<PersonSearch> {
  const parsed = readPersonQuery(projectId, query);
  const filter: Filter = { kind: 'and', filters: [{ kind: 'cohort', id, negated: false }, parsed.filter] };
  const members = await new CohortMembers(deps, projectId, deps.clock.now()).get(id);
  const among =
    members === null || members.size <= MAX_SORTED_MEMBERS
      ? await deps.metadata.cohortMembers.sortPersonIds(projectId, [...(members ?? [])])
      : undefined;
  return { deps: await searchDeps(deps, projectId, filter), query: { ...parsed, filter, among } };
}

async function searchDeps(deps: Deps, projectId: number, filter: Filter): Promise<PersonSearchDeps> {
  const memberIds = await new CohortMembers(deps, projectId, deps.clock.now()).idsIn(filter);
  const matchingIds = await findPersonsByExpression(deps, projectId, expressionFiltersIn(filter));
  return {
    persons: deps.metadata.persons,
    search: await preparePatternSearch(filter),
    isCohortMember: (personId, cohortId) => memberIds.get(cohortId)?.has(personId),
    isTrue: (personId, { text }) => matchingIds.get(text)?.has(personId) === true,
  };
}

/** Distinct ids per person in a list; a single person shows all of them. */
const MAX_LISTED_IDS = 1000;

export async function personPage({ deps, query }: PersonSearch, page: Page, url: URL) {
  const { persons, nextOffset } = await listPersons(deps, query, page);
  const results = await presentAll(deps.persons, persons, MAX_LISTED_IDS, presentListedPerson);
  return { ...pageLinks(url, page, nextOffset), results };
}

async function presentAll<R>(
  persons: PersonStore,
  found: readonly StoredPerson[],
  maxIds: number,
  present: (person: StoredPerson, distinctIds: readonly string[]) => R,
): Promise<R[]> {
  const ids = await persons.listDistinctIds(
    found.map(({ id }) => id),
    maxIds,
  );
  return found.map((person) => present(person, ids.get(person.id) ?? []));
}

/** Each id is a column of the whole table: one person with many would widen every row. */
const MAX_CSV_IDS = 100;

/** All matching persons, whatever page was requested. */
export const personCsv = (search: PersonSearch, cells: CsvCells): AsyncGenerator<string> =>
  csvLines(() => csvRows(search, Number.POSITIVE_INFINITY, MAX_CSV_IDS, presentRow), cells);

const MAX_CSV_MEMBERS = 10_000;
const MAX_CSV_MEMBER_IDS = 10;

export const cohortMembersCsv = (search: PersonSearch, cells: CsvCells): AsyncGenerator<string> =>
  csvLines(() => csvRows(search, MAX_CSV_MEMBERS, MAX_CSV_MEMBER_IDS, presentMemberRow), cells);

async function* csvRows(
  { deps, query }: PersonSearch,
  maxPersons: number,
  maxIds: number,
  present: (person: StoredPerson, distinctIds: readonly string[]) => Json,
): AsyncGenerator<FlatRow[]> {
  let left = maxPersons;
  for await (const batch of eachPersonBatch(deps, query)) {
    const rows = await presentAll(deps.persons, batch.slice(0, left), maxIds, present);
    yield rows.map((row) => flatten(row));
    left -= rows.length;
    if (left <= 0) return;
  }
}

/** Spreadsheets recognize a timestamp with a space between date and time. */
const presentRow = (person: StoredPerson, distinctIds: readonly string[]) => ({
  ...presentListedPerson(person, distinctIds),
  created_at: isoOffset(person.createdAt).replace('T', ' '),
});

function presentMemberRow(person: StoredPerson, distinctIds: readonly string[]) {
  const { id, name, properties, created_at, distinct_ids } = presentRow(person, distinctIds);
  return { id, email: properties['email'] ?? null, name, created_at, properties, distinct_ids };
}
