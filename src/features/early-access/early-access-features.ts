/**
 * Creates, changes and removes early access features. Each changes its flag in the same transaction: in an open stage the
 * flag follows what persons have chosen. Where the flag's change needs approval, nothing is changed; once it is approved,
 * the same request goes through.
 */
import type { Caller } from '../../access/callers.ts';
import { getFlagPermissions } from '../../access/flag-permissions.ts';
import { changesBetween, recordActivity } from '../../access/record-activity.ts';
import { forbidden, invalid, notFound } from '../../core/errors.ts';
import type { Json } from '../../core/json/json.ts';
import { jsonEqual } from '../../core/json/json-equal.ts';
import type { Project } from '../../stores/metadata/accounts.ts';
import type { FeatureFlag } from '../../stores/metadata/flags.ts';
import type { MetadataStore } from '../../stores/metadata/metadata-store.ts';
import { checkFlag } from '../flags/manage/flag-checks.ts';
import {
  addFlag,
  type FlagDeps,
  flagWithDefaults,
  saveChange,
  updateAndInvalidate,
  withChanges,
} from '../flags/manage/flags.ts';
import { checkCanEnroll, isOpen, keyFromName, withEnrollment } from './rules/enrollment.ts';
import type { EarlyAccessFeature } from './store/early-access-store.ts';

export type EarlyAccessFields = Pick<
  EarlyAccessFeature,
  'name' | 'description' | 'stage' | 'documentationUrl' | 'payload'
>;

const MAX_FEATURES = 1000;

export async function getFeature(store: MetadataStore, projectId: number, id: string): Promise<EarlyAccessFeature> {
  const feature = await store.earlyAccessFeatures.get(projectId, id);
  if (feature === null) throw notFound();
  return feature;
}

/** `flagId` null: a flag is made for it, which nobody has who did not opt in. */
export const createFeature = (
  deps: FlagDeps,
  caller: Caller,
  project: Project,
  fields: EarlyAccessFields,
  flagId: number | null,
): Promise<EarlyAccessFeature> =>
  updateAndInvalidate(deps, project.id, async (store) => {
    if ((await store.earlyAccessFeatures.listByProject(project.id)).length >= MAX_FEATURES)
      throw invalid(undefined, `A project has at most ${MAX_FEATURES} early access features.`, 'limit_reached');
    const flag =
      flagId === null
        ? await createFlagFor(deps, store, caller, project, fields)
        : await enrollFlag(deps, store, caller, project, flagId, fields);
    const now = deps.clock.now();
    const times = { createdBy: caller.user.id, createdAt: now, updatedAt: now };
    const feature = { ...fields, id: deps.ids.orderedUuid(now), projectId: project.id, flagId: flag.id, ...times };
    await store.earlyAccessFeatures.create(feature);
    await recordActivity(deps, store, { ...about(caller, project, feature), activity: 'created', changes: null });
    return feature;
  });

async function createFlagFor(
  deps: FlagDeps,
  store: MetadataStore,
  caller: Caller,
  project: Project,
  { name, stage }: EarlyAccessFields,
): Promise<FeatureFlag> {
  const key = keyFromName(name);
  const groups = [{ properties: [], rollout_percentage: 0, variant: null }];
  const filters = withEnrollment({ groups }, key, isOpen(stage));
  const description = `Early access to ${name}`;
  const flag = flagWithDefaults(project.id, caller, { key, name: description, filters }, deps.clock.now());
  if ((await store.flags.getByKey(project.id, key)) !== null)
    throw invalid(
      'name',
      `A flag for this feature would have the key "${key}", which another flag has. Choose that flag (feature_flag_id) or another name.`,
      'unique',
    );
  return addFlag(deps, store, project, flag, { userId: caller.user.id, approval: caller });
}

async function enrollFlag(
  deps: FlagDeps,
  store: MetadataStore,
  caller: Caller,
  project: Project,
  flagId: number,
  { stage }: EarlyAccessFields,
): Promise<FeatureFlag> {
  const flag = await store.flags.get(project.id, flagId);
  if (flag === null || flag.deleted)
    throw invalid('feature_flag_id', `There is no feature flag with ID ${flagId} in this project.`, 'does_not_exist');
  const other = await store.earlyAccessFeatures.getByFlag(project.id, flagId);
  if (other !== null)
    throw invalid('feature_flag_id', `The early access feature "${other.name}" has this flag already.`, 'unique');
  checkCanEnroll(flag.filters);
  await setEnrollment(deps, store, caller, project, flag, isOpen(stage));
  return flag;
}

export const updateFeature = (
  deps: FlagDeps,
  caller: Caller,
  project: Project,
  id: string,
  fields: Partial<EarlyAccessFields>,
): Promise<EarlyAccessFeature> =>
  updateAndInvalidate(deps, project.id, async (store) => {
    const before = await getFeature(store, project.id, id);
    const after = { ...before, ...fields, updatedAt: deps.clock.now() };
    if (isOpen(before.stage) !== isOpen(after.stage)) {
      const flag = await store.flags.get(project.id, before.flagId);
      if (flag !== null) await setEnrollment(deps, store, caller, project, flag, isOpen(after.stage));
    }
    await store.earlyAccessFeatures.update(after);
    const changes = changesBetween(SCOPE, visible(before), visible(after));
    await recordActivity(deps, store, { ...about(caller, project, after), activity: 'updated', changes });
    return after;
  });

/** Its flag stays, and goes by its conditions alone. */
export const deleteFeature = (deps: FlagDeps, caller: Caller, project: Project, id: string): Promise<void> =>
  updateAndInvalidate(deps, project.id, async (store) => {
    const before = await getFeature(store, project.id, id);
    const flag = await store.flags.get(project.id, before.flagId);
    if (flag !== null) await setEnrollment(deps, store, caller, project, flag, false);
    await store.earlyAccessFeatures.delete(project.id, id);
    await recordActivity(deps, store, { ...about(caller, project, before), activity: 'deleted', changes: null });
  });

async function setEnrollment(
  deps: FlagDeps,
  store: MetadataStore,
  caller: Caller,
  project: Project,
  before: FeatureFlag,
  isEnrolling: boolean,
): Promise<void> {
  const rights = await getFlagPermissions(store, caller, project.organizationId);
  if (!rights.canEdit(before)) throw forbidden("You don't have edit permissions for this feature flag.");
  if (isEnrolling) checkCanEnroll(before.filters);
  const filters = withEnrollment(before.filters, before.key, isEnrolling);
  if (jsonEqual(filters, before.filters)) return;
  const after = { ...withChanges(before, { filters }, deps.clock.now()), lastModifiedBy: caller.user.id };
  await checkFlag(store, before, after);
  await saveChange(deps, store, project, before, after, { userId: caller.user.id, approval: caller });
}

const SCOPE = 'EarlyAccessFeature';

const visible = ({ name, description, stage, documentationUrl, payload }: EarlyAccessFields): Record<string, Json> => ({
  name,
  description,
  stage,
  documentation_url: documentationUrl,
  payload,
});

const about = (caller: Caller, project: Project, { id, name }: EarlyAccessFeature) => ({
  organizationId: project.organizationId,
  projectId: project.id,
  userId: caller.user.id,
  scope: SCOPE,
  itemId: id,
  name,
});
