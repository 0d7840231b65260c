/**
 * Creates and updates feature flags. Each change is checked, saved, versioned and recorded in the activity log in one
 * transaction; then the snapshot for evaluation is invalidated, before the response is sent.
 */

import type { Caller } from '../../../access/callers.ts';
import { getFlagPermissions } from '../../../access/flag-permissions.ts';
import { type ActivityEntry, changesBetween, recordActivity } from '../../../access/record-activity.ts';
import { Failure, forbidden, notFound } from '../../../core/errors.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../core/json/json.ts';
import { jsonEqual } from '../../../core/json/json-equal.ts';
import type { Clock } from '../../../lib/clock.ts';
import type { Ids } from '../../../lib/ids.ts';
import type { Project } from '../../../stores/metadata/accounts.ts';
import type { FeatureFlag } from '../../../stores/metadata/flags.ts';
import type { MetadataStore } from '../../../stores/metadata/metadata-store.ts';
import { ApprovalRequired, orAskForApproval } from '../../approvals/require-approval.ts';
import type { ApprovalPolicy } from '../../approvals/rules/approval-records.ts';
import { withExplicitGroups } from '../rules/filters-shape.ts';
import { followPercentages } from '../rules/validate/follow-percentages.ts';
import { requireGroups } from '../rules/validate/validate-filters.ts';
import { requireFlagApproval, reviseRequests } from './flag-approval.ts';
import { checkFlag, validateChanges } from './flag-checks.ts';
import { mergeChanges } from './flag-conflicts.ts';
import { type FlagChanges, visibleFields } from './flag-fields.ts';

export interface FlagDeps {
  metadata: MetadataStore;
  clock: Clock;
  ids: Ids;
  config: { publicUrl: string | null };
  /** Invalidated after each change. */
  flagSnapshots: { invalidate(projectId: number): void };
}

export const FLAG_SCOPE = 'FeatureFlag';

export async function createFlag(
  deps: FlagDeps,
  caller: Caller,
  project: Project,
  given: FlagChanges & { key: string },
): Promise<FeatureFlag> {
  const { filters = {} } = given;
  if (Object.keys(filters).length > 0) requireGroups(filters);
  validateChanges(given);
  return updateAndInvalidate(deps, project.id, async (store) => {
    const flag = flagWithDefaults(project.id, caller, given, deps.clock.now());
    return addFlag(deps, store, project, flag, { userId: caller.user.id, approval: caller });
  });
}

/** Checks and saves a new flag, unless it has to wait for approval. */
export async function addFlag(
  deps: FlagDeps,
  store: MetadataStore,
  project: Pick<Project, 'id' | 'organizationId'>,
  flag: Omit<FeatureFlag, 'id'>,
  by: ChangedBy,
): Promise<FeatureFlag> {
  await checkFlag(store, null, { ...flag, id: null });
  const bypassed = await askPolicies(store, project, by, null, flag);
  await store.flags.purgeDeleted(project.id, flag.key);
  const created = await store.flags.create(flag);
  const { userId, approval: _, ...trigger } = by;
  await recordActivity(deps, store, { ...flagActivity(project, userId, created, 'created', null), ...trigger });
  await recordBypass(deps, store, project, created, userId, bypassed);
  return created;
}

/** On whose behalf a flag changes. */
interface ChangedBy {
  /** Null: the system. */
  userId: number | null;
  /** Why, if not because the user sent it just now. */
  trigger?: JsonObject;
  /** Whom policies ask for approval. `automatic` needs none: rollbacks and guardrails. `given`: it was approved. */
  approval: Caller | 'automatic' | 'given';
}

const askPolicies = async (
  store: MetadataStore,
  project: Pick<Project, 'id' | 'organizationId'>,
  { approval }: ChangedBy,
  before: FeatureFlag | null,
  after: Omit<FeatureFlag, 'id'>,
): Promise<ApprovalPolicy | null> =>
  typeof approval === 'string' ? null : requireFlagApproval(store, project, approval, before, after);

/** Passing by a policy is allowed to some, and seen by all. */
async function recordBypass(
  deps: FlagDeps,
  store: MetadataStore,
  project: Pick<Project, 'id' | 'organizationId'>,
  flag: FeatureFlag,
  userId: number | null,
  policy: ApprovalPolicy | null,
): Promise<void> {
  if (policy === null) return;
  await recordActivity(deps, store, {
    ...flagActivity(project, userId, flag, 'approval_bypassed', null),
    trigger: { job_type: 'approval_policy', job_id: policy.id, payload: { action_key: policy.actionKey } },
  });
}

export const flagWithDefaults = (
  projectId: number,
  caller: Caller,
  given: FlagChanges & { key: string },
  now: number,
) => ({
  projectId,
  name: '',
  filters: {},
  active: true,
  deleted: false,
  ensureExperienceContinuity: false,
  rollbackConditions: null,
  performedRollback: null,
  tags: [],
  evaluationRuntime: 'all' as const,
  bucketingIdentifier: 'distinct_id' as const,
  isRemoteConfiguration: false,
  promotedFrom: null,
  createdAt: now,
  ...given,
  ...(given.active ? { performedRollback: false } : {}),
  activeSince: now,
  version: 1,
  createdBy: caller.user.id,
  updatedAt: now,
  lastModifiedBy: caller.user.id,
});

/** The flag that the caller began to edit. If given, changes that others made since are kept. */
export interface BaseVersion {
  version: number | null;
  original: JsonObject | null;
  /** The flag has to have this version: nothing that others changed since is kept. */
  exact?: number | undefined;
}

export async function updateFlag(
  deps: FlagDeps,
  caller: Caller,
  project: Project,
  id: number,
  given: FlagChanges,
  base: BaseVersion = { version: null, original: null },
): Promise<FeatureFlag> {
  return updateAndInvalidate(deps, project.id, (store) => changeFlagIn(deps, store, caller, project, id, given, base));
}

/** In a transaction of the caller's. */
async function changeFlagIn(
  deps: FlagDeps,
  store: MetadataStore,
  caller: Caller,
  project: Project,
  id: number,
  given: FlagChanges,
  base: BaseVersion,
): Promise<FeatureFlag> {
  const before = await getFlag(store, project.id, id);
  const rights = await getFlagPermissions(store, caller, project.organizationId);
  if (!rights.canEdit(before)) throw forbidden("You don't have edit permissions for this feature flag.");
  // Filters without groups are ignored: some clients send them unintentionally.
  const { filters, ...rest } = given;
  const hasFilters = filters !== undefined && Object.hasOwn(filters, 'groups');
  const sent = hasFilters ? { ...rest, filters: followPercentages(before.filters, filters) } : rest;
  validateChanges(sent);
  const after = withChanges(before, await resolveConflicts(store, before, sent, base), deps.clock.now());
  if (isUnchanged(before, after)) return before;
  await checkFlag(store, before, after);
  const written = { ...after, lastModifiedBy: caller.user.id };
  await saveChange(deps, store, project, before, written, { userId: caller.user.id, approval: caller });
  return written;
}

/** Archives flags, or brings them back: all or none. Those that need approval are asked for together. */
export const archiveFlags = (
  deps: FlagDeps,
  caller: Caller,
  project: Project,
  ids: readonly number[],
  deleted: boolean,
): Promise<FeatureFlag[]> =>
  updateAndInvalidate(deps, project.id, async (store) => {
    const changed: FeatureFlag[] = [];
    const waiting: ApprovalRequired[] = [];
    for (const id of ids) {
      try {
        const base = { version: null, original: null };
        changed.push(await changeFlagIn(deps, store, caller, project, id, { deleted }, base));
      } catch (error) {
        if (!(error instanceof ApprovalRequired)) throw error;
        waiting.push(error);
      }
    }
    if (waiting.length > 0) throw new ApprovalRequired(waiting.flatMap(({ proposals }) => proposals));
    return changed;
  });

async function resolveConflicts(
  store: MetadataStore,
  before: FeatureFlag,
  sent: FlagChanges,
  { version, original, exact }: BaseVersion,
): Promise<FlagChanges> {
  if (exact !== undefined && exact !== before.version) throw outdatedVersion(before.version);
  if (version === null || version === before.version) return sent;
  const seen = original ?? (await fieldsAtVersion(store, before, version));
  const changes = seen && mergeChanges(seen, before, sent);
  if (changes) return changes;
  const other = before.lastModifiedBy === null ? null : await store.users.get(before.lastModifiedBy);
  throw new Failure(
    'conflict',
    `The feature flag was updated by ${other?.email ?? 'the system'} since you started editing it. Please refresh and try again.`,
  );
}

export const outdatedVersion = (current: number): Failure =>
  new Failure('conflict', `The flag was changed meanwhile and has version ${current}: read it again.`, {
    attr: 'version',
  });

async function fieldsAtVersion(store: MetadataStore, { projectId, id }: FeatureFlag, version: number) {
  const found = (await store.flags.listVersions(projectId, id)).find((one) => one.version === version);
  return found ? visibleFields(found) : null;
}

/** Applies changes and what follows from them; nothing is checked here. */
export function withChanges(before: FeatureFlag, changes: FlagChanges, now: number): FeatureFlag {
  const after = { ...before, ...changes, version: before.version + 1, updatedAt: now };
  if (changes.active) after.performedRollback = false;
  if (after.active && !after.deleted && (!before.active || before.deleted)) after.activeSince = now;
  if (after.key !== before.key) after.filters = renameEnrollment(after.filters, before.key, after.key);
  return after;
}

/** Then there is no new version, and nobody has to approve anything anew. */
const isUnchanged = (before: FeatureFlag, after: FeatureFlag): boolean =>
  jsonEqual(savedFields(before), savedFields(after));

const savedFields = (flag: FeatureFlag): JsonObject => ({
  ...visibleFields(flag),
  // As clients see them, and send them back.
  filters: withExplicitGroups(flag.filters),
  created_at: flag.createdAt,
  promoted_from: flag.promotedFrom && { ...flag.promotedFrom },
});

/** Saves a change that has been checked, unless it has to wait for approval, and records who made it. */
export async function saveChange(
  deps: FlagDeps,
  store: MetadataStore,
  project: Pick<Project, 'id' | 'organizationId'>,
  before: FeatureFlag,
  after: FeatureFlag,
  by: ChangedBy,
): Promise<void> {
  if (isUnchanged(before, after)) return;
  const bypassed = await askPolicies(store, project, by, before, after);
  await store.flags.update(after);
  if (after.key !== before.key && !after.deleted) await store.flags.purgeDeleted(project.id, after.key);
  const changes = changesBetween(FLAG_SCOPE, visibleFields(before), visibleFields(after));
  const { userId, approval: _, ...trigger } = by;
  await recordActivity(deps, store, { ...flagActivity(project, userId, after, 'updated', changes), ...trigger });
  await recordBypass(deps, store, project, after, userId, bypassed);
  await reviseRequests(deps, store, project, before, after);
}

/** The person property for early access has the flag key in its name, so it is renamed with the flag. */
function renameEnrollment(filters: JsonObject, oldKey: string, newKey: string): JsonObject {
  const { super_groups: groups } = filters;
  if (!Array.isArray(groups)) return filters;
  const rename = (property: Json): Json =>
    isJsonObject(property) && property['key'] === `$feature_enrollment/${oldKey}`
      ? { ...property, key: `$feature_enrollment/${newKey}` }
      : property;
  const renamedGroups = groups.map((group) =>
    isJsonObject(group) && Array.isArray(group['properties'])
      ? { ...group, properties: group['properties'].map(rename) }
      : group,
  );
  return { ...filters, super_groups: renamedGroups };
}

export async function getFlag(store: MetadataStore, projectId: number, id: number): Promise<FeatureFlag> {
  const flag = await store.flags.get(projectId, id);
  if (!flag) throw notFound();
  return flag;
}

/**
 * Runs a transaction and invalidates the snapshot of the project. Changes that have to wait for approval become change
 * requests.
 */
export async function updateAndInvalidate<T>(
  deps: FlagDeps,
  projectId: number,
  work: (store: MetadataStore) => Promise<T>,
): Promise<T> {
  const result = await orAskForApproval(deps, () => deps.metadata.transaction(work));
  deps.flagSnapshots.invalidate(projectId);
  return result;
}

export const flagActivity = (
  project: Pick<Project, 'id' | 'organizationId'>,
  userId: number | null,
  flag: FeatureFlag,
  activity: string,
  changes: ActivityEntry['changes'],
): ActivityEntry => ({
  organizationId: project.organizationId,
  projectId: project.id,
  userId,
  activity,
  scope: FLAG_SCOPE,
  itemId: String(flag.id),
  name: flag.key,
  changes,
});
