/**
 * Whether a change of a flag has to wait for approval. Every road that changes a flag comes by `requireApproval`, in its
 * transaction: what it throws rolls everything back, and `orAskForApproval` around the transaction then writes down the
 * change requests.
 */
import { type Caller, isAdmin, levelIn } from '../../access/callers.ts';
import { recordActivity } from '../../access/record-activity.ts';
import { Failure, invalid } from '../../core/errors.ts';
import { stringifyExact } from '../../core/json/exact-json.ts';
import { iso } from '../../core/time/iso.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Ids } from '../../lib/ids.ts';
import type { Project } from '../../stores/metadata/accounts.ts';
import type { MetadataStore } from '../../stores/metadata/metadata-store.ts';
import { notifyApprovers } from './notify-people.ts';
import type { ApprovalPolicy, ChangeIntent, ChangeKind, ChangeRequest } from './rules/approval-records.ts';
import { type ActionKey, type FlagState, isCovered, type PolicyRules } from './rules/policy.ts';
import type { ChangeRequestQuery } from './store/approval-store.ts';

export interface ApprovalDeps {
  metadata: MetadataStore;
  clock: Clock;
  ids: Ids;
  config: { publicUrl: string | null };
}

/** A change that somebody wants to make. */
interface WantedChange {
  project: Pick<Project, 'id' | 'organizationId'>;
  caller: Caller;
  kind: ChangeKind;
  flagId: number | null;
  flagKey: string;
  baseVersion: number | null;
  /** What the flag is like before (null: it is new) and after; a gradual rollout has several of these. */
  steps: readonly { before: FlagState | null; after: FlagState }[];
  intent: ChangeIntent;
  scheduledAt?: number | null;
}

interface Proposal {
  change: Omit<WantedChange, 'steps'>;
  policy: ApprovalPolicy;
}

/** A project has at most this many changes that wait. */
const MAX_PENDING = 1000;
export const CHANGE_REQUEST_SCOPE = 'ChangeRequest';

/** 409. Nothing was changed. */
export class ApprovalRequired extends Failure {
  readonly proposals: readonly Proposal[];

  constructor(proposals: readonly Proposal[], requests: readonly ChangeRequest[] = []) {
    const [proposal] = proposals;
    const detail = 'This change needs approval: it was not made, and waits for it as a change request.';
    super('conflict', detail, { code: 'approval_required', body: proposal ? answer(detail, proposal, requests) : {} });
    this.proposals = proposals;
  }
}

function answer(detail: string, { change, policy }: Proposal, requests: readonly ChangeRequest[]) {
  const { quorum, users, roles } = policy.rules;
  return {
    status: 'approval_required',
    message: detail,
    resource_type: 'feature_flag',
    resource_id: change.flagId === null ? null : String(change.flagId),
    change_request_id: requests[0]?.id ?? null,
    change_request: requests[0] ? summaryOf(requests[0]) : null,
    // More than one only where one request changes several flags.
    ...(requests.length > 1 ? { change_requests: requests.map(summaryOf) } : {}),
    required_approvers: { quorum, users, roles },
  };
}

const summaryOf = ({ id, state, actionKey, flagId, flagKey, expiresAt, createdAt }: ChangeRequest) => ({
  id,
  state,
  action_key: actionKey,
  resource_id: flagId === null ? null : String(flagId),
  flag_key: flagKey,
  created_at: iso(createdAt),
  expires_at: iso(expiresAt),
});

/**
 * Throws if a policy covers the change and the caller may not pass it by. If they may, the policy that they pass by is
 * returned, for the activity log.
 */
export async function requireApproval(store: MetadataStore, change: WantedChange): Promise<ApprovalPolicy | null> {
  const { project, caller, steps } = change;
  const policies = await coveringPolicies(store, project.id, steps);
  const asking: ApprovalPolicy[] = [];
  for (const policy of policies) if (!(await mayBypass(store, caller, project, policy.rules))) asking.push(policy);
  const [first] = asking;
  if (first === undefined) return policies[0] ?? null;
  if (asking.length > 1) throw severalPolicies(asking.map(({ actionKey }) => actionKey));
  throw new ApprovalRequired([{ change, policy: first }]);
}

export async function coveringPolicies(
  store: MetadataStore,
  projectId: number,
  steps: WantedChange['steps'],
): Promise<ApprovalPolicy[]> {
  return (await store.approvalPolicies.listByProject(projectId)).filter(
    ({ enabled, actionKey, rules }) =>
      enabled && steps.some(({ before, after }) => isCovered(actionKey, rules.conditions, before, after)),
  );
}

/** Each policy has approvers of its own, and a request only one policy. */
const severalPolicies = (actions: readonly ActionKey[]): Failure =>
  invalid(
    undefined,
    `This change is covered by several policies (${actions.join(', ')}). Make it in several requests, one for each.`,
    'policy_conflict',
  );

async function mayBypass(
  store: MetadataStore,
  caller: Caller,
  { organizationId }: WantedChange['project'],
  { bypassLevels, bypassRoles }: PolicyRules,
): Promise<boolean> {
  if (bypassLevels.includes(levelIn(caller, organizationId) ?? 0)) return true;
  return bypassRoles.length > 0 && hasRole(store, caller, organizationId, bypassRoles);
}

async function hasRole(
  store: MetadataStore,
  caller: Caller,
  organizationId: string,
  roles: readonly string[],
): Promise<boolean> {
  return (await store.roles.listByUser(organizationId, caller.user.id)).some(({ id }) => roles.includes(id));
}

/** Whether the caller is one of those whom the policy names, now. */
export async function isApprover(
  store: MetadataStore,
  caller: Caller,
  organizationId: string,
  { users, roles }: PolicyRules,
): Promise<boolean> {
  if (users.length === 0 && roles.length === 0) return isAdmin(caller, organizationId);
  return users.includes(caller.user.id) || hasRole(store, caller, organizationId, roles);
}

/** Runs a transaction. If it is refused for want of approval, the change requests are made and the answer names them. */
export async function orAskForApproval<T>(deps: ApprovalDeps, transaction: () => Promise<T>): Promise<T> {
  try {
    return await transaction();
  } catch (error) {
    if (!(error instanceof ApprovalRequired)) throw error;
    const { proposals } = error;
    const requests = await deps.metadata.transaction(async (store) => {
      const made: ChangeRequest[] = [];
      for (const proposal of proposals) made.push(await makeRequest(deps, store, proposal));
      return made;
    });
    throw new ApprovalRequired(proposals, requests);
  }
}

async function makeRequest(deps: ApprovalDeps, store: MetadataStore, proposal: Proposal): Promise<ChangeRequest> {
  const { change, policy } = proposal;
  const { project, caller } = change;
  const known = await sameRequest(store, proposal, deps.clock.now());
  if (known) return known;
  if ((await store.changeRequests.countPending(project.id)) >= MAX_PENDING)
    throw invalid(undefined, `At most ${MAX_PENDING} changes of a project wait for approval.`, 'limit_reached');
  const request = newRequest(deps, change, policy);
  await store.changeRequests.create(request);
  await recordActivity(deps, store, {
    organizationId: project.organizationId,
    projectId: project.id,
    userId: caller.user.id,
    activity: 'created',
    scope: CHANGE_REQUEST_SCOPE,
    itemId: request.id,
    name: request.flagKey,
    changes: null,
    trigger: { action_key: request.actionKey, flag_id: request.flagId },
  });
  await notifyApprovers(deps, store, project, request);
  return request;
}

/** Clients repeat requests, and people click twice. */
async function sameRequest(
  store: MetadataStore,
  { change, policy }: Proposal,
  now: number,
): Promise<ChangeRequest | undefined> {
  const { project, flagId, caller, intent, baseVersion, flagKey, kind } = change;
  const query: ChangeRequestQuery = { states: ['pending'], flagId: flagId ?? undefined };
  const { items } = await store.changeRequests.list(project.id, query, { limit: MAX_PENDING, offset: 0 });
  const wanted = stringifyExact({ ...intent });
  return items.find(
    (one) =>
      one.createdBy === caller.user.id &&
      one.kind === kind &&
      one.flagId === flagId &&
      one.flagKey === flagKey &&
      one.actionKey === policy.actionKey &&
      one.baseVersion === baseVersion &&
      one.validationStatus === 'valid' &&
      one.expiresAt > now &&
      stringifyExact({ ...one.intent }) === wanted,
  );
}

function newRequest(
  { clock, ids }: ApprovalDeps,
  change: Proposal['change'],
  { actionKey, rules, expiresAfterMs }: ApprovalPolicy,
): ChangeRequest {
  const { project, caller, kind, flagId, flagKey, baseVersion, intent, scheduledAt = null } = change;
  const now = clock.now();
  return {
    id: ids.orderedUuid(now),
    projectId: project.id,
    kind,
    actionKey,
    flagId,
    flagKey,
    intent,
    policy: rules,
    baseVersion,
    validationStatus: 'valid',
    validationError: null,
    validatedAt: now,
    state: 'pending',
    blastRadius: null,
    scheduledAt,
    // What was to be made by then cannot be approved later.
    expiresAt: Math.min(now + expiresAfterMs, scheduledAt ?? Number.POSITIVE_INFINITY),
    createdBy: caller.user.id,
    createdAt: now,
    updatedAt: now,
    appliedBy: null,
    appliedAt: null,
    applyError: null,
    resultData: null,
  };
}
