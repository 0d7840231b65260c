/** Filters and sorts a list of flags in memory: a project has few enough of them. */

import type { EvaluationRuntime } from '../../../core/flag-options.ts';
import type { FeatureFlag } from '../../../stores/metadata/flags.ts';
import type { Page, Paged } from '../../../stores/metadata/page.ts';
import { variantsOf } from '../rules/filters-shape.ts';
import type { LastUses } from '../usage/last-uses.ts';
import { flagStatus } from './flag-status.ts';

export type FlagType = 'boolean' | 'multivariant' | 'experiment' | 'remote_config';

export interface FlagQuery {
  active?: boolean | 'STALE';
  createdBy?: number;
  /** Part of the key or the description, ignoring case. */
  search?: string;
  type?: FlagType;
  evaluationRuntime?: EvaluationRuntime;
  excludedKeys?: readonly string[];
  /** Flags with any of these. */
  tags?: readonly string[];
  order?: FlagOrder;
}

export const SORTABLE_FIELDS = [
  'id',
  'key',
  'name',
  'active',
  'createdAt',
  'updatedAt',
  'createdBy',
  'version',
] as const;

export interface FlagOrder {
  by: (typeof SORTABLE_FIELDS)[number];
  descending: boolean;
}

/** `flags` are newest first, which is also the order of equal ones. */
export function listFlags(
  flags: readonly FeatureFlag[],
  query: FlagQuery,
  page: Page,
  uses: LastUses,
  now: number,
): Paged<FeatureFlag> {
  const found = flags.filter((flag) => matchesQuery(flag, query, uses, now));
  const sorted = query.order ? sortFlags(found, query.order) : found;
  return { count: found.length, items: sorted.slice(page.offset, page.offset + page.limit) };
}

function matchesQuery(flag: FeatureFlag, query: FlagQuery, uses: LastUses, now: number): boolean {
  const { active, createdBy, search, type, evaluationRuntime, excludedKeys, tags } = query;
  if (active !== undefined && !isActive(flag, active, uses, now)) return false;
  if (createdBy !== undefined && flag.createdBy !== createdBy) return false;
  if (search !== undefined && ![flag.key, flag.name].some((text) => contains(text, search))) return false;
  if (type !== undefined && typeOf(flag) !== type) return false;
  if (evaluationRuntime !== undefined && flag.evaluationRuntime !== evaluationRuntime) return false;
  if (excludedKeys?.includes(flag.key)) return false;
  return tags === undefined || tags.some((tag) => flag.tags.includes(tag));
}

const isActive = (flag: FeatureFlag, wanted: boolean | 'STALE', uses: LastUses, now: number): boolean =>
  wanted === 'STALE' ? flagStatus(flag, uses, now).status === 'STALE' : flag.active === wanted;

const contains = (text: string, part: string): boolean => text.toLowerCase().includes(part.toLowerCase());

const typeOf = (flag: FeatureFlag): FlagType => {
  if (flag.isRemoteConfiguration) return 'remote_config';
  return variantsOf(flag.filters).length > 0 ? 'multivariant' : 'boolean';
};

function sortFlags(flags: readonly FeatureFlag[], { by, descending }: FlagOrder): FeatureFlag[] {
  const sign = descending ? -1 : 1;
  const value = (flag: FeatureFlag): string | number => {
    const field = flag[by] ?? 0;
    return typeof field === 'boolean' ? Number(field) : field;
  };
  return flags.toSorted((a, b) => {
    const [left, right] = [value(a), value(b)];
    return left === right ? 0 : sign * (left < right ? -1 : 1);
  });
}
