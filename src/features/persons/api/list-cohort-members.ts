/** The members of a cohort as a list of persons, and cohorts among the filters of such lists. */
import type { Filter } from '../../../core/filters/property-filter.ts';
import type { RouteDeps } from '../../../http/api/route-deps.ts';
import { csvLines, type FlatRow, flatten } from '../../../http/csv.ts';
import type { Query } from '../../../http/paging.ts';
import { isoOffset } from '../../../http/schemas/common.ts';
import { searchPattern } from '../../../lib/search-pattern.ts';
import { findCohortMemberIds } from '../../../query/cohorts/cohort-filter.ts';
import type { QueryDeps } from '../../../query/query-deps.ts';
import type { Cohort } from '../../../stores/metadata/cohorts.ts';
import type { Page } from '../../../stores/metadata/page.ts';
import type { StoredPerson } from '../../../stores/metadata/persons.ts';
import { eachPersonBatch, listPersons, type PersonQuery, type PersonSearchDeps } from '../search/search-persons.ts';
import { pageLinks, readPersonQuery } from './person-query.ts';
import { presentListedPerson } from './person-schemas.ts';

type IsCohortMember = NonNullable<PersonSearchDeps['isCohortMember']>;

/** Who is in the cohorts that a filter asks for. */
export async function cohortMembership(
  deps: RouteDeps & QueryDeps,
  projectId: number,
  filter: Filter,
): Promise<IsCohortMember> {
  const sets = await findCohortMemberIds(deps, projectId, filter, deps.clock.now());
  return (personId, cohortId) => sets.get(cohortId)?.has(personId);
}

interface CohortMemberSearch {
  deps: PersonSearchDeps;
  query: PersonQuery;
}

/** So many members are put into order at once, in some 40 ms; more are met by going through the list of persons. */
const MAX_SORTED_MEMBERS = 20_000;

export async function searchCohortMembers(
  deps: RouteDeps & QueryDeps,
  projectId: number,
  { id }: Cohort,
  query: Query,
): Promise<CohortMemberSearch> {
  const { persons, cohortMembers } = deps.metadata;
  const asked = readPersonQuery(projectId, query);
  const filter: Filter = { kind: 'and', filters: [{ kind: 'cohort', id, negated: false }, asked.filter] };
  const sets = await findCohortMemberIds(deps, projectId, filter, deps.clock.now());
  const members = sets.get(id) ?? null;
  const among =
    members === null || members.size <= MAX_SORTED_MEMBERS
      ? await cohortMembers.sortPersonIds(projectId, [...(members ?? [])])
      : undefined;
  const isIn: IsCohortMember = (personId, cohortId) => sets.get(cohortId)?.has(personId);
  return { deps: { persons, search: searchPattern, isCohortMember: isIn }, query: { ...asked, filter, among } };
}

const MAX_LISTED_IDS = 1000;

export async function listCohortMembers({ deps, query }: CohortMemberSearch, page: Page, url: URL) {
  const found = await listPersons(deps, query, page);
  const ids = await distinctIdsOf(deps, found, MAX_LISTED_IDS);
  const results = found.map((person) => presentListedPerson(person, ids.get(person.id) ?? []));
  return { ...pageLinks(url, page, found.length), results };
}

const distinctIdsOf = ({ persons }: PersonSearchDeps, found: readonly StoredPerson[], most: number) =>
  persons.listDistinctIds(
    found.map(({ id }) => id),
    most,
  );

const MAX_CSV_PERSONS = 10_000;
const MAX_CSV_IDS = 10;

export const cohortMembersCsv = (members: CohortMemberSearch): AsyncGenerator<string> =>
  csvLines(() => csvPages(members));

async function* csvPages({ deps, query }: CohortMemberSearch): AsyncGenerator<FlatRow[]> {
  let left = MAX_CSV_PERSONS;
  for await (const slice of eachPersonBatch(deps, query)) {
    const shown = slice.slice(0, left);
    const ids = await distinctIdsOf(deps, shown, MAX_CSV_IDS);
    yield shown.map((person) => flatten(presentRow(person, ids.get(person.id) ?? [])));
    left -= shown.length;
    if (left <= 0) return;
  }
}

function presentRow(person: StoredPerson, distinctIds: readonly string[]) {
  const { id, name, properties, distinct_ids } = presentListedPerson(person, distinctIds);
  const created_at = isoOffset(person.createdAt).replace('T', ' ');
  return { id, email: properties['email'] ?? null, name, created_at, properties, distinct_ids };
}
