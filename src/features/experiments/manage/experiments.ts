/**
 * Experiments and their life: a draft is launched, runs, ends, and one of its variants may be shipped. What changes the
 * flag as well does so in the same transaction.
 */
import type { Caller } from '../../../access/callers.ts';
import { getFlagPermissions } from '../../../access/flag-permissions.ts';
import { type ActivityEntry, changesBetween, recordActivity } from '../../../access/record-activity.ts';
import { forbidden, invalid, notFound } from '../../../core/errors.ts';
import type { Json, JsonObject } from '../../../core/json/json.ts';
import type { Project } from '../../../stores/metadata/accounts.ts';
import type { FeatureFlag } from '../../../stores/metadata/flags.ts';
import type { MetadataStore } from '../../../stores/metadata/metadata-store.ts';
import { checkFlag } from '../../flags/manage/flag-checks.ts';
import type { FlagChanges } from '../../flags/manage/flag-fields.ts';
import { createFlag, type FlagDeps, saveChange, updateAndInvalidate, withChanges } from '../../flags/manage/flags.ts';
import { withExplicitGroups } from '../../flags/rules/filters-shape.ts';
import { flagVariants, newFlagFilters } from '../rules/flag-variants.ts';
import type { Experiment } from '../store/experiment-store.ts';

export const EXPERIMENT_SCOPE = 'Experiment';

export type ExperimentChanges = Partial<
  Pick<Experiment, 'name' | 'description' | 'settings' | 'startDate' | 'endDate' | 'archived' | 'deleted'>
>;

type ExperimentStatus = 'draft' | 'running' | 'paused' | 'stopped';

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
  const flag =
    known ??
    (await createFlag(deps, caller, project, { key: flagKey, active: false, filters: newFlagFilters(settings) }));
  return deps.metadata.transaction(async (store) => {
    const now = deps.clock.now();
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
    await recordActivity(deps, store, { ...about(caller, project, experiment), activity: 'created', changes: null });
    return experiment;
  });
}

function requireVariants(flag: FeatureFlag): void {
  const keys = flagVariants(flag.filters).map(({ key }) => key);
  if (keys.length >= 2 && keys.includes('control')) return;
  throw invalid(
    'feature_flag_key',
    `The flag ${flag.key} cannot be measured: an experiment needs two or more variants, one of them "control".`,
  );
}

/** Only what is given changes. */
export const updateExperiment = (
  deps: FlagDeps,
  caller: Caller,
  project: Project,
  id: number,
  changes: ExperimentChanges,
): Promise<Experiment> =>
  deps.metadata.transaction(async (store) => {
    const before = await getExperiment(store, project.id, id);
    const merged = { ...before.settings, ...changes.settings };
    const settings = before.startDate === null ? merged : withNote(before.settings, merged, deps.clock.now());
    return save(deps, store, caller, project, before, { ...before, ...changes, settings });
  });

/** What decides is planned before the start; changes after it are kept, so that everybody can see them. */
const PLANNED = ['metrics', 'metrics_secondary', 'exposure_criteria', 'stats_config', 'plan'] as const;
const MAX_NOTES = 100;

function withNote(before: JsonObject, after: JsonObject, now: number): JsonObject {
  const fields = PLANNED.filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]));
  if (fields.length === 0) return after;
  const notes = before['changed_after_start'];
  const known = Array.isArray(notes) ? notes : [];
  const note = { at: new Date(now).toISOString(), fields: [...fields] };
  return { ...after, changed_after_start: [...known, note].slice(-MAX_NOTES) };
}

export const launchExperiment = (deps: FlagDeps, caller: Caller, project: Project, id: number): Promise<Experiment> =>
  changeWithFlag(deps, caller, project, id, async (store, before, flag) => {
    if (before.startDate !== null) throw invalid(undefined, 'Experiment has already been launched.');
    if (flag === null || flag.deleted) throw invalid(undefined, 'The feature flag of this experiment is deleted.');
    requireVariants(flag);
    const others = await store.experiments.listByProject(project.id);
    const other = others.find(
      ({ flagId, startDate, endDate }) => flagId === flag.id && startDate !== null && endDate === null,
    );
    if (other !== undefined) throw invalid(undefined, `The experiment "${other.name}" runs on this flag already.`);
    return { experiment: { startDate: deps.clock.now() }, flag: { active: true } };
  });

/** A paused experiment is one whose flag is off. */
export const pauseExperiment = (
  deps: FlagDeps,
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
export const resetExperiment = (deps: FlagDeps, caller: Caller, project: Project, id: number): Promise<Experiment> =>
  deps.metadata.transaction(async (store) => {
    const before = await getExperiment(store, project.id, id);
    if (before.startDate === null) throw invalid(undefined, 'Experiment is already in draft state.');
    const { conclusion: _, conclusion_comment: __, changed_after_start: ___, ...settings } = before.settings;
    const changed = { ...before, settings, startDate: null, endDate: null, archived: false };
    return save(deps, store, caller, project, before, changed);
  });

export const archiveExperiment = (
  deps: FlagDeps,
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
    return save(deps, store, caller, project, before, { ...before, archived });
  });

interface Conclusion {
  conclusion?: string | undefined;
  conclusion_comment?: string | undefined;
}

/** The flag stays as it is. */
export const endExperiment = (
  deps: FlagDeps,
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
  deps: FlagDeps,
  caller: Caller,
  project: Project,
  id: number,
  { variantKey, ...conclusion }: Conclusion & { variantKey: string },
): Promise<Experiment> =>
  changeWithFlag(deps, caller, project, id, async (_, before, flag) => {
    if (before.startDate === null) throw invalid(undefined, 'Experiment has not been launched yet.');
    if (flag === null || flag.deleted) throw invalid(undefined, 'The feature flag of this experiment is deleted.');
    if (!flagVariants(flag.filters).some(({ key }) => key === variantKey))
      throw invalid('variant_key', `The flag ${flag.key} has no variant ${JSON.stringify(variantKey)}.`);
    const filters = withExplicitGroups(flag.filters);
    const groups = [
      { properties: [], rollout_percentage: 100, variant: variantKey },
      ...((filters['groups'] ?? []) as Json[]),
    ];
    return {
      experiment: { endDate: before.endDate ?? deps.clock.now(), settings: concluded(before, conclusion) },
      flag: { active: true, filters: { ...filters, groups } },
    };
  });

function requireRunning({ startDate, endDate }: Experiment): void {
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
  deps: FlagDeps,
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
    return save(deps, store, caller, project, before, { ...before, ...changes.experiment });
  });
}

async function changeFlag(
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
  await saveChange(deps, store, project, before, written, { userId: caller.user.id });
}

async function save(
  deps: FlagDeps,
  store: MetadataStore,
  caller: Caller,
  project: Project,
  before: Experiment,
  changed: Experiment,
): Promise<Experiment> {
  const after = { ...changed, updatedAt: deps.clock.now() };
  await store.experiments.update(after);
  const changes = changesBetween(EXPERIMENT_SCOPE, visible(before), visible(after));
  await recordActivity(deps, store, { ...about(caller, project, after), activity: 'updated', changes });
  return after;
}

const visible = ({ name, description, settings, startDate, endDate, archived, deleted }: Experiment) => ({
  ...settings,
  name,
  description,
  start_date: startDate,
  end_date: endDate,
  archived,
  deleted,
});

const about = (caller: Caller, project: Project, experiment: Experiment) =>
  ({
    organizationId: project.organizationId,
    projectId: project.id,
    userId: caller.user.id,
    scope: EXPERIMENT_SCOPE,
    itemId: String(experiment.id),
    name: experiment.name,
  }) satisfies Partial<ActivityEntry>;
