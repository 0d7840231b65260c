/** What decides before the conditions: early access, then a holdout. */
import { formatRollout } from '../../../lib/numbers.ts';
import { type Filters, isObject, objectsIn } from './filters.ts';

interface HoldoutShare {
  id: number;
  filters: readonly { rollout_percentage?: number }[];
}

/** '10% of persons (holdout 3)' */
export function describeHoldout(filters: Filters): string {
  const id = holdoutOf(filters);
  if (id === null) return 'No one';
  const share = isObject(filters['holdout'])
    ? filters['holdout']['exclusion_percentage']
    : objectsIn(filters['holdout_groups'])[0]?.['rollout_percentage'];
  return `${formatRollout(Number(share ?? 0))} of persons (holdout ${id})`;
}

/** The ID of its holdout, from either of the two forms; null if it has none. */
export function holdoutOf(filters: Filters): number | null {
  const { holdout } = filters;
  if (isObject(holdout)) return Number(holdout['id']) || null;
  const variant = objectsIn(filters['holdout_groups'])[0]?.['variant'];
  const id = typeof variant === 'string' ? /^holdout-(\d+)$/.exec(variant)?.[1] : undefined;
  return id === undefined ? null : Number(id);
}

export function setHoldout(filters: Filters, holdout: HoldoutShare | null): Filters {
  const { holdout_groups: _, holdout: __, ...rest } = filters;
  if (holdout === null) return rest;
  const share = holdout.filters[0]?.rollout_percentage ?? 0;
  return {
    ...rest,
    holdout_groups: [{ properties: [], rollout_percentage: share, variant: `holdout-${holdout.id}` }],
  };
}

/** Whether persons who opted in get the flag. */
export const hasEarlyAccess = (filters: Filters): boolean =>
  objectsIn(filters['super_groups']).length > 0 || String(filters['feature_enrollment']) === 'true';
