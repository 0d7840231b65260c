/** Lists groups, filtered by their properties in batches. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Failure, invalid } from '../../core/errors.ts';
import { matches } from '../../core/filters/matches.ts';
import { cohortFiltersIn, type Filter, propertyFiltersIn } from '../../core/filters/property-filter.ts';
import { createPause } from '../../lib/in-batches.ts';
import { preparePatternSearch } from '../../lib/search-pattern.ts';
import type { GroupQuery, GroupStore, StoredGroup } from '../../stores/metadata/groups.ts';

const PAGE_SIZE = 250;
const MAX_SCANNED_GROUPS = 200_000;

/** All filters are about the group's own properties, whatever their type says. */
export async function listGroups(
  groups: GroupStore,
  projectId: number,
  typeIndex: number,
  query: GroupQuery,
  filter: Filter,
): Promise<StoredGroup[]> {
  if (cohortFiltersIn(filter).length > 0) throw invalid('properties', 'Groups cannot be filtered by cohort.');
  if (propertyFiltersIn(filter).length === 0) return groups.list(projectId, typeIndex, query);
  const search = await preparePatternSearch(filter);
  const isMatch = ({ properties: own }: StoredGroup): boolean =>
    matches(filter, { event: own, person: own, group: () => own }, search);
  const isBackwards = query.from?.direction === 'before';
  let found: StoredGroup[] = [];
  let { from } = query;
  for (let scanned = 0; found.length < query.limit; scanned += PAGE_SIZE) {
    if (scanned >= MAX_SCANNED_GROUPS) throw tooMany();
    const page = await groups.list(projectId, typeIndex, { ...query, from, limit: PAGE_SIZE });
    const matching = await filterWithPauses(page, isMatch);
    found = isBackwards ? [...matching, ...found].slice(-query.limit) : [...found, ...matching].slice(0, query.limit);
    const last = isBackwards ? page[0] : page.at(-1);
    if (last === undefined || page.length < PAGE_SIZE) break;
    from = { direction: isBackwards ? 'before' : 'behind', cursor: last };
    await nextTurn();
  }
  return found;
}

async function filterWithPauses<T>(items: readonly T[], fits: (item: T) => boolean): Promise<T[]> {
  const found: T[] = [];
  const pause = createPause();
  for (const item of items) {
    if (fits(item)) found.push(item);
    await pause();
  }
  return found;
}

const tooMany = (): Failure =>
  new Failure('invalid', `Filters cover up to ${MAX_SCANNED_GROUPS} groups. Use search to narrow the list.`, {
    attr: 'properties',
  });
