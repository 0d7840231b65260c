/**
 * Experiments and their life: a draft is launched, runs, ends, and one of its variants may be shipped. What changes the
 * flag as well does so in the same transaction.
 */
import type { Caller } from '../../../access/callers.ts';
import { getFlagPermissions } from '../../../access/flag-permissions.ts';
import { type ActivityEntry, changesBetween, recordActivity } from '../../../access/record-activity.ts';
import { forbidden, invalid, notFound } from '../../../core/errors.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../core/json/json.ts';
import { jsonEqual } from '../../../core/json/json-equal.ts';
import type { Project } from '../../../stores/metadata/accounts.ts';
import type { FeatureFlag } from '../../../stores/metadata/flags.ts';
import type { MetadataStore } from '../../../stores/metadata/metadata-store.ts';
import { checkFlag } from '../../flags/manage/flag-checks.ts';
import type { FlagChanges } from '../../flags/manage/flag-fields.ts';
import { createFlag, type FlagDeps, saveChange, updateAndInvalidate, withChanges } from '../../flags/manage/flags.ts';
import { withExplicitGroups } from '../../flags/rules/filters-shape.ts';
import { canBeMeasured, flagVariants, flagVariantsAsSent, newFlag } from '../rules/flag-variants.ts';
import { withHoldout } from '../rules/holdout-groups.ts';
import type { Experiment } from '../store/experiment-store.ts';
// What it adds to the metadata store is used here.
import type {} from '../store/finding-store.ts';
import { notifyWebhooks } from './notify-webhooks.ts';

export const EXPERIMENT_SCOPE = 'Experiment';

export interface ExperimentDeps extends FlagDeps {
  config: { publicUrl: string | null };
}

export type ExperimentChanges = Partial<
  Pick<Experiment, 'name' | 'description' | 'settings' | 'startDate' | 'endDate' | 'archived' | 'deleted'>
>;

export type ExperimentStatus = 'draft' | 'running' | 'paused' | 'stopped';

/** Paused is a running experiment whose flag is off. */
export function statusOf({ startDate, endDate }: Experiment, flag: FeatureFlag | null, now: number): ExperimentStatus {
  if (startDate === null || startDate > now) return 'draft';
  if (endDate !== null && endDate <= now) return 'stopped';
  return flag?.active === true && !flag.deleted ? 'running' : 'paused';
}

export async function getExperiment(store: MetadataStore, projectId: number, id: number): Promise<Experiment> {
  const experiment = await store.experiments.get(projectId, id);
  if (!experiment || experiment.deleted) throw notFound();
  return experiment;
}

/**
 * Takes the flag with this key, or makes one that is off until the launch. The flag is made first: if the process ends
 * in between, the same request takes the flag that is there.
 */
export async function createExperiment(
  deps: FlagDeps,
  caller: Caller,
  project: Project,
  given: ExperimentChanges & { name: string; flagKey: string },
): Promise<Experiment> {
  const { flagKey, settings = {}, ...fields } = given;
  const known = await deps.metadata.flags.getByKey(project.id, flagKey);
  if (known !== null) requireVariants(known);
  const flag = known ?? (await createFlag(deps, caller, project, { ...newFlag(settings), key: flagKey }));
  return updateAndInvalidate(deps, project.id, async (store) => {
    const now = deps.clock.now();
    await holdOut(deps, store, caller, project, flag.id, settings);
    const experiment = await store.experiments.create({
      projectId: project.id,
      flagId: flag.id,
      description: '',
      startDate: null,
      endDate: null,
      archived: false,
      deleted: false,
      ...fields,
      settings,
      createdAt: now,
      createdBy: caller.user.id,
      updatedAt: now,
    });
    await recordActivity(deps, store, {
      ...about(byCaller(caller), project, experiment),
      activity: 'created',
      changes: null,
    });
    return experiment;
  });
}

/** The people whom the holdout in these settings keeps out; without `holdout_id` the flag stays as it is. */
export async function holdOut(
  deps: FlagDeps,
  store: MetadataStore,
  caller: Caller,
  project: Project,
  flagId: number,
  { holdout_id: id }: JsonObject,
): Promise<void> {
  if (id === undefined) return;
  const holdout = id === null ? null : await store.holdouts.get(project.id, Number(id));
  if (id !== null && holdout === null) throw invalid('holdout_id', `There is no holdout ${String(id)}.`);
  const flag = await store.flags.get(project.id, flagId);
  if (flag === null || flag.deleted) throw invalid('holdout_id', 'The feature flag of this experiment is deleted.');
  const filters = withHoldout(flag.filters, holdout);
  if (JSON.stringify(filters) !== JSON.stringify(flag.filters))
    await changeFlag(deps, store, caller, project, flag, { filters });
}

function requireVariants(flag: FeatureFlag): void {
  if (canBeMeasured(flag.filters)) return;
  throw invalid(
    'feature_flag_key',
    `The flag ${flag.key} cannot be measured: an experiment needs two or more variants, one of them "control".`,
  );
}

export const launchExperiment = (
  deps: ExperimentDeps,
  caller: Caller,
  project: Project,
  id: number,
): Promise<Experiment> =>
  changeWithFlag(deps, caller, project, id, async (store, before, flag) => {
    const now = deps.clock.now();
    if (before.startDate !== null && before.startDate <= now)
      throw invalid(undefined, 'Experiment has already been launched.');
    await requireLaunchable(store, before, flag);
    return { experiment: launched(before.settings, now, now), flag: { active: true } };
  });

/** A flag with variants that nothing else is measured with. */
export async function requireLaunchable(
  store: MetadataStore,
  { id, projectId }: Experiment,
  flag: FeatureFlag | null,
): Promise<void> {
  if (flag === null || flag.deleted) throw invalid(undefined, 'The feature flag of this experiment is deleted.');
  requireVariants(flag);
  const others = await store.experiments.listByProject(projectId);
  const other = others.find(
    (one) => one.id !== id && one.flagId === flag.id && one.startDate !== null && one.endDate === null,
  );
  if (other !== undefined) throw invalid(undefined, `The experiment "${other.name}" runs on this flag already.`);
}

/** The start, and the plan as it is from then on. */
export function launched(
  settings: JsonObject,
  startDate: number,
  now: number,
): Pick<Experiment, 'startDate' | 'settings'> {
  const { plan = {}, metrics = [], scheduled_start: _, ...rest } = settings;
  const first = Array.isArray(metrics) ? metrics.find(isJsonObject) : undefined;
  const frozen = {
    ...(first === undefined ? {} : { primary_metric_uuid: first['uuid'] ?? null }),
    ...(isJsonObject(plan) ? plan : {}),
    frozen_at: new Date(now).toISOString(),
  };
  return { startDate, settings: { ...rest, metrics, plan: frozen } };
}

/** A paused experiment is one whose flag is off. */
export const pauseExperiment = (
  deps: ExperimentDeps,
  caller: Caller,
  project: Project,
  id: number,
  isPaused: boolean,
): Promise<Experiment> =>
  changeWithFlag(deps, caller, project, id, async (_, before, flag) => {
    requireRunning(before);
    if (flag === null || flag.deleted) throw invalid(undefined, 'The feature flag of this experiment is deleted.');
    if (flag.active !== isPaused)
      throw invalid(undefined, isPaused ? 'Experiment is already paused.' : 'Experiment is not paused.');
    return { experiment: {}, flag: { active: !isPaused } };
  });

/** Back to a draft: dates and conclusion are cleared; flag and events stay as they are. */
export const resetExperiment = (
  deps: ExperimentDeps,
  caller: Caller,
  project: Project,
  id: number,
): Promise<Experiment> =>
  updateAndInvalidate(deps, project.id, async (store) => {
    const before = await getExperiment(store, project.id, id);
    if (before.startDate === null) throw invalid(undefined, 'Experiment is already in draft state.');
    const changed = { ...before, settings: asDraft(before.settings), startDate: null, endDate: null, archived: false };
    await store.experimentFindings.deleteByExperiment(project.id, id);
    return saveExperiment(deps, store, byCaller(caller), project, before, changed);
  });

/** The settings without what happened since the launch. */
function asDraft({ plan = {}, ...settings }: JsonObject): JsonObject {
  const { frozen_at: _, ...planned } = isJsonObject(plan) ? plan : {};
  const kept = Object.entries(settings).filter(([name]) => !HAPPENED.includes(name));
  return { ...Object.fromEntries(kept), plan: planned };
}

const HAPPENED = [
  'conclusion',
  'conclusion_comment',
  'changed_after_start',
  'metrics_added_later',
  'scheduled_start',
  'guardrail_alarms',
  'rolled_back',
  'shipped',
  'exposure_cohort',
];

/** The same again as a draft, on the same flag or on a new one with the same variants. */
export async function duplicateExperiment(
  deps: FlagDeps,
  caller: Caller,
  project: Project,
  id: number,
  given: { name?: string | undefined; flagKey?: string | undefined },
): Promise<Experiment> {
  const original = await getExperiment(deps.metadata, project.id, id);
  const flag = await deps.metadata.flags.get(project.id, original.flagId);
  const flagKey = given.flagKey ?? flag?.key;
  if (flagKey === undefined || (flag?.deleted === true && given.flagKey === undefined))
    throw invalid('feature_flag_key', 'The feature flag of this experiment is gone: name another one.');
  const variants = flag === null ? {} : { feature_flag_variants: flagVariantsAsSent(flag.filters) };
  const { parameters = {}, ...settings } = asDraft(original.settings);
  return createExperiment(deps, caller, project, {
    name: given.name ?? `${original.name} (copy)`.slice(-400),
    description: original.description,
    flagKey,
    settings: { ...settings, parameters: { ...(isJsonObject(parameters) ? parameters : {}), ...variants } },
  });
}

export const archiveExperiment = (
  deps: ExperimentDeps,
  caller: Caller,
  project: Project,
  id: number,
  archived: boolean,
): Promise<Experiment> =>
  deps.metadata.transaction(async (store) => {
    const before = await getExperiment(store, project.id, id);
    if (archived && before.archived) throw invalid(undefined, 'Experiment is already archived.');
    if (archived && before.endDate === null)
      throw invalid(undefined, 'Experiment must be ended before it can be archived.');
    return saveExperiment(deps, store, byCaller(caller), project, before, { ...before, archived });
  });

interface Conclusion {
  conclusion?: string | undefined;
  conclusion_comment?: string | undefined;
}

/** The flag stays as it is. */
export const endExperiment = (
  deps: ExperimentDeps,
  caller: Caller,
  project: Project,
  id: number,
  conclusion: Conclusion,
): Promise<Experiment> =>
  changeWithFlag(deps, caller, project, id, async (_, before) => {
    requireRunning(before);
    return { experiment: { endDate: deps.clock.now(), settings: concluded(before, conclusion) }, flag: null };
  });

/**
 * Everybody gets the variant. The release conditions from before are kept below the new one, so removing that undoes the
 * shipping.
 */
export const shipVariant = (
  deps: ExperimentDeps,
  caller: Caller,
  project: Project,
  id: number,
  { variantKey, ...conclusion }: Conclusion & { variantKey: string },
): Promise<Experiment> =>
  changeWithFlag(deps, caller, project, id, async (_, before, flag) => {
    if (before.startDate === null) throw invalid(undefined, 'Experiment has not been launched yet.');
    if (before.settings['mode'] === 'aa')
      throw invalid(undefined, 'In an A/A test all variants are the same: there is nothing to ship.');
    if (flag === null || flag.deleted) throw invalid(undefined, 'The feature flag of this experiment is deleted.');
    if (!flagVariants(flag.filters).some(({ key }) => key === variantKey))
      throw invalid('variant_key', `The flag ${flag.key} has no variant ${JSON.stringify(variantKey)}.`);
    const now = deps.clock.now();
    const shipped = { variant: variantKey, at: new Date(now).toISOString(), by: caller.user.id };
    return {
      experiment: { endDate: before.endDate ?? now, settings: { ...concluded(before, conclusion), shipped } },
      flag: { active: true, filters: withVariantForAll(flag.filters, variantKey) },
    };
  });

/** With a release condition on top that gives everybody this variant. */
export function withVariantForAll(given: JsonObject, variant: string): JsonObject {
  const filters = withExplicitGroups(given);
  const everybody = { properties: [], rollout_percentage: 100, variant };
  const groups = (filters['groups'] ?? []) as Json[];
  // Already there: by a change that was approved, after which it is shipped again.
  if (jsonEqual(groups[0], everybody)) return given;
  return { ...filters, groups: [everybody, ...groups] };
}

export function requireRunning({ startDate, endDate }: Experiment): void {
  if (startDate === null) throw invalid(undefined, 'Experiment has not been launched yet.');
  if (endDate !== null) throw invalid(undefined, 'Experiment has already ended.');
}

const concluded = ({ settings }: Experiment, { conclusion, conclusion_comment }: Conclusion): JsonObject => ({
  ...settings,
  ...(conclusion === undefined ? {} : { conclusion }),
  ...(conclusion_comment === undefined ? {} : { conclusion_comment }),
});

interface BothChanges {
  experiment: ExperimentChanges;
  flag: FlagChanges | null;
}

function changeWithFlag(
  deps: ExperimentDeps,
  caller: Caller,
  project: Project,
  id: number,
  plan: (store: MetadataStore, before: Experiment, flag: FeatureFlag | null) => Promise<BothChanges>,
): Promise<Experiment> {
  return updateAndInvalidate(deps, project.id, async (store) => {
    const before = await getExperiment(store, project.id, id);
    const flag = await store.flags.get(project.id, before.flagId);
    const changes = await plan(store, before, flag);
    if (flag !== null && changes.flag !== null) await changeFlag(deps, store, caller, project, flag, changes.flag);
    return saveExperiment(deps, store, byCaller(caller), project, before, { ...before, ...changes.experiment });
  });
}

/** Changes the flag of an experiment, if the caller may edit it. */
export async function changeFlag(
  deps: FlagDeps,
  store: MetadataStore,
  caller: Caller,
  project: Project,
  before: FeatureFlag,
  changes: FlagChanges,
): Promise<void> {
  const rights = await getFlagPermissions(store, caller, project.organizationId);
  if (!rights.canEdit(before)) throw forbidden("You don't have edit permissions for this feature flag.");
  const after = withChanges(before, changes, deps.clock.now());
  await checkFlag(store, before, after);
  const written = { ...after, lastModifiedBy: caller.user.id };
  await saveChange(deps, store, project, before, written, { userId: caller.user.id, approval: caller });
}

/** Saves a change, and records who made it. */
export async function saveExperiment(
  deps: ExperimentDeps,
  store: MetadataStore,
  by: ChangedBy,
  project: Project,
  before: Experiment,
  changed: Experiment,
): Promise<Experiment> {
  const after = { ...changed, updatedAt: deps.clock.now() };
  await store.experiments.update(after);
  const changes = changesBetween(EXPERIMENT_SCOPE, visible(before), visible(after));
  await recordActivity(deps, store, { ...about(by, project, after), activity: 'updated', changes });
  await notifyWebhooks(deps, store, project, by.userId, before, after);
  return after;
}

/** Someone wanted to see numbers that the plan does not decide by yet. */
export const recordEarlyLook = (
  deps: ExperimentDeps,
  caller: Caller,
  project: Project,
  experiment: Experiment,
): Promise<void> =>
  recordActivity(deps, deps.metadata, {
    ...about(byCaller(caller), project, experiment),
    activity: 'early_numbers_shown',
    changes: null,
  });

interface ChangedBy {
  /** Null: the system. */
  userId: number | null;
  /** Why the system acted. */
  trigger?: JsonObject;
}

export const byCaller = ({ user }: Caller): ChangedBy => ({ userId: user.id });

const visible = ({ name, description, settings, startDate, endDate, archived, deleted }: Experiment) => ({
  ...settings,
  name,
  description,
  start_date: startDate,
  end_date: endDate,
  archived,
  deleted,
});

const about = (by: ChangedBy, project: Project, experiment: Experiment) =>
  ({
    ...by,
    organizationId: project.organizationId,
    projectId: project.id,
    scope: EXPERIMENT_SCOPE,
    itemId: String(experiment.id),
    name: experiment.name,
  }) satisfies Partial<ActivityEntry>;
