/** Creates, changes and removes scheduled changes of flags. */
import type { Caller } from '../../access/callers.ts';
import { getFlagPermissions } from '../../access/flag-permissions.ts';
import { recordActivity } from '../../access/record-activity.ts';
import { forbidden, invalid, notFound } from '../../core/errors.ts';
import type { JsonObject } from '../../core/json/json.ts';
import { jsonEqual } from '../../core/json/json-equal.ts';
import type { Project } from '../../stores/metadata/accounts.ts';
import type { FeatureFlag } from '../../stores/metadata/flags.ts';
import type { MetadataStore } from '../../stores/metadata/metadata-store.ts';
import { orAskForApproval, requireApproval } from '../approvals/require-approval.ts';
import { flagState, intentOf } from '../flags/manage/flag-approval.ts';
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

type NewChange = ChangeInput & Pick<ScheduledChange, 'payload'>;

export async function createScheduledChange(
  deps: FlagDeps,
  caller: Caller,
  project: Project,
  flagId: number,
  input: NewChange,
): Promise<ScheduledChange> {
  return orAskForApproval(deps, () =>
    deps.metadata.transaction((store) => addScheduledChange(deps, store, caller, project, flagId, input, null)),
  );
}

/** `changeRequestId`: the approval, if it was given. */
export async function addScheduledChange(
  deps: FlagDeps,
  store: MetadataStore,
  caller: Caller,
  project: Project,
  flagId: number,
  input: NewChange,
  changeRequestId: string | null,
): Promise<ScheduledChange> {
  const now = deps.clock.now();
  const flag = await editableFlag(store, caller, project, flagId);
  const waiting = await store.scheduledChanges.listByProject(project.id);
  if (waiting.filter(({ executedAt }) => executedAt === null).length >= MAX_WAITING)
    throw invalid(undefined, `A project has at most ${MAX_WAITING} scheduled changes.`, 'limit_reached');
  const draft = { ...completed(newChange(caller, project, flagId, input.payload, now), input, now), changeRequestId };
  await tryOut(store, flag, readOperation(draft.payload), now);
  if (changeRequestId === null) await requireApproval(store, wantedChange(caller, project, flag, draft, null, input));
  const created = await store.scheduledChanges.create(draft);
  await recordActivity(deps, store, {
    ...flagActivity(project, caller.user.id, flag, 'scheduled', null),
    trigger: { job_type: 'scheduled_change', job_id: String(created.id), payload: created.payload },
  });
  return created;
}

const newChange = (
  caller: Caller,
  { id: projectId, timezone }: Project,
  flagId: number,
  payload: JsonObject,
  now: number,
): Omit<ScheduledChange, 'id'> => ({
  projectId,
  flagId,
  payload,
  scheduledAt: 0,
  startsAt: 0,
  executedAt: null,
  failureReason: null,
  recurrence: null,
  cron: null,
  isPaused: false,
  endDate: null,
  timezone,
  step: 0,
  lastExecutedAt: null,
  createdAt: now,
  createdBy: caller.user.id,
  updatedAt: now,
  changeRequestId: null,
  alertId: null,
});

export const updateScheduledChange = (
  deps: FlagDeps,
  caller: Caller,
  project: Project,
  id: number,
  input: ChangeInput,
): Promise<ScheduledChange> =>
  orAskForApproval(deps, () =>
    deps.metadata.transaction((store) => changeScheduledChange(deps, store, caller, project, id, input, null)),
  );

/** `changeRequestId`: the approval, if it was given. */
export async function changeScheduledChange(
  deps: FlagDeps,
  store: MetadataStore,
  caller: Caller,
  project: Project,
  id: number,
  input: ChangeInput,
  changeRequestId: string | null,
): Promise<ScheduledChange> {
  const now = deps.clock.now();
  const before = await getScheduledChange(store, project.id, id);
  if (before.executedAt !== null)
    throw invalid(undefined, 'This change was made already. Schedule another one.', 'invalid_input');
  const flag = await editableFlag(store, caller, project, before.flagId);
  const after = completed(before, input, now);
  await tryOut(store, flag, readOperation(after.payload), now);
  const isOther = isOtherChange(before, after, input);
  const approved = { ...after, changeRequestId: changeRequestId ?? (isOther ? null : before.changeRequestId) };
  if (isOther && changeRequestId === null)
    await requireApproval(store, wantedChange(caller, project, flag, after, id, input));
  await store.scheduledChanges.update(approved);
  return approved;
}

/** Pausing and resuming is no other change. */
const isOtherChange = (before: ScheduledChange, after: ScheduledChange, { scheduledAt }: ChangeInput): boolean =>
  !jsonEqual(before.payload, after.payload) ||
  (scheduledAt !== undefined && before.scheduledAt !== after.scheduledAt) ||
  before.recurrence !== after.recurrence ||
  before.cron !== after.cron ||
  before.endDate !== after.endDate;

/** As policies see it. `id` null: it is new. */
function wantedChange(
  caller: Caller,
  project: Project,
  flag: FeatureFlag,
  { payload, scheduledAt, createdBy }: Omit<ScheduledChange, 'id'>,
  id: number | null,
  input: ChangeInput,
) {
  const operation = readOperation(payload);
  const states = statesOf(operation, flag);
  const last = states.at(-1)?.after ?? flag;
  return {
    project,
    caller,
    kind: 'schedule' as const,
    flagId: flag.id,
    flagKey: flag.key,
    baseVersion: null,
    steps: states.map(({ before, after }) => ({ before: flagState(before), after: flagState(after) })),
    intent: { ...intentOf(flag, last), schedule: { id, created_by: createdBy, input: { ...input, payload } } },
    scheduledAt,
  };
}

/** The flag before and after each step. */
function statesOf(operation: FlagOperation, flag: FeatureFlag): { before: FeatureFlag; after: FeatureFlag }[] {
  // Whatever the flag is like now: by then it may be the other way round.
  const first = operation.kind === 'update_status' ? { ...flag, active: !operation.active } : flag;
  const states: { before: FeatureFlag; after: FeatureFlag }[] = [];
  for (let step = 0; step < stepCount(operation); step++) {
    const before = states.at(-1)?.after ?? first;
    states.push({ before, after: { ...before, ...applyOperation(operation, before, step) } });
  }
  return states;
}

const stepCount = (operation: FlagOperation): number => (operation.kind === 'ramp' ? operation.steps.length : 1);

/** The flag as it is after the last step, for whoever is asked to approve it. */
export function flagAfterwards(payload: JsonObject, flag: FeatureFlag): FeatureFlag {
  return statesOf(readOperation(payload), flag).at(-1)?.after ?? flag;
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
  if (operation.kind === 'ramp' && operation.haltIf !== null)
    await requireAlert(store, flag.projectId, operation.haltIf);
  for (let step = 0; step < stepCount(operation); step++) {
    const changes = applyOperation(operation, flag, step);
    validateChanges(changes);
    await checkFlag(store, flag, withChanges(flag, changes, now));
  }
}

/** One that watches, and does not fire already. */
async function requireAlert(store: MetadataStore, projectId: number, id: string): Promise<void> {
  const alert = await store.alerts.get(projectId, id);
  if (!alert) throw invalid('payload', `halt_if: there is no alert with ID ${id} in this project.`, 'does_not_exist');
  if (!alert.enabled) throw invalid('payload', `halt_if: the alert "${alert.name}" is off. Turn it on first.`);
  if (alert.state === 'Firing')
    throw invalid('payload', `halt_if: the alert "${alert.name}" is firing, so the rollout would stop at once.`);
}

function completed<T extends Omit<ScheduledChange, 'id'>>(before: T, input: ChangeInput, now: number): T {
  const { payload = before.payload, endDate = before.endDate } = input;
  const operation = readOperation(payload);
  const recurrence = input.recurrence === undefined ? before.recurrence : input.recurrence;
  const cron = input.cron === undefined ? before.cron : input.cron;
  const timing = readTiming(operation, { ...input, recurrence, cron }, before, now);
  if (endDate !== null && endDate <= timing.scheduledAt)
    throw invalid('end_date', 'end_date is later than scheduled_at.');
  const alertId = operation.kind === 'ramp' ? operation.haltIf : null;
  return { ...before, ...timing, payload, endDate, alertId, updatedAt: now };
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
