/** Creates, changes and removes policies; only admins do. */
import type { Caller } from '../../access/callers.ts';
import { changesBetween, recordActivity } from '../../access/record-activity.ts';
import { invalid, notFound } from '../../core/errors.ts';
import type { Json } from '../../core/json/json.ts';
import { DAY_MS } from '../../core/time/units.ts';
import type { Project } from '../../stores/metadata/accounts.ts';
import type { MetadataStore } from '../../stores/metadata/metadata-store.ts';
import type { ApprovalDeps } from './require-approval.ts';
import type { ApprovalPolicy } from './rules/approval-records.ts';
import { formatDuration } from './rules/duration.ts';
import { type ActionKey, type PolicyRules, presentConditions, readConditions } from './rules/policy.ts';

const SCOPE = 'ApprovalPolicy';
const DEFAULT_EXPIRY_MS = 14 * DAY_MS;

export interface PolicyInput extends Partial<Omit<PolicyRules, 'conditions'>> {
  conditions?: Json;
  expiresAfterMs?: number;
  enabled?: boolean;
}

const DEFAULT_RULES: PolicyRules = {
  conditions: { type: 'any', tags: null },
  quorum: 1,
  users: [],
  roles: [],
  allowSelfApprove: false,
  bypassLevels: [],
  bypassRoles: [],
};

export async function getPolicy(store: MetadataStore, projectId: number, id: string): Promise<ApprovalPolicy> {
  const policy = await store.approvalPolicies.get(projectId, id);
  if (!policy) throw notFound();
  return policy;
}

export const createPolicy = (
  deps: ApprovalDeps,
  caller: Caller,
  project: Project,
  actionKey: ActionKey,
  input: PolicyInput,
): Promise<ApprovalPolicy> =>
  deps.metadata.transaction(async (store) => {
    const known = await store.approvalPolicies.listByProject(project.id);
    if (known.some((policy) => policy.actionKey === actionKey))
      throw invalid('action_key', 'There is a policy for this action already: change that one.', 'unique');
    const now = deps.clock.now();
    const draft = {
      id: deps.ids.orderedUuid(now),
      projectId: project.id,
      actionKey,
      rules: DEFAULT_RULES,
      expiresAfterMs: DEFAULT_EXPIRY_MS,
      enabled: true,
      createdBy: caller.user.id,
      createdAt: now,
      updatedAt: now,
    };
    const policy = await completed(store, project, draft, input, now);
    await store.approvalPolicies.create(policy);
    await recordActivity(deps, store, { ...about(caller, project, policy), activity: 'created', changes: null });
    return policy;
  });

export const updatePolicy = (
  deps: ApprovalDeps,
  caller: Caller,
  project: Project,
  id: string,
  input: PolicyInput,
): Promise<ApprovalPolicy> =>
  deps.metadata.transaction(async (store) => {
    const before = await getPolicy(store, project.id, id);
    const after = await completed(store, project, before, input, deps.clock.now());
    await store.approvalPolicies.update(after);
    const changes = changesBetween(SCOPE, visible(before), visible(after));
    await recordActivity(deps, store, { ...about(caller, project, after), activity: 'updated', changes });
    return after;
  });

/** Changes that wait go on waiting: each has its copy of the policy. */
export const deletePolicy = (deps: ApprovalDeps, caller: Caller, project: Project, id: string): Promise<void> =>
  deps.metadata.transaction(async (store) => {
    const policy = await getPolicy(store, project.id, id);
    await store.approvalPolicies.delete(project.id, id);
    await recordActivity(deps, store, { ...about(caller, project, policy), activity: 'deleted', changes: null });
  });

async function completed(
  store: MetadataStore,
  { organizationId }: Project,
  before: ApprovalPolicy,
  { conditions, expiresAfterMs = before.expiresAfterMs, enabled = before.enabled, ...rest }: PolicyInput,
  now: number,
): Promise<ApprovalPolicy> {
  const read = conditions === undefined ? before.rules.conditions : readConditions(conditions, before.actionKey);
  const rules = { ...before.rules, ...rest, conditions: read };
  await requireMembers(store, organizationId, rules);
  await requireRoles(store, organizationId, 'approver_config', rules.roles);
  await requireRoles(store, organizationId, 'bypass_roles', rules.bypassRoles);
  if (rules.roles.length === 0 && rules.users.length > 0 && rules.quorum > rules.users.length)
    throw invalid('approver_config', 'The quorum is larger than the number of approvers: nothing could be approved.');
  return { ...before, rules, expiresAfterMs, enabled, updatedAt: now };
}

async function requireMembers(store: MetadataStore, organizationId: string, { users }: PolicyRules): Promise<void> {
  for (const id of users) {
    const memberships = await store.memberships.listByUser(id);
    if (memberships.some((one) => one.organizationId === organizationId)) continue;
    throw invalid('approver_config', `The organization has no member with the id ${id}.`);
  }
}

async function requireRoles(
  store: MetadataStore,
  organizationId: string,
  attr: string,
  roles: readonly string[],
): Promise<void> {
  for (const id of roles)
    if (!(await store.roles.get(organizationId, id))) throw invalid(attr, `The organization has no role ${id}.`);
}

const visible = ({ rules, enabled, expiresAfterMs }: ApprovalPolicy): Record<string, Json> => ({
  conditions: presentConditions(rules.conditions),
  approver_config: { quorum: rules.quorum, users: rules.users, roles: rules.roles },
  allow_self_approve: rules.allowSelfApprove,
  bypass_org_membership_levels: rules.bypassLevels,
  bypass_roles: rules.bypassRoles,
  expires_after: formatDuration(expiresAfterMs),
  enabled,
});

const about = (caller: Caller, project: Project, { id, actionKey }: ApprovalPolicy) => ({
  organizationId: project.organizationId,
  projectId: project.id,
  userId: caller.user.id,
  scope: SCOPE,
  itemId: id,
  name: actionKey,
});
