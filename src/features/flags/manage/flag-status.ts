import type { FeatureFlag } from '../../../stores/metadata/flags.ts';
import { isFullyRolledOut } from '../rules/filters-shape.ts';
import { hasOneValue, onlyValue, STALE_AFTER_DAYS, seenIn, staleBefore } from '../rules/removal.ts';
import type { LastUses } from '../usage/last-uses.ts';
import type { Use } from '../usage/usage-report.ts';

type FlagStatus = 'ACTIVE' | 'INACTIVE' | 'STALE' | 'DELETED';

/** A flag is stale when everybody has had the same value for a while or nobody asks for it, so that it can be removed. */
export function flagStatus(flag: FeatureFlag, uses: LastUses, now: number): { status: FlagStatus; reason: string } {
  if (flag.deleted) return { status: 'DELETED', reason: 'The flag was deleted.' };
  if (!flag.active) return { status: 'INACTIVE', reason: 'The flag is disabled.' };
  const isOld = flag.updatedAt <= staleBefore(now);
  if (isOld && isFullyRolledOut(flag.filters)) {
    const reason = `The flag has the same value for everybody and has not been changed for ${STALE_AFTER_DAYS} days.`;
    return { status: 'STALE', reason };
  }
  if (isOld && isUnused(flag, uses, now)) {
    return { status: 'STALE', reason: `The flag has not been evaluated for ${STALE_AFTER_DAYS} days.` };
  }
  if (isOld && hasOneValue(uses.valuesOf(flag), now)) {
    return { status: 'STALE', reason: `Everybody has got the same value for ${STALE_AFTER_DAYS} days.` };
  }
  return { status: 'ACTIVE', reason: 'The flag is in use.' };
}

/** Only what was counted for that long can be said to be unused. */
function isUnused(flag: FeatureFlag, { of, countedSince }: LastUses, now: number): boolean {
  const before = staleBefore(now);
  return countedSince !== null && countedSince < before && (of(flag) ?? 0) < before;
}

interface RemovalStatus {
  status: FlagStatus;
  reason: string;
  safe_to_remove: boolean;
  seen_in: string[];
}

/** The status, and whether code that asks for the flag can be removed: not while any client still asks for it. */
export function removalStatus(flag: FeatureFlag, uses: LastUses, counted: readonly Use[], now: number): RemovalStatus {
  const known = flagStatus(flag, uses, now);
  const only = known.status === 'STALE' ? onlyValue(counted, now) : null;
  const reason = only === null ? known.reason : `Always '${only.value}' for ${only.days} days.`;
  const seen = seenIn(counted, now);
  return { ...known, reason, safe_to_remove: known.status !== 'ACTIVE' && seen.length === 0, seen_in: seen };
}
