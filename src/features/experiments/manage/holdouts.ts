/** Holdouts: a change of one changes the flags that have it in the same transaction. */
import type { Caller } from '../../../access/callers.ts';
import { changesBetween, recordActivity } from '../../../access/record-activity.ts';
import { notFound } from '../../../core/errors.ts';
import type { JsonObject } from '../../../core/json/json.ts';
import { jsonEqual } from '../../../core/json/json-equal.ts';
import type { Project } from '../../../stores/metadata/accounts.ts';
import type { MetadataStore } from '../../../stores/metadata/metadata-store.ts';
import { type FlagDeps, updateAndInvalidate } from '../../flags/manage/flags.ts';
import { hasHoldout, withHoldout } from '../rules/holdout-groups.ts';
import type { ExperimentHoldout } from '../store/holdout-store.ts';
import { changeFlag } from './experiments.ts';

type HoldoutFields = Pick<ExperimentHoldout, 'name' | 'description' | 'filters'>;

export async function getHoldout(store: MetadataStore, projectId: number, id: number): Promise<ExperimentHoldout> {
  const holdout = await store.holdouts.get(projectId, id);
  if (holdout === null) throw notFound();
  return holdout;
}

export const createHoldout = (
  deps: FlagDeps,
  caller: Caller,
  project: Project,
  fields: HoldoutFields,
): Promise<ExperimentHoldout> =>
  deps.metadata.transaction(async (store) => {
    const now = deps.clock.now();
    const times = { createdAt: now, createdBy: caller.user.id, updatedAt: now };
    const made = await store.holdouts.create({ projectId: project.id, ...fields, ...times });
    await recordActivity(deps, store, { ...about(caller, project, made), activity: 'created', changes: null });
    return made;
  });

export const updateHoldout = (
  deps: FlagDeps,
  caller: Caller,
  project: Project,
  id: number,
  fields: Partial<HoldoutFields>,
): Promise<ExperimentHoldout> =>
  updateAndInvalidate(deps, project.id, async (store) => {
    const before = await getHoldout(store, project.id, id);
    const after = { ...before, ...fields, updatedAt: deps.clock.now() };
    await store.holdouts.update(after);
    if (fields.filters !== undefined) await changeFlags(deps, store, caller, project, id, after);
    const changes = changesBetween(HOLDOUT_SCOPE, visible(before), visible(after));
    await recordActivity(deps, store, { ...about(caller, project, after), activity: 'updated', changes });
    return after;
  });

/** Its experiments and flags go on without it. */
export const deleteHoldout = (deps: FlagDeps, caller: Caller, project: Project, id: number): Promise<void> =>
  updateAndInvalidate(deps, project.id, async (store) => {
    const before = await getHoldout(store, project.id, id);
    await changeFlags(deps, store, caller, project, id, null);
    await store.holdouts.delete(project.id, id);
    await recordActivity(deps, store, { ...about(caller, project, before), activity: 'deleted', changes: null });
  });

/** The flags of all experiments with this holdout, and those that have it by themselves. */
async function changeFlags(
  deps: FlagDeps,
  store: MetadataStore,
  caller: Caller,
  project: Project,
  id: number,
  holdout: ExperimentHoldout | null,
): Promise<void> {
  const experiments = await store.experiments.listByProject(project.id);
  const measured = new Set(
    experiments.filter(({ settings }) => settings['holdout_id'] === id).map(({ flagId }) => flagId),
  );
  for (const flag of await store.flags.listByProject(project.id)) {
    if (!measured.has(flag.id) && !hasHoldout(flag.filters, id)) continue;
    const filters = withHoldout(flag.filters, holdout);
    if (jsonEqual(filters, flag.filters)) continue;
    await changeFlag(deps, store, caller, project, flag, { filters });
  }
}

const HOLDOUT_SCOPE = 'ExperimentHoldout';

const visible = ({ name, description, filters }: HoldoutFields): JsonObject => ({ name, description, filters });

const about = (caller: Caller, project: Project, { id, name }: ExperimentHoldout) => ({
  organizationId: project.organizationId,
  projectId: project.id,
  userId: caller.user.id,
  scope: HOLDOUT_SCOPE,
  itemId: String(id),
  name,
});
