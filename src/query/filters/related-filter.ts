/**
 * Filters on an event's groups, session and clicked elements. Groups are in the metadata store, so they are matched
 * beforehand, like persons in `person-filter.ts`; the rest becomes SQL on `e`.
 */

import { elementPatterns, isNegativeFilter } from '../../core/filters/element-filter.ts';
import { type Filter, type PropertyFilter, propertyFiltersIn } from '../../core/filters/property-filter.ts';
import { stringifyExact } from '../../core/json/exact-json.ts';
import type { Range } from '../../core/time/range.ts';
import type { SqlBuilder } from '../../stores/events/dialect.ts';
import type { GroupStore } from '../../stores/metadata/groups.ts';
import type { EventStoreDeps } from '../query-deps.ts';
import { type SessionSettings, sessionSql, sessionTextSql, sessionValuesSql } from '../sessions/session-values-sql.ts';
import { ownPropertySql } from './filter-sql.ts';
import { matchOwners, type OwnerMatches, type OwnerRow } from './person-filter.ts';

export interface RelatedFilters {
  projectId: number;
  patterns: ReadonlySet<string>;
  groups: OwnerMatches;
  /** Sessions are read within a day of this range; null: of all time. */
  sessionRange: Range | null;
  sessions: SessionSettings;
}

export async function findRelated(
  deps: EventStoreDeps & { metadata: { groups: GroupStore } },
  given: Omit<RelatedFilters, 'groups'>,
  filter: Filter,
): Promise<RelatedFilters> {
  const { projectId, patterns } = given;
  const groups = new Map();
  const leaves = propertyFiltersIn(filter).filter(({ owner }) => owner === 'group');
  for (const index of new Set(leaves.map(({ groupIndex = 0 }) => groupIndex))) {
    const own = leaves.filter(({ groupIndex }) => groupIndex === index);
    const found = await matchOwners(deps, own, patterns, groupPages(deps.metadata.groups, projectId, index));
    for (const [leaf, set] of found) groups.set(leaf, set);
  }
  return { ...given, groups };
}

const PAGE_SIZE = 5000;

/** All groups of one type. */
export async function* groupPages(groups: GroupStore, projectId: number, index: number): AsyncGenerator<OwnerRow[]> {
  let from: Parameters<GroupStore['list']>[2]['from'];
  for (;;) {
    const page = await groups.list(projectId, index, { search: undefined, from, limit: PAGE_SIZE });
    yield page.map(({ key, properties }) => ({ uuid: key, properties: stringifyExact(properties) }));
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE_SIZE) return;
    from = { direction: 'behind', cursor: { createdAt: last.createdAt, key: last.key } };
  }
}

/** The condition on an event; undefined for other filters. */
export function relatedSql(sql: SqlBuilder, lookups: RelatedFilters, filter: PropertyFilter): string | undefined {
  switch (filter.owner) {
    case 'group':
      return groupSql(sql, lookups, filter);
    case 'session':
      return inSessionSql(sql, lookups, filter);
    case 'element':
      return elementSql(sql, lookups, filter);
    default:
      return undefined;
  }
}

/** An event without a group is treated as one with a group without properties. */
function groupSql(sql: SqlBuilder, { groups }: RelatedFilters, leaf: PropertyFilter): string {
  const { byDefault, exceptions } = groups.get(leaf) ?? { byDefault: false, exceptions: [] };
  if (exceptions.length === 0) return String(byDefault);
  const rows = sql.rows(
    ['key'],
    exceptions.map((key) => ({ key })),
  );
  const column = `coalesce(e.group_${Number(leaf.groupIndex ?? 0)}, '')`;
  return `(${column} ${byDefault ? 'not in' : 'in'} (select r.key from ${rows} r))`;
}

/** No filter on sessions matches an event without one. */
function inSessionSql(sql: SqlBuilder, lookups: RelatedFilters, leaf: PropertyFilter): string {
  const { projectId, patterns, sessionRange, sessions } = lookups;
  const values = sessionValuesSql({ sql, projectId, sessions }, sessionRange, [leaf.key]);
  const own = ownPropertySql(sql, leaf, { text: sessionTextSql(leaf.key, 's'), patterns });
  return `(coalesce(${sessionSql(sql)}, '') in (select s.session from ${values} s where ${own}))`;
}

/** An invalid pattern matches nothing, whatever the operator. */
function elementSql(sql: SqlBuilder, { patterns }: RelatedFilters, leaf: PropertyFilter): string {
  const all = elementPatterns(leaf);
  const valid = all.filter((pattern) => patterns.has(pattern));
  if (isNegativeFilter(leaf) && valid.length < all.length) return 'false';
  if (valid.length === 0) return isNegativeFilter(leaf) ? 'true' : 'false';
  const found = `(${valid.map((pattern) => sql.matches('e.elements_chain', pattern)).join(' or ')})`;
  return isNegativeFilter(leaf) ? `(not ${found})` : found;
}
