/** Creates, changes and removes scheduled changes of flags. */
import type { Caller } from '../../access/callers.ts';
import { getFlagPermissions } from '../../access/flag-permissions.ts';
import { recordActivity } from '../../access/record-activity.ts';
import { forbidden, invalid, notFound } from '../../core/errors.ts';
import type { JsonObject } from '../../core/json/json.ts';
import type { Project } from '../../stores/metadata/accounts.ts';
import type { FeatureFlag } from '../../stores/metadata/flags.ts';
import type { MetadataStore } from '../../stores/metadata/metadata-store.ts';
import { checkFlag, validateChanges } from '../flags/manage/flag-checks.ts';
import { type FlagDeps, flagActivity, getFlag, withChanges } from '../flags/manage/flags.ts';
import { nextTime, type RecurrenceInterval, readCron } from './rules/recurrence.ts';
import { applyOperation, type FlagOperation, readOperation } from './rules/scheduled-operation.ts';
import type { ScheduledChange } from './store/scheduled-change-store.ts';

/** A project has at most this many that are still to be made. */
const MAX_WAITING = 1000;

/** As the API takes it. */
export interface ChangeInput {
  payload?: JsonObject;
  scheduledAt?: number;
  isRecurring?: boolean;
  recurrence?: RecurrenceInterval | null;
  cron?: string | null;
  endDate?: number | null;
}

export async function createScheduledChange(
  deps: FlagDeps,
  caller: Caller,
  project: Project,
  flagId: number,
  input: ChangeInput & Pick<ScheduledChange, 'payload'>,
): Promise<ScheduledChange> {
  const now = deps.clock.now();
  return deps.metadata.transaction(async (store) => {
    const flag = await editableFlag(store, caller, project, flagId);
    const waiting = await store.scheduledChanges.listByProject(project.id);
    if (waiting.filter(({ executedAt }) => executedAt === null).length >= MAX_WAITING)
      throw invalid(undefined, `A project has at most ${MAX_WAITING} scheduled changes.`, 'limit_reached');
    const draft = completed(
      {
        projectId: project.id,
        flagId,
        payload: input.payload,
        scheduledAt: 0,
        startsAt: 0,
        executedAt: null,
        failureReason: null,
        recurrence: null,
        cron: null,
        isPaused: false,
        endDate: null,
        timezone: project.timezone,
        step: 0,
        lastExecutedAt: null,
        createdAt: now,
        createdBy: caller.user.id,
        updatedAt: now,
      },
      input,
      now,
    );
    await tryOut(store, flag, readOperation(draft.payload), now);
    const created = await store.scheduledChanges.create(draft);
    await recordActivity(deps, store, {
      ...flagActivity(project, caller.user.id, flag, 'scheduled', null),
      trigger: { job_type: 'scheduled_change', job_id: String(created.id), payload: created.payload },
    });
    return created;
  });
}

export async function updateScheduledChange(
  deps: FlagDeps,
  caller: Caller,
  project: Project,
  id: number,
  input: ChangeInput,
): Promise<ScheduledChange> {
  const now = deps.clock.now();
  return deps.metadata.transaction(async (store) => {
    const before = await getScheduledChange(store, project.id, id);
    if (before.executedAt !== null)
      throw invalid(undefined, 'This change was made already. Schedule another one.', 'invalid_input');
    const flag = await editableFlag(store, caller, project, before.flagId);
    const after = completed(before, input, now);
    await tryOut(store, flag, readOperation(after.payload), now);
    await store.scheduledChanges.update(after);
    return after;
  });
}

export async function deleteScheduledChange(
  deps: FlagDeps,
  caller: Caller,
  project: Project,
  id: number,
): Promise<void> {
  await deps.metadata.transaction(async (store) => {
    const change = await getScheduledChange(store, project.id, id);
    await editableFlag(store, caller, project, change.flagId);
    await store.scheduledChanges.delete(id);
  });
}

export async function getScheduledChange(
  store: MetadataStore,
  projectId: number,
  id: number,
): Promise<ScheduledChange> {
  const change = await store.scheduledChanges.get(projectId, id);
  if (!change) throw notFound();
  return change;
}

async function editableFlag(
  store: MetadataStore,
  caller: Caller,
  project: Project,
  flagId: number,
): Promise<FeatureFlag> {
  const flag = await getFlag(store, project.id, flagId);
  const rights = await getFlagPermissions(store, caller, project.organizationId);
  if (!rights.canEdit(flag)) throw forbidden("You don't have edit permissions for this feature flag.");
  return flag;
}

/** Checked now, so that nobody waits for a change that cannot be made; it is checked again when it is. */
async function tryOut(store: MetadataStore, flag: FeatureFlag, operation: FlagOperation, now: number): Promise<void> {
  const steps = operation.kind === 'ramp' ? operation.steps.length : 1;
  for (let step = 0; step < steps; step++) {
    const changes = applyOperation(operation, flag, step);
    validateChanges(changes);
    await checkFlag(store, flag, withChanges(flag, changes, now));
  }
}

function completed<T extends Omit<ScheduledChange, 'id'>>(before: T, input: ChangeInput, now: number): T {
  const { payload = before.payload, endDate = before.endDate } = input;
  const operation = readOperation(payload);
  const recurrence = input.recurrence === undefined ? before.recurrence : input.recurrence;
  const cron = input.cron === undefined ? before.cron : input.cron;
  const timing = readTiming(operation, { ...input, recurrence, cron }, before, now);
  if (endDate !== null && endDate <= timing.scheduledAt)
    throw invalid('end_date', 'end_date is later than scheduled_at.');
  return { ...before, ...timing, payload, endDate, updatedAt: now };
}

type Timing = Pick<ScheduledChange, 'scheduledAt' | 'startsAt' | 'recurrence' | 'cron' | 'isPaused'>;

function readTiming(
  operation: FlagOperation,
  input: ChangeInput,
  before: Omit<ScheduledChange, 'id'>,
  now: number,
): Timing {
  const { recurrence = null, cron = null } = input;
  const recurs = recurrence !== null || cron !== null;
  if (input.isRecurring === true && !recurs)
    throw invalid(
      'recurrence_interval',
      'A recurring change needs recurrence_interval or cron_expression.',
      'required',
    );
  if (recurrence !== null && cron !== null)
    throw invalid('cron_expression', 'Send recurrence_interval or cron_expression, not both.');
  if (recurs && (operation.kind === 'add_release_condition' || operation.kind === 'ramp'))
    throw invalid('is_recurring', `${operation.kind} cannot recur.`);
  // Paused, as PostHog has it: the interval stays, is_recurring is false.
  const isPaused = recurs && (input.isRecurring ?? !before.isPaused) === false;
  if (operation.kind === 'ramp') {
    const scheduledAt = operation.steps[before.step]?.at ?? before.scheduledAt;
    return { ...startingAt(scheduledAt, before, now), recurrence, cron, isPaused };
  }
  const rule = { interval: recurrence, cron, timezone: before.timezone };
  if (cron !== null && readCron(cron, now, before.timezone) === undefined)
    throw invalid('cron_expression', 'cron_expression has five fields, such as 0 9 * * 1, and a time that comes.');
  const wait = (): number => nextTime(before.startsAt, now, rule) ?? 0;
  const isResumed = before.isPaused && !isPaused && before.scheduledAt < now;
  const isNewCron = cron !== null && cron !== before.cron;
  const given = input.scheduledAt ?? (isResumed || isNewCron ? wait() : before.scheduledAt);
  return { ...startingAt(given, before, now, isResumed), recurrence, cron, isPaused };
}

/** A time that stays as it was may have passed meanwhile. */
function startingAt(
  at: number,
  { scheduledAt, startsAt }: Pick<ScheduledChange, 'scheduledAt' | 'startsAt'>,
  now: number,
  isResumed = false,
): Pick<ScheduledChange, 'scheduledAt' | 'startsAt'> {
  if (at === 0) throw invalid('scheduled_at', 'This field is required.', 'required');
  if (at === scheduledAt) return { scheduledAt, startsAt };
  if (at < now) throw invalid('scheduled_at', 'scheduled_at is a time in the future.');
  return { scheduledAt: at, startsAt: isResumed ? startsAt : at };
}
