/**
 * Changes of an experiment by its fields. What decides is planned before the start: some of it cannot change after that,
 * the rest is noted, so that everybody can see it. Everything of one request changes in one transaction, or nothing does.
 */
import type { Caller } from '../../../access/callers.ts';
import { Failure, invalid } from '../../../core/errors.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../core/json/json.ts';
import type { Project } from '../../../stores/metadata/accounts.ts';
import type { FeatureFlag } from '../../../stores/metadata/flags.ts';
import type { MetadataStore } from '../../../stores/metadata/metadata-store.ts';
import { needsFlagApproval } from '../../flags/manage/flag-approval.ts';
import { validateChanges } from '../../flags/manage/flag-checks.ts';
import { updateAndInvalidate } from '../../flags/manage/flags.ts';
import { flagVariants, withFlagParameters } from '../rules/flag-variants.ts';
import { addedSavedMetric, readSavedMetricUses } from '../rules/saved-metrics.ts';
import type { Experiment } from '../store/experiment-store.ts';
import {
  byCaller,
  changeFlag,
  type ExperimentChanges,
  type ExperimentDeps,
  getExperiment,
  holdOut,
  launched,
  requireLaunchable,
  requireRunning,
  saveExperiment,
} from './experiments.ts';

interface ExperimentUpdate {
  changes: ExperimentChanges;
  /** Absent: not sent. */
  start?: number | null | undefined;
  end?: number | null | undefined;
  /** Whether the flag gets the variants and the rollout of the parameters; of a draft it does anyway. */
  updatesFlag?: boolean | undefined;
}

export const updateExperiment = (
  deps: ExperimentDeps,
  caller: Caller,
  project: Project,
  id: number,
  update: ExperimentUpdate,
): Promise<Experiment> =>
  updateAndInvalidate(deps, project.id, async (store) => {
    const now = deps.clock.now();
    const before = await getExperiment(store, project.id, id);
    const flag = await store.flags.get(project.id, before.flagId);
    const sent = update.changes.settings ?? {};
    const isStarted = before.startDate !== null && before.startDate <= now;
    if (isStarted) refuseFixed(before.settings, flag, sent);
    const { holdout_id: held } = sent;
    if (held !== undefined && held !== (before.settings['holdout_id'] ?? null))
      await holdOut(deps, store, caller, project, before.flagId, { holdout_id: held });
    const dates = changedDates(before, update, now);
    if (dates.launches) await requireLaunchable(store, before, flag);
    const current = await store.flags.get(project.id, before.flagId);
    if (dates.isScheduled && current !== null && !current.active) await refuseUnapproved(store, current);
    const filters = current === null ? null : filtersFor(current, sent, update.updatesFlag === true || !isStarted);
    const flagChanges = {
      ...(filters === null ? {} : { filters }),
      ...(dates.launches && !dates.isScheduled ? { active: true } : {}),
    };
    if (current !== null && Object.keys(flagChanges).length > 0) {
      validateChanges(flagChanges);
      await changeFlag(deps, store, caller, project, current, flagChanges);
    }
    const after = { ...before, ...update.changes, ...dates.changed };
    const settings = settingsAfter(before, after, { sent, isStarted, now });
    const scheduled = { ...settings, ...(dates.isScheduled ? { scheduled_start: true } : {}) };
    const written = dates.launches && !dates.isScheduled ? launched(settings, after.startDate ?? now, now) : null;
    return saveExperiment(deps, store, byCaller(caller), project, before, {
      ...after,
      settings: written?.settings ?? scheduled,
    });
  });

/** A request would enable the flag as soon as it is approved, not at the planned time. */
async function refuseUnapproved(store: MetadataStore, flag: FeatureFlag): Promise<void> {
  if (!(await needsFlagApproval(store, flag, { ...flag, active: true }))) return;
  throw new Failure(
    'conflict',
    'Enabling this flag needs approval, so the start cannot be planned. Launch the experiment when the approvers are there.',
    { code: 'approval_required', attr: 'start_date' },
  );
}

interface ChangedDates {
  changed: Partial<Pick<Experiment, 'startDate' | 'endDate'>>;
  launches: boolean;
  /** It starts by itself later. */
  isScheduled: boolean;
}

const SAME: ChangedDates = { changed: {}, launches: false, isScheduled: false };

/** Both at once would mean an experiment that was never looked at. */
function changedDates(before: Experiment, { start, end }: ExperimentUpdate, now: number): ChangedDates {
  const startChanges = start !== undefined && start !== before.startDate;
  const endChanges = end !== undefined && end !== before.endDate;
  if (startChanges && endChanges) throw invalid('end_date', 'start_date and end_date cannot be changed at once.');
  if (startChanges) return changedStart(before, start, now);
  if (!endChanges) return SAME;
  if (end === null) throw invalid('end_date', 'An experiment that has ended cannot go on: duplicate it, or reset it.');
  if (before.endDate === null) requireRunning(before);
  if (end <= (before.startDate ?? now)) throw invalid('end_date', 'end_date is after start_date.');
  if (end > now)
    throw invalid(
      'end_date',
      'end_date is not in the future. To end at a planned day, set plan.max_days and scheduling_config.end_at_max_days.',
    );
  return { ...SAME, changed: { endDate: end } };
}

function changedStart(before: Experiment, start: number | null, now: number): ChangedDates {
  const isStarted = before.startDate !== null && before.startDate <= now;
  if (start === null) {
    if (isStarted) throw invalid('start_date', 'A launched experiment becomes a draft again by reset/.');
    return { ...SAME, changed: { startDate: null } };
  }
  if (before.endDate !== null && start >= before.endDate) throw invalid('start_date', 'start_date is before end_date.');
  if (isStarted && start > now) throw invalid('start_date', 'It runs already: start_date cannot be in the future.');
  return { changed: { startDate: start }, launches: !isStarted, isScheduled: start > now };
}

/** What would move people between variants, or mean another experiment. */
function refuseFixed(before: JsonObject, flag: FeatureFlag | null, sent: JsonObject): void {
  const refuse = (attr: string, what: string): never => {
    throw invalid(attr, `${what} cannot be changed after the launch: duplicate the experiment instead.`);
  };
  if (sent['type'] !== undefined && sent['type'] !== (before['type'] ?? 'product')) refuse('type', 'The type');
  if (sent['holdout_id'] !== undefined && sent['holdout_id'] !== (before['holdout_id'] ?? null))
    refuse('holdout_id', 'The holdout');
  const parameters = isJsonObject(sent['parameters'] ?? null) ? (sent['parameters'] as JsonObject) : {};
  const { feature_flag_variants: variants, aggregation_group_type_index: group } = parameters;
  if (group !== undefined && group !== (flag?.filters['aggregation_group_type_index'] ?? null))
    refuse('parameters__aggregation_group_type_index', 'The group type');
  if (!Array.isArray(variants) || flag === null) return;
  const keys = variants.flatMap((one) => (isJsonObject(one) ? [one['key'] ?? null] : []));
  const known = flagVariants(flag.filters).map(({ key }) => key);
  if (keys.length !== known.length || keys.some((key) => !known.includes(String(key))))
    refuse('parameters__feature_flag_variants', 'The variants');
}

/** The filters of the flag with the variants and rollout that were sent; null: they stay as they are. */
function filtersFor(flag: FeatureFlag, { parameters }: JsonObject, isWanted: boolean): JsonObject | null {
  if (!isWanted || flag.deleted || parameters === undefined || !isJsonObject(parameters)) return null;
  const filters = withFlagParameters(flag.filters, parameters);
  return JSON.stringify(filters) === JSON.stringify(flag.filters) ? null : filters;
}

/** Changes after the start are noted with the time. */
const NOTED = [
  'metrics',
  'metrics_secondary',
  'saved_metrics_ids',
  'guardrails',
  'exposure_criteria',
  'stats_config',
  'plan',
  'only_count_matured_users',
  'excluded_variants',
] as const;
const MAX_NOTES = 100;

function settingsAfter(
  before: Experiment,
  after: Experiment,
  { sent, isStarted, now }: { sent: JsonObject; isStarted: boolean; now: number },
): JsonObject {
  const merged = { ...before.settings, ...sent };
  if (!isStarted) return merged;
  const frozen = { ...merged, plan: withFrozen(before.settings['plan'], merged['plan']) };
  const differ = (a: Json | undefined, b: Json | undefined): boolean => JSON.stringify(a) !== JSON.stringify(b);
  const fields: string[] = NOTED.filter((name) => differ(before.settings[name], frozen[name as keyof typeof frozen]));
  if (before.startDate !== after.startDate) fields.push('start_date');
  if (before.endDate !== null && before.endDate !== after.endDate) fields.push('end_date');
  if (fields.length === 0) return frozen;
  return noted(frozen, before.settings, fields, now);
}

/** The settings with a note that something was changed after the start. */
export function noted(settings: JsonObject, before: JsonObject, fields: readonly string[], now: number): JsonObject {
  const notes = before['changed_after_start'];
  const note = {
    at: new Date(now).toISOString(),
    fields: [...fields],
    ...(fields.includes('plan') ? { plan_before: before['plan'] ?? {} } : {}),
  };
  const added = uuidsIn(settings).filter((uuid) => !uuidsIn(before).includes(uuid));
  const known = before['metrics_added_later'];
  return {
    ...settings,
    changed_after_start: [...(Array.isArray(notes) ? notes : []), note].slice(-MAX_NOTES),
    ...(added.length === 0 ? {} : { metrics_added_later: [...(Array.isArray(known) ? known : []), ...added] }),
  };
}

/** Of all metrics; saved ones by their ids. */
const uuidsIn = (settings: JsonObject): Json[] => [
  ...['metrics', 'metrics_secondary'].flatMap((name) => {
    const list = settings[name];
    return (Array.isArray(list) ? list : []).flatMap((one) => (isJsonObject(one) ? [one['uuid'] ?? null] : []));
  }),
  ...readSavedMetricUses(settings).map(({ id }) => addedSavedMetric(id)),
];

/** When the plan was fixed cannot be changed. */
const withFrozen = (before: Json | undefined, after: Json | undefined): Json => {
  const at = before !== undefined && isJsonObject(before) ? before['frozen_at'] : undefined;
  return {
    ...(after !== undefined && isJsonObject(after) ? after : {}),
    ...(at === undefined ? {} : { frozen_at: at }),
  };
};
