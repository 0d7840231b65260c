/** Saved metrics: a change of one changes the numbers of the experiments that use it, which is noted in each. */
import type { Caller } from '../../../access/callers.ts';
import { changesBetween, recordActivity } from '../../../access/record-activity.ts';
import { invalid, notFound } from '../../../core/errors.ts';
import type { JsonObject } from '../../../core/json/json.ts';
import type { Project } from '../../../stores/metadata/accounts.ts';
import type { MetadataStore } from '../../../stores/metadata/metadata-store.ts';
import { readSavedMetricUses } from '../rules/saved-metrics.ts';
import type { Experiment } from '../store/experiment-store.ts';
import type { SavedMetric } from '../store/saved-metric-store.ts';
import { byCaller, type ExperimentDeps, saveExperiment } from './experiments.ts';
import { noted } from './update-experiment.ts';

type Fields = Pick<SavedMetric, 'name' | 'description' | 'query' | 'tags'>;

export async function getSavedMetric(store: MetadataStore, projectId: number, id: number): Promise<SavedMetric> {
  const metric = await store.savedMetrics.get(projectId, id);
  if (metric === null) throw notFound();
  return metric;
}

export const createSavedMetric = (
  deps: ExperimentDeps,
  caller: Caller,
  project: Project,
  fields: Fields,
): Promise<SavedMetric> =>
  deps.metadata.transaction(async (store) => {
    const now = deps.clock.now();
    const times = { createdAt: now, createdBy: caller.user.id, updatedAt: now };
    const made = await store.savedMetrics.create({ projectId: project.id, ...fields, ...times });
    await recordActivity(deps, store, { ...about(caller, project, made), activity: 'created', changes: null });
    return made;
  });

export const updateSavedMetric = (
  deps: ExperimentDeps,
  caller: Caller,
  project: Project,
  id: number,
  fields: Partial<Fields>,
): Promise<SavedMetric> =>
  deps.metadata.transaction(async (store) => {
    const before = await getSavedMetric(store, project.id, id);
    const now = deps.clock.now();
    const after = { ...before, ...fields, updatedAt: now };
    await store.savedMetrics.update(after);
    if (JSON.stringify(before.query) !== JSON.stringify(after.query))
      for (const experiment of await usersOf(store, project.id, id)) {
        if (experiment.startDate === null || experiment.startDate > now) continue;
        const settings = noted(experiment.settings, experiment.settings, ['saved_metrics'], now);
        await saveExperiment(deps, store, byCaller(caller), project, experiment, { ...experiment, settings });
      }
    const changes = changesBetween(SAVED_METRIC_SCOPE, visible(before), visible(after));
    await recordActivity(deps, store, { ...about(caller, project, after), activity: 'updated', changes });
    return after;
  });

/** Drafts and experiments that have ended go on without it. */
export const deleteSavedMetric = (deps: ExperimentDeps, caller: Caller, project: Project, id: number): Promise<void> =>
  deps.metadata.transaction(async (store) => {
    const before = await getSavedMetric(store, project.id, id);
    const running = (await usersOf(store, project.id, id)).find(
      ({ startDate, endDate }) => startDate !== null && endDate === null,
    );
    if (running !== undefined)
      throw invalid(undefined, `The experiment "${running.name}" is running with this metric: end it first.`);
    await store.savedMetrics.delete(project.id, id);
    await recordActivity(deps, store, { ...about(caller, project, before), activity: 'deleted', changes: null });
  });

async function usersOf(store: MetadataStore, projectId: number, id: number): Promise<Experiment[]> {
  const experiments = await store.experiments.listByProject(projectId);
  return experiments.filter(({ settings }) => readSavedMetricUses(settings).some((use) => use.id === id));
}

/** Every saved metric that is used exists. */
export async function requireSavedMetrics(
  store: MetadataStore,
  projectId: number,
  settings: JsonObject,
): Promise<void> {
  for (const [at, { id }] of readSavedMetricUses(settings).entries())
    if ((await store.savedMetrics.get(projectId, id)) === null)
      throw invalid(`saved_metrics_ids__${at}__id`, `There is no saved metric ${id}.`);
}

const SAVED_METRIC_SCOPE = 'ExperimentSavedMetric';

const visible = ({ name, description, query, tags }: Fields): JsonObject => ({ name, description, query, tags });

const about = (caller: Caller, project: Project, { id, name }: SavedMetric) => ({
  organizationId: project.organizationId,
  projectId: project.id,
  userId: caller.user.id,
  scope: SAVED_METRIC_SCOPE,
  itemId: String(id),
  name,
});
