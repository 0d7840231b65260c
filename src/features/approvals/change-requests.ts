/** Votes on changes that wait for approval. The last approval that is needed makes the change, in the same transaction. */
import { type Caller, levelIn } from '../../access/callers.ts';
import { recordActivity } from '../../access/record-activity.ts';
import { Failure, forbidden, invalid, notFound } from '../../core/errors.ts';
import type { JsonObject } from '../../core/json/json.ts';
import { MINUTE_MS } from '../../core/time/units.ts';
import { type LeaderTask, scheduledTask } from '../../lib/leader-task.ts';
import type { Logger } from '../../lib/log.ts';
import type { Project } from '../../stores/metadata/accounts.ts';
import type { FeatureFlag } from '../../stores/metadata/flags.ts';
import type { MetadataStore } from '../../stores/metadata/metadata-store.ts';
import { notifyRequester } from './notify-people.ts';
import { type ApprovalDeps, CHANGE_REQUEST_SCOPE, isApprover } from './require-approval.ts';
import type { ChangeKind, ChangeRequest, Vote } from './rules/approval-records.ts';
import { stateAt } from './rules/request-state.ts';

interface ApprovedChange {
  request: ChangeRequest;
  project: Project;
  /** With the rights that they have now. */
  requester: Caller;
  trigger: JsonObject;
}

/** What knows how to make a kind of change. */
export interface ChangeMaker {
  /** In the transaction of the last approval. Throws a `Failure` if it cannot be made; returns what came of it. */
  make(store: MetadataStore, change: ApprovedChange): Promise<JsonObject>;
  /** The flag without and with the change; null if it is gone. */
  preview(store: MetadataStore, request: ChangeRequest): Promise<ChangePreview | null>;
}

export interface ChangePreview {
  before: FeatureFlag | null;
  after: FeatureFlag;
}

export interface VoteDeps extends ApprovalDeps {
  changeMakers: Readonly<Record<ChangeKind, ChangeMaker>>;
  flagSnapshots: { invalidate(projectId: number): void };
}

const MAX_REASON_LENGTH = 2000;

export async function getChangeRequest(store: MetadataStore, projectId: number, id: string): Promise<ChangeRequest> {
  const request = await store.changeRequests.get(projectId, id);
  if (!request) throw notFound();
  return request;
}

/** The change was approved and could not be made; the vote counts all the same. */
class ChangeFailed extends Error {}

export async function approveRequest(
  deps: VoteDeps,
  caller: Caller,
  project: Project,
  id: string,
  reason: string,
): Promise<ChangeRequest> {
  const vote = (store: MetadataStore) => addVote(deps, store, caller, project, id, 'approved', reason);
  try {
    const request = await deps.metadata.transaction(async (store) => {
      const { request, votes } = await vote(store);
      if (votes.length < request.policy.quorum) return request;
      const applied = await applyRequest(deps, store, caller, project, request, votes);
      await notifyRequester(deps, store, project, applied, { byUserId: caller.user.id, reason });
      return applied;
    });
    if (request.state === 'applied') deps.flagSnapshots.invalidate(project.id);
    return request;
  } catch (error) {
    if (!(error instanceof ChangeFailed)) throw error;
    return deps.metadata.transaction(async (store) => {
      const { request } = await vote(store);
      const failed = await saveRequest(deps, store, { ...request, state: 'failed', applyError: error.message });
      await notifyRequester(deps, store, project, failed, { byUserId: caller.user.id, reason });
      return failed;
    });
  }
}

async function applyRequest(
  deps: VoteDeps,
  store: MetadataStore,
  caller: Caller,
  project: Project,
  request: ChangeRequest,
  votes: readonly Vote[],
): Promise<ChangeRequest> {
  const now = deps.clock.now();
  // Before the change: it revises the requests that still wait.
  const applied = { ...request, state: 'applied', appliedBy: caller.user.id, appliedAt: now } as const;
  await saveRequest(deps, store, applied);
  const trigger = {
    job_type: 'change_request',
    job_id: request.id,
    payload: { action_key: request.actionKey, approved_by: votes.map(({ userId }) => userId) },
  };
  try {
    const requester = await callerOf(store, project, request.createdBy);
    const resultData = await deps.changeMakers[request.kind].make(store, { request, project, requester, trigger });
    return await saveRequest(deps, store, { ...applied, resultData });
  } catch (error) {
    if (!(error instanceof Failure) || error.kind === 'unavailable') throw error;
    throw new ChangeFailed(error.message, { cause: error });
  }
}

/** Whoever asked for it, as they are now. */
async function callerOf(store: MetadataStore, { organizationId }: Project, userId: number | null): Promise<Caller> {
  const user = userId === null ? null : await store.users.get(userId);
  if (!user?.isActive) throw forbidden('The user who asked for the change is no longer active.');
  const caller: Caller = { user, memberships: await store.memberships.listByUser(user.id), via: 'session' };
  if (levelIn(caller, organizationId) === null)
    throw forbidden(`${user.email}, who asked for the change, is no longer a member of the organization.`);
  return caller;
}

export const rejectRequest = (
  deps: ApprovalDeps,
  caller: Caller,
  project: Project,
  id: string,
  reason: string,
): Promise<ChangeRequest> =>
  deps.metadata.transaction(async (store) => {
    const { request } = await addVote(deps, store, caller, project, id, 'rejected', reason);
    const rejected = await saveRequest(deps, store, { ...request, state: 'rejected' });
    await notifyRequester(deps, store, project, rejected, { byUserId: caller.user.id, reason });
    return rejected;
  });

/** By whoever asked for it. */
export const cancelRequest = (
  deps: ApprovalDeps,
  caller: Caller,
  project: Project,
  id: string,
  reason: string,
): Promise<ChangeRequest> =>
  deps.metadata.transaction(async (store) => {
    const request = await getChangeRequest(store, project.id, id);
    if (request.createdBy !== caller.user.id) throw forbidden('Only whoever asked for the change can cancel it.');
    requirePending(request, deps.clock.now());
    await recordVote(deps, store, caller, project, request, 'canceled');
    const resultData = { canceled: true, reason: readReason(reason) };
    return saveRequest(deps, store, { ...request, state: 'rejected', resultData });
  });

/** One vote a person, of those who may vote now. */
async function addVote(
  deps: ApprovalDeps,
  store: MetadataStore,
  caller: Caller,
  project: Project,
  id: string,
  decision: Vote['decision'],
  reason: string,
): Promise<{ request: ChangeRequest; votes: readonly Vote[] }> {
  const now = deps.clock.now();
  const request = await getChangeRequest(store, project.id, id);
  if (!(await mayVote(store, caller, project, request)))
    throw forbidden('You are not one of those who approve this change.');
  const votes = await store.changeRequests.listVotes([id]);
  if (votes.some(({ userId }) => userId === caller.user.id))
    throw invalid(undefined, 'You have voted on this change already.', 'already_voted');
  requirePending(request, now);
  if (decision === 'approved') requireCurrent(request);
  else if (reason.trim() === '') throw invalid('reason', 'Say why the change is rejected.', 'required');
  const vote = {
    id: deps.ids.orderedUuid(now),
    projectId: project.id,
    requestId: id,
    userId: caller.user.id,
    decision,
    reason: readReason(reason),
    createdAt: now,
  };
  await store.changeRequests.addVote(vote);
  await recordVote(deps, store, caller, project, request, decision);
  return { request: await saveRequest(deps, store, request), votes: [...votes, vote] };
}

function readReason(reason: string): string {
  if (reason.length <= MAX_REASON_LENGTH) return reason;
  throw invalid('reason', `A reason has up to ${MAX_REASON_LENGTH} characters.`, 'too_long');
}

/** By the policy under which it was asked for. */
export async function mayVote(
  store: MetadataStore,
  caller: Caller,
  { organizationId }: Pick<Project, 'organizationId'>,
  { createdBy, policy }: ChangeRequest,
): Promise<boolean> {
  if (createdBy === caller.user.id && !policy.allowSelfApprove) return false;
  return isApprover(store, caller, organizationId, policy);
}

function requirePending(request: ChangeRequest, now: number): void {
  const state = stateAt(request, now);
  if (state === 'pending') return;
  const detail =
    state === 'expired' ? 'This change request has expired. Ask for the change again.' : `This change was ${state}.`;
  throw new Failure('conflict', detail, { code: state === 'expired' ? 'expired' : 'not_pending' });
}

function requireCurrent({ validationStatus, validationError }: ChangeRequest): void {
  if (validationStatus === 'valid') return;
  const why = validationError ?? 'The flag was changed since.';
  throw new Failure('conflict', `${why} Reject or cancel this request, and ask for the change again.`, {
    code: 'stale',
  });
}

async function saveRequest(deps: ApprovalDeps, store: MetadataStore, request: ChangeRequest): Promise<ChangeRequest> {
  const saved = { ...request, updatedAt: deps.clock.now() };
  await store.changeRequests.update(saved);
  return saved;
}

const recordVote = (
  deps: ApprovalDeps,
  store: MetadataStore,
  caller: Caller,
  project: Project,
  { id, flagKey }: ChangeRequest,
  activity: string,
): Promise<void> =>
  recordActivity(deps, store, {
    organizationId: project.organizationId,
    projectId: project.id,
    userId: caller.user.id,
    activity,
    scope: CHANGE_REQUEST_SCOPE,
    itemId: id,
    name: flagKey,
    changes: null,
  });

/** Notes which requests have waited for too long; nobody can approve them from that moment on anyway. */
export const expireRequestsTask = (deps: ApprovalDeps & { log: Logger }): LeaderTask =>
  scheduledTask({
    clock: deps.clock,
    initialDelayMs: MINUTE_MS,
    intervalMs: MINUTE_MS,
    run: () => expireRequests(deps),
    onError: (err) => deps.log.error({ err }, 'change requests could not be read'),
  });

const expireRequests = (deps: ApprovalDeps): Promise<void> =>
  deps.metadata.transaction(async (store) => {
    for (const request of await store.changeRequests.listExpired(deps.clock.now())) {
      const expired = await saveRequest(deps, store, { ...request, state: 'expired', validationStatus: 'expired' });
      const project = await store.projects.get(request.projectId);
      if (project) await notifyRequester(deps, store, project, expired, { byUserId: null, reason: '' });
    }
  });
