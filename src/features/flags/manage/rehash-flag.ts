/** Ends the bucketing of another product that an imported flag was given: first whose value changes, then the change. */
import type { Caller } from '../../../access/callers.ts';
import { invalid } from '../../../core/errors.ts';
import type { JsonObject } from '../../../core/json/json.ts';
import type { Project } from '../../../stores/metadata/accounts.ts';
import type { FeatureFlag } from '../../../stores/metadata/flags.ts';
import { type BlastRadiusDeps, type Impact, measureImpact } from '../decide/blast-radius.ts';
import { toFlagDefinition } from '../decide/flag-snapshots.ts';
import { hasVendorBucketing } from '../rules/filters-shape.ts';
import { NotRehashable, rehash } from '../rules/rehash.ts';
import { type FlagDeps, updateFlag } from './flags.ts';

interface RehashOutcome {
  /** Of the flag, after the change if it was made. */
  version: number;
  filters: JsonObject;
  impact: Impact;
}

/** `version`: the one that was planned with; null: only plan. */
export async function rehashFlag(
  deps: FlagDeps & BlastRadiusDeps,
  caller: Caller,
  project: Project,
  flag: FeatureFlag,
  version: number | null,
): Promise<RehashOutcome> {
  const filters = rehashed(flag.filters);
  const [before, after] = [toFlagDefinition(flag), toFlagDefinition({ ...flag, filters })];
  const impact = await measureImpact(deps, project.id, before, after, { limit: 0, offset: 0 });
  if (version === null) return { version: flag.version, filters, impact };
  const base = { version: null, original: null, exact: version };
  const changed = await updateFlag(deps, caller, project, flag.id, { filters }, base);
  return { version: changed.version, filters: changed.filters, impact };
}

function rehashed(filters: JsonObject): JsonObject {
  if (!hasVendorBucketing(filters))
    throw invalid('filters', "Users of this flag are hashed in Cairn's way already.", 'not_imported');
  try {
    return rehash(filters);
  } catch (error) {
    if (!(error instanceof NotRehashable)) throw error;
    throw invalid(
      'filters',
      `Percentages alone cannot say what this flag says: ${error.message}. Rewrite its conditions.`,
    );
  }
}
