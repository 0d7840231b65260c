/**
 * What a harmed guardrail does, as one transaction: flag, experiment and both activity logs change together or not at
 * all. It looks again at what it was measured on, so a second leader or a repetition after a crash finds it done.
 */
import type { Json, JsonObject } from '../../../core/json/json.ts';
import type { FlagChanges } from '../../flags/manage/flag-fields.ts';
import { saveChange, updateAndInvalidate, withChanges } from '../../flags/manage/flags.ts';
import { type ExperimentDeps, saveExperiment, withVariantForAll } from '../manage/experiments.ts';
import { flagVariants, withVariantReplaced } from '../rules/flag-variants.ts';
import type { Guardrail } from '../rules/read-metrics.ts';
import type { Experiment } from '../store/experiment-store.ts';

export interface Alarm {
  action: Guardrail['action'];
  /** The guardrail and the variant; each of them is told once. */
  key: string;
  evidence: JsonObject;
}

/** The experiment and the version of its flag that were measured. */
export interface Guarded {
  experiment: Experiment;
  flagVersion: number;
  baselineKey: string;
}

/** False if somebody has changed it meanwhile: then the next check measures anew. */
export function applyGuardrail(deps: ExperimentDeps, guarded: Guarded, alarm: Alarm): Promise<boolean> {
  const { projectId, id, flagId, updatedAt } = guarded.experiment;
  return updateAndInvalidate(deps, projectId, async (store) => {
    const [before, flag] = [await store.experiments.get(projectId, id), await store.flags.get(projectId, flagId)];
    const project = await store.projects.get(projectId);
    if (!before || !flag || !project || before.updatedAt !== updatedAt || flag.version !== guarded.flagVersion)
      return false;
    const now = deps.clock.now();
    const by = {
      userId: null,
      trigger: { job_type: 'guardrail', job_id: deps.ids.uuid(), payload: { action: alarm.action, ...alarm.evidence } },
    };
    const others = otherVariants(flag.filters, guarded.baselineKey, alarm.evidence['variant'] ?? null);
    const changes = flagChanges(alarm, flag.filters, guarded.baselineKey, others);
    if (changes !== null) {
      const after = { ...withChanges(flag, changes, now), lastModifiedBy: null };
      await saveChange(deps, store, project, flag, after, { ...by, approval: 'automatic' });
    }
    await saveExperiment(deps, store, by, project, before, {
      ...before,
      ...stopped(before, alarm, others, now),
    });
    return true;
  });
}

/** The variants that go on after one of them is rolled back: those that somebody gets. */
const otherVariants = (filters: JsonObject, baselineKey: string, harmful: Json): string[] =>
  flagVariants(filters).flatMap(({ key, weight }) =>
    weight > 0 && key !== baselineKey && key !== harmful ? [key] : [],
  );

/** With several variants only the people of the harmful one get the baseline. */
function flagChanges(
  { action, evidence }: Alarm,
  filters: JsonObject,
  baselineKey: string,
  others: readonly string[],
): FlagChanges | null {
  if (action === 'notify') return null;
  if (action === 'pause') return { active: false, performedRollback: true };
  const after =
    others.length === 0
      ? withVariantForAll(filters, baselineKey)
      : withVariantReplaced(filters, String(evidence['variant']), baselineKey);
  return { filters: after, performedRollback: true };
}

const MAX_ALARMS = 100;

/** It goes on with the variants that are left. */
function stopped(
  { settings }: Experiment,
  { action, key, evidence }: Alarm,
  others: readonly string[],
  now: number,
): Partial<Experiment> {
  const goesOn = action === 'roll_back' && others.length > 0 ? { goes_on_with: [...others] } : {};
  const alarm = { key, action, at: new Date(now).toISOString(), ...evidence, ...goesOn };
  const alarms = [...alarmsIn(settings), alarm].slice(-MAX_ALARMS);
  const told = { ...settings, guardrail_alarms: alarms };
  if (action !== 'roll_back' || others.length > 0) return { settings: told };
  return { endDate: now, settings: { ...told, conclusion: 'stopped_early', rolled_back: alarm } };
}

/** What guardrails have done so far. */
export const alarmsIn = ({ guardrail_alarms: alarms }: JsonObject): Json[] => (Array.isArray(alarms) ? alarms : []);
