/** Whose value a planned promotion changes, in the project that the flag is promoted to. */
import { type Impact, measureImpact } from '../flags/decide/blast-radius.ts';
import type { SubjectScanDeps } from '../flags/decide/each-subject.ts';
import { buildSnapshot, type FlagSnapshots, toFlagDefinition } from '../flags/decide/flag-snapshots.ts';
import type { FlagDefinition } from '../flags/rules/flag.ts';
import type { FlagPromotionPlan } from './promote-flag.ts';

interface MeasureDeps extends SubjectScanDeps {
  flagSnapshots: Pick<FlagSnapshots, 'get'>;
}

/** Of a flag that does not exist yet. */
const NEW_FLAG_ID = -1;

export async function measurePromotion(
  deps: MeasureDeps,
  projectId: number,
  plan: FlagPromotionPlan,
  limit: number,
): Promise<Impact> {
  const { target: before, changes, previews } = plan;
  const { flags, cohorts, groupTypeIndexes } = await deps.flagSnapshots.get(projectId);
  const groupTypes = new Map([...groupTypeIndexes].map(([name, index]) => [index, name]));
  const preview = buildSnapshot({ flags, cohorts: [...cohorts, ...previews], groupTypes });
  const after = { ...(before ?? plan.source), id: before?.id ?? NEW_FLAG_ID, ...changes };
  return measureImpact(
    { ...deps, flagSnapshots: { get: async () => preview } },
    projectId,
    before && inUse(toFlagDefinition(before)),
    inUse(toFlagDefinition(after)),
    { limit, offset: 0 },
  );
}

const inUse = (flag: FlagDefinition): FlagDefinition | null => (flag.active ? flag : null);
