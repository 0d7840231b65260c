/** Keeps what is found for the first time, and adds to results what was found before. */
import { isJsonObject, type JsonObject } from '../../../core/json/json.ts';
import { iso } from '../../../http/schemas/common.ts';
import { crossedKey, crossedNow, isPlannedLook, keptResult, PLANNED_RESULT } from '../rules/findings.ts';
import type { ExperimentFinding } from '../store/finding-store.ts';
import type { ExperimentApiDeps } from './deps.ts';
import type { CalculatedExperiment } from './experiment-results.ts';
import { fingerprintOf, presentResults } from './present-results.ts';

type Presented = ReturnType<typeof presentResults> & { planned_result: JsonObject | null };

/** The results, with `first_crossed` of every bound and the result of a fixed plan, from the first look that had them. */
export async function presentWithFindings(
  { metadata }: ExperimentApiDeps,
  calculated: CalculatedExperiment,
): Promise<Presented> {
  const presented = presentResults(calculated);
  const { experiment, results, settings, now } = calculated;
  const { id: experimentId, projectId } = experiment;
  if (calculated.startedAt === null) return { ...presented, planned_result: null };
  const known = await metadata.experimentFindings.listByExperiment(projectId, experimentId);
  const keyOf = (uuid: string, variant: string): string => crossedKey(fingerprintOf(experiment, uuid), uuid, variant);
  const seen: [key: string, value: JsonObject][] = [
    ...crossedNow(results, settings).map(({ uuid, variant }): [string, JsonObject] => [keyOf(uuid, variant), {}]),
    ...(isPlannedLook(results, settings)
      ? [[PLANNED_RESULT, keptResult(presented as unknown as JsonObject)] satisfies [string, JsonObject]]
      : []),
  ];
  const fresh = seen
    .filter(([key]) => !known.some((one) => one.key === key))
    .map(([key, value]): ExperimentFinding => ({ projectId, experimentId, key, foundAt: now, value }));
  // Of two looks at once, the first one stays.
  await metadata.experimentFindings.create(fresh);
  const found = new Map([...fresh, ...known].map((one) => [one.key, one]));
  const metrics = (presented.metrics as JsonObject[]).map((metric) => ({
    ...metric,
    variant_results: (metric['variant_results'] as JsonObject[]).map((variant) => {
      const { sequential = null } = variant;
      const crossed = found.get(keyOf(String(metric['uuid']), String(variant['key'])));
      const at = crossed === undefined ? null : iso(crossed.foundAt);
      return isJsonObject(sequential) ? { ...variant, sequential: { ...sequential, first_crossed: at } } : variant;
    }),
  }));
  const planned = settings.stopping === 'fixed' ? found.get(PLANNED_RESULT) : undefined;
  return { ...presented, metrics, ...plannedFields(planned) } as Presented;
}

/** A fixed plan decides once; later numbers are shown, and change nothing. */
function plannedFields(planned: ExperimentFinding | undefined): JsonObject & { planned_result: JsonObject | null } {
  if (planned === undefined) return { planned_result: null };
  const { verdict = null, sentence = null, decision_allowed: allowed = null } = planned.value;
  return { planned_result: planned.value, verdict, sentence, decision_allowed: allowed };
}
