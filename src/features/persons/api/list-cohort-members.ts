/** The members of a cohort as a list of persons, and cohorts among the filters of such lists. */
import type { Filter } from '../../../core/filters/property-filter.ts';
import type { RouteDeps } from '../../../http/api/route-deps.ts';
import { csvLines, type FlatRow, flatten } from '../../../http/csv.ts';
import type { Query } from '../../../http/paging.ts';
import { isoOffset } from '../../../http/schemas/common.ts';
import { searchPattern } from '../../../lib/search-pattern.ts';
import { findCohorts } from '../../../query/cohorts/cohort-filter.ts';
import type { QueryDeps } from '../../../query/query-deps.ts';
import type { Cohort } from '../../../stores/metadata/cohorts.ts';
import type { Page } from '../../../stores/metadata/page.ts';
import type { StoredPerson } from '../../../stores/metadata/persons.ts';
import { eachPerson, listPersons, type PersonQuestion, type PersonSearchDeps } from '../search/search-persons.ts';
import { pageLinks, readPersonQuestion } from './person-query.ts';
import { presentListedPerson } from './person-schemas.ts';

type IsIn = NonNullable<PersonSearchDeps['isIn']>;

/** Who is in the cohorts that a filter asks for. */
export async function cohortsAsked(deps: RouteDeps & QueryDeps, projectId: number, filter: Filter): Promise<IsIn> {
  const sets = await findCohorts(deps, projectId, filter, deps.clock.now());
  return (personId, cohortId) => sets.get(cohortId)?.has(personId);
}

export interface Members {
  deps: PersonSearchDeps;
  question: PersonQuestion;
}

/** So many members are put into order at once, in some 40 ms; more are met by going through the list of persons. */
const FEW = 20_000;

export async function membersOf(
  deps: RouteDeps & QueryDeps,
  projectId: number,
  { id }: Cohort,
  query: Query,
): Promise<Members> {
  const { persons, cohortMembers } = deps.metadata;
  const asked = readPersonQuestion(projectId, query);
  const filter: Filter = { kind: 'and', filters: [{ kind: 'cohort', id, negated: false }, asked.filter] };
  const sets = await findCohorts(deps, projectId, filter, deps.clock.now());
  const members = sets.get(id) ?? null;
  const among =
    members === null || members.size <= FEW
      ? await cohortMembers.inListOrder(projectId, [...(members ?? [])])
      : undefined;
  const isIn: IsIn = (personId, cohortId) => sets.get(cohortId)?.has(personId);
  return { deps: { persons, search: searchPattern, isIn }, question: { ...asked, filter, among } };
}

const LISTED_IDS = 1000;

export async function cohortPersons({ deps, question }: Members, page: Page, url: URL) {
  const found = await listPersons(deps, question, page);
  const ids = await idsOf(deps, found, LISTED_IDS);
  const results = found.map((person) => presentListedPerson(person, ids.get(person.id) ?? []));
  return { ...pageLinks(url, page, found.length), results };
}

const idsOf = ({ persons }: PersonSearchDeps, found: readonly StoredPerson[], most: number) =>
  persons.distinctIds(
    found.map(({ id }) => id),
    most,
  );

const CSV_PERSONS = 10_000;
const CSV_IDS = 10;

export const cohortCsv = (members: Members): AsyncGenerator<string> => csvLines(() => csvPages(members));

async function* csvPages({ deps, question }: Members): AsyncGenerator<FlatRow[]> {
  let left = CSV_PERSONS;
  for await (const slice of eachPerson(deps, question)) {
    const shown = slice.slice(0, left);
    const ids = await idsOf(deps, shown, CSV_IDS);
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
