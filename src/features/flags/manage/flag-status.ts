import { DAY_MS } from '../../../core/time/units.ts';
import type { FeatureFlag } from '../../../stores/metadata/flags.ts';
import { isFullyRolledOut } from '../rules/filters-shape.ts';

type FlagStatus = 'ACTIVE' | 'INACTIVE' | 'STALE' | 'DELETED';

const STALE_AFTER_DAYS = 30;

/** A flag is stale when everybody has had the same value for a while, so that it can be removed. */
export function flagStatus(flag: FeatureFlag, now: number): { status: FlagStatus; reason: string } {
  if (flag.deleted) return { status: 'DELETED', reason: 'The flag was deleted.' };
  if (!flag.active) return { status: 'INACTIVE', reason: 'The flag is disabled.' };
  const isOld = now - flag.updatedAt >= STALE_AFTER_DAYS * DAY_MS;
  if (isOld && isFullyRolledOut(flag.filters)) {
    const reason = `The flag has the same value for everybody and has not been changed for ${STALE_AFTER_DAYS} days.`;
    return { status: 'STALE', reason };
  }
  return { status: 'ACTIVE', reason: 'The flag is in use.' };
}
