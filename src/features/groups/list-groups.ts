/** The list of groups, by their properties: gone through a page at a time, in the order of the list. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Failure, invalid } from '../../core/errors.ts';
import { matches } from '../../core/filters/matches.ts';
import { cohortFiltersIn, type Filter, propertyFiltersIn } from '../../core/filters/property-filter.ts';
import { searchPattern } from '../../lib/search-pattern.ts';
import type { GroupQuery, GroupStore, StoredGroup } from '../../stores/metadata/groups.ts';

const PAGE_SIZE = 1000;
const MAX_SCANNED_GROUPS = 200_000;

/** As many as the query asks for, whoever's property a filter says it is about: here they are all the group's. */
export async function listGroups(
  groups: GroupStore,
  projectId: number,
  typeIndex: number,
  query: GroupQuery,
  filter: Filter,
): Promise<StoredGroup[]> {
  if (cohortFiltersIn(filter).length > 0) throw invalid('properties', 'Groups are in no cohorts.');
  if (propertyFiltersIn(filter).length === 0) return groups.list(projectId, typeIndex, query);
  const fits = ({ properties: own }: StoredGroup): boolean =>
    matches(filter, { event: own, person: own, group: () => own }, searchPattern);
  const isBackwards = query.from?.direction === 'before';
  let found: StoredGroup[] = [];
  let { from } = query;
  for (let looked = 0; found.length < query.limit; looked += PAGE_SIZE) {
    if (looked >= MAX_SCANNED_GROUPS) throw tooMany();
    const page = await groups.list(projectId, typeIndex, { ...query, from, limit: PAGE_SIZE });
    const own = page.filter(fits);
    found = isBackwards ? [...own, ...found].slice(-query.limit) : [...found, ...own].slice(0, query.limit);
    const last = isBackwards ? page[0] : page.at(-1);
    if (last === undefined || page.length < PAGE_SIZE) break;
    from = { direction: isBackwards ? 'before' : 'behind', place: last };
    await nextTurn();
  }
  return found;
}

const tooMany = (): Failure =>
  new Failure(
    'invalid',
    `Filters reach up to ${MAX_SCANNED_GROUPS} groups at a time: ask for less of them with search.`,
    {
      attr: 'properties',
    },
  );
