/**
 * Makes scheduled changes when they are due. The change of the flag and the note that it was made are one transaction, so
 * after a crash it is either made and noted or neither; a second leader finds it noted.
 */
import { type Caller, levelIn } from '../../../access/callers.ts';
import { getFlagPermissions } from '../../../access/flag-permissions.ts';
import { recordActivity } from '../../../access/record-activity.ts';
import { Failure, forbidden } from '../../../core/errors.ts';
import type { JsonObject } from '../../../core/json/json.ts';
import { SECOND_MS } from '../../../core/time/units.ts';
import { type LeaderTask, scheduledTask } from '../../../lib/leader-task.ts';
import type { Logger } from '../../../lib/log.ts';
import type { Project } from '../../../stores/metadata/accounts.ts';
import type { FeatureFlag } from '../../../stores/metadata/flags.ts';
import type { MetadataStore } from '../../../stores/metadata/metadata-store.ts';
import { ApprovalRequired } from '../../approvals/require-approval.ts';
import { checkFlag, validateChanges } from '../../flags/manage/flag-checks.ts';
import { type FlagDeps, flagActivity, saveChange, withChanges } from '../../flags/manage/flags.ts';
import { nextTime } from '../rules/recurrence.ts';
import { applyOperation, type FlagOperation, readOperation } from '../rules/scheduled-operation.ts';
import type { ScheduledChange } from '../store/scheduled-change-store.ts';
import { notifyAuthor } from './notify-author.ts';
import { firedReason, getGuard, hasFired, requireQuiet } from './ramp-guard.ts';

interface RunDeps extends FlagDeps {
  logger: Logger;
  config: { publicUrl: string | null };
}

export const scheduledChangesTask = (deps: RunDeps): LeaderTask =>
  scheduledTask({
    clock: deps.clock,
    initialDelayMs: 0,
    intervalMs: SECOND_MS,
    run: async () => {
      await haltRamps(deps);
      await makeDueChanges(deps);
    },
    onError: (err) => deps.logger.error({ err }, 'scheduled changes could not be read'),
  });

/** Oldest first. */
async function makeDueChanges(deps: RunDeps): Promise<void> {
  for (const change of await deps.metadata.scheduledChanges.listDue(deps.clock.now())) {
    // One that cannot be made must not keep others from being made; an unavailable store is tried again.
    await makeChange(deps, change).catch((err: unknown) =>
      deps.logger.error({ err, project: change.projectId, change: change.id }, 'a scheduled change was not made'),
    );
  }
}

/** Gradual rollouts whose alert has fired: they do not wait for their next step. */
async function haltRamps(deps: RunDeps): Promise<void> {
  for (const change of await deps.metadata.scheduledChanges.listGuarded()) {
    const alert = await getGuard(deps.metadata, change);
    if (alert === null || !(await hasFired(deps.metadata, alert, change.createdAt))) continue;
    await giveUp(deps, change, firedReason(alert));
  }
}

async function makeChange(deps: RunDeps, due: ScheduledChange): Promise<void> {
  const { projectId, id, scheduledAt } = due;
  try {
    // Without a change request: whoever scheduled it has to do so again.
    await deps.metadata.transaction(async (store) => {
      const change = await store.scheduledChanges.get(projectId, id);
      if (!change || !isStillDue(change, scheduledAt)) return;
      await changeFlag(deps, store, change);
      await store.scheduledChanges.update(afterwards(change, deps.clock.now()));
    });
    deps.flagSnapshots.invalidate(projectId);
  } catch (error) {
    if (!(error instanceof Failure) || error.kind === 'unavailable') throw error;
    await giveUp(deps, due, error instanceof ApprovalRequired ? UNAPPROVED : error.message);
  }
}

const UNAPPROVED = 'A policy that came later asks for approval of this change. Schedule it again to ask for it.';

/** Nobody has changed, paused or made it since it was listed. */
const isStillDue = ({ executedAt, isPaused, scheduledAt }: ScheduledChange, listed: number): boolean =>
  executedAt === null && !isPaused && scheduledAt === listed;

async function changeFlag(deps: RunDeps, store: MetadataStore, change: ScheduledChange): Promise<void> {
  const { projectId, flagId, payload, step } = change;
  const now = deps.clock.now();
  const project = await store.projects.get(projectId);
  const before = await store.flags.get(projectId, flagId);
  if (!project || !before || before.deleted) throw new Failure('not_found', 'The flag was deleted.');
  const caller = await requireRights(store, project, before, change.createdBy);
  const operation = readOperation(payload);
  if (operation.kind === 'ramp') {
    requireRunning(before, step);
    if (change.alertId !== null) await requireQuiet(store, change);
  }
  const changes = applyOperation(operation, before, step);
  validateChanges(changes);
  const after = withChanges(before, changes, now);
  await checkFlag(store, before, after);
  const trigger: JsonObject = { job_type: 'scheduled_change', job_id: String(change.id), payload };
  const approval = change.changeRequestId === null ? caller : 'given';
  const by = { userId: change.createdBy, trigger, approval } as const;
  await saveChange(deps, store, project, before, { ...after, lastModifiedBy: change.createdBy }, by);
}

/** Those that the author has now, not those of the day when it was scheduled. */
async function requireRights(
  store: MetadataStore,
  { organizationId }: Project,
  flag: FeatureFlag,
  userId: number | null,
): Promise<Caller> {
  const user = userId === null ? null : await store.users.get(userId);
  if (!user?.isActive) throw forbidden('The user who scheduled it is no longer active.');
  const caller: Caller = { user, memberships: await store.memberships.listByUser(user.id), via: 'session' };
  if (levelIn(caller, organizationId) === null)
    throw forbidden(`${user.email} is no longer a member of the organization.`);
  const rights = await getFlagPermissions(store, caller, organizationId);
  if (!rights.canEdit(flag)) throw forbidden(`${user.email} may no longer edit the flag.`);
  return caller;
}

/** A gradual rollout does not go on after the flag was disabled, by hand or by its rollback conditions. */
function requireRunning({ active, performedRollback }: FeatureFlag, step: number): void {
  if (active && performedRollback !== true) return;
  throw new Failure('conflict', `The flag was disabled after step ${step} of the gradual rollout.`);
}

/** What is left to do: the next step, the next recurrence, or nothing. After a standstill, missed ones are left out. */
function afterwards(change: ScheduledChange, now: number): ScheduledChange {
  const made = { ...change, lastExecutedAt: now, failureReason: null, updatedAt: now };
  const next = nextSlot(readOperation(change.payload), change, now);
  if (next === null) return { ...made, step: change.step + 1, executedAt: now };
  return { ...made, step: next.step, scheduledAt: next.at };
}

function nextSlot(
  operation: FlagOperation,
  { step, startsAt, recurrence, cron, timezone, endDate }: ScheduledChange,
  now: number,
): { at: number; step: number } | null {
  if (operation.kind === 'ramp') {
    const following = operation.steps[step + 1];
    return following ? { at: following.at, step: step + 1 } : null;
  }
  const at = nextTime(startsAt, now, { interval: recurrence, cron, timezone });
  return at === null || (endDate !== null && at > endDate) ? null : { at, step };
}

/** It is not tried again: somebody has to look at it. Its author is told, once. */
async function giveUp(deps: RunDeps, { projectId, id, scheduledAt }: ScheduledChange, reason: string): Promise<void> {
  const now = deps.clock.now();
  await deps.metadata.transaction(async (store) => {
    const change = await store.scheduledChanges.get(projectId, id);
    if (!change || !isStillDue(change, scheduledAt)) return;
    const givenUp = { ...change, executedAt: now, failureReason: reason, updatedAt: now };
    await store.scheduledChanges.update(givenUp);
    await recordGivenUp(deps, store, givenUp, reason);
    await notifyAuthor(deps, store, givenUp, reason);
  });
  deps.logger.warn({ project: projectId, change: id, reason }, 'a scheduled change was given up');
}

/** In the history of the flag; nobody did it. */
async function recordGivenUp(
  deps: RunDeps,
  store: MetadataStore,
  { projectId, flagId, id, payload }: ScheduledChange,
  reason: string,
): Promise<void> {
  const [project, flag] = [await store.projects.get(projectId), await store.flags.get(projectId, flagId)];
  if (!project || !flag) return;
  await recordActivity(deps, store, {
    ...flagActivity(project, null, flag, 'schedule_stopped', null),
    trigger: { job_type: 'scheduled_change', job_id: String(id), payload, reason },
  });
}
