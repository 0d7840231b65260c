import type { JsonObject } from '../../../core/json/json.ts';
import type { FeatureFlag } from '../../../stores/metadata/flags.ts';
import { type BlastRadiusDeps, measureImpact } from './blast-radius.ts';
import { toFlagDefinition } from './flag-snapshots.ts';

const whenOn = (flag: FeatureFlag | null) => (flag?.active && !flag.deleted ? toFlagDefinition(flag) : null);

/** Whose value a change of a flag would alter, in numbers. `before` null: the flag is new. */
export async function measureChange(
  deps: BlastRadiusDeps,
  projectId: number,
  before: FeatureFlag | null,
  after: FeatureFlag,
): Promise<JsonObject> {
  const nobody = { limit: 0, offset: 0 };
  const impact = await measureImpact(deps, projectId, whenOn(before), whenOn(after), nobody);
  return {
    users_affected: impact.affected,
    total_users: impact.total,
    users_changed: impact.changed,
    changes: impact.changes,
  };
}
