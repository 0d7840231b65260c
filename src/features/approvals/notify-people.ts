/** Mails about change requests: to those who are asked to approve one, and to whoever asked for it once it is decided. */
import type { Project, User } from '../../stores/metadata/accounts.ts';
import { ADMIN } from '../../stores/metadata/accounts.ts';
import type { MetadataStore } from '../../stores/metadata/metadata-store.ts';
import { makeDeliveries } from '../deliveries/make-deliveries.ts';
import type { Message } from '../deliveries/rules/message.ts';
import type { ChangeRequest } from './rules/approval-records.ts';
import type { ActionKey, PolicyRules } from './rules/policy.ts';

interface NotifyDeps {
  config: { publicUrl: string | null };
}

type ProjectIds = Pick<Project, 'id' | 'organizationId'>;

/** More than an organization has. */
const MAX_MEMBERS = 10_000;

const ACTIONS: Record<ActionKey, string> = {
  'feature_flag.enable': 'enable the flag',
  'feature_flag.disable': 'disable or delete the flag',
  'feature_flag.update': 'change the flag',
};

/** In the transaction of the request. Whoever asked is left out: they know. */
export async function notifyApprovers(
  deps: NotifyDeps,
  store: MetadataStore,
  project: ProjectIds,
  request: ChangeRequest,
): Promise<void> {
  const requester = await userOf(store, request.createdBy);
  const approvers = (await listApprovers(store, project, request.policy)).filter(({ id }) => id !== request.createdBy);
  const who = requester?.email ?? 'Somebody';
  await notify(deps, store, project, request, approvers, {
    type: 'flag.approval_requested',
    title: `${request.flagKey}: a change waits for your approval`,
    text: `${who} wants to ${ACTIONS[request.actionKey]}. Nothing is changed until it is approved.`,
    timestamp: request.updatedAt,
  });
}

/** The flag changed meanwhile, and with it what they have approved. */
export async function notifyVotersAgain(
  deps: NotifyDeps,
  store: MetadataStore,
  project: ProjectIds,
  request: ChangeRequest,
  voterIds: readonly number[],
): Promise<void> {
  const voters = (await listApprovers(store, project, request.policy)).filter(({ id }) => voterIds.includes(id));
  await notify(deps, store, project, request, voters, {
    type: 'flag.approval_requested',
    title: `${request.flagKey}: a change waits for your approval again`,
    text: 'The flag was changed in other fields since you approved it, so the approvals start again.',
    timestamp: request.updatedAt,
  });
}

const DECIDED: Partial<Record<ChangeRequest['state'], string>> = {
  applied: 'was approved and made',
  rejected: 'was rejected',
  failed: 'was approved and could not be made',
  expired: 'expired before it was approved',
};

/** `reason`: what was said about it. `byUserId` null: nobody decided it. Those who decided it themselves know. */
export async function notifyRequester(
  deps: NotifyDeps,
  store: MetadataStore,
  project: ProjectIds,
  request: ChangeRequest,
  { byUserId, reason }: { byUserId: number | null; reason: string },
): Promise<void> {
  const what = DECIDED[request.state];
  const requester = await userOf(store, request.createdBy);
  if (what === undefined || requester === null || requester.id === byUserId) return;
  const by = await userOf(store, byUserId);
  await notify(deps, store, project, request, await onlyMembers(store, project, [requester]), {
    type: 'flag.approval_decided',
    title: `${request.flagKey}: your change ${what}`,
    text: [request.applyError, reason].filter((text) => text !== null && text !== '').join(' ') || `It ${what}.`,
    timestamp: request.updatedAt,
    ...(by === null ? {} : { by: by.email }),
  });
}

/** Those who may vote now: the people and roles that the policy names, or the admins. */
async function listApprovers(
  store: MetadataStore,
  project: ProjectIds,
  { users, roles }: PolicyRules,
): Promise<User[]> {
  const page = { limit: MAX_MEMBERS, offset: 0 };
  const members = (await store.memberships.list(project.organizationId, page)).items;
  const inRoles = roles.length === 0 ? [] : await store.roleMemberships.listByRoles(roles);
  const named = new Set([...users, ...inRoles.map(({ userId }) => userId)]);
  const isNamed = users.length > 0 || roles.length > 0;
  const ids = members
    .filter(({ userId, level }) => (isNamed ? named.has(userId) : level >= ADMIN))
    .map(({ userId }) => userId);
  return (await store.users.listByIds(ids)).filter(({ isActive }) => isActive);
}

const userOf = async (store: MetadataStore, id: number | null): Promise<User | null> =>
  id === null ? null : store.users.get(id);

async function onlyMembers(
  store: MetadataStore,
  { organizationId }: ProjectIds,
  users: readonly User[],
): Promise<User[]> {
  const members: User[] = [];
  for (const user of users)
    if (user.isActive && (await store.memberships.get(organizationId, user.id))) members.push(user);
  return members;
}

type Said = Pick<Message, 'type' | 'title' | 'text' | 'timestamp'> & { by?: string };

/** Once for each state of the request: a repeated message has the same key, and is left out. */
async function notify(
  { config }: NotifyDeps,
  store: MetadataStore,
  { id: projectId }: ProjectIds,
  request: ChangeRequest,
  people: readonly User[],
  { by, ...said }: Said,
): Promise<void> {
  if (people.length === 0) return;
  const { id, flagId, flagKey, baseVersion, state, actionKey } = request;
  const project = await store.projects.get(projectId);
  await makeDeliveries(store, {
    projectId,
    kind: 'flag',
    subjectId: `change-request-${id}-${state}`,
    slot: baseVersion ?? 0,
    targets: people.map((user) => ({ type: 'email', userId: user.id, address: user.email })),
    ownerId: request.createdBy,
    now: request.updatedAt,
    message: {
      ...said,
      facts: [
        { name: 'Project', value: project?.name ?? String(projectId) },
        { name: 'Feature flag', value: flagKey },
        ...(by === undefined ? [] : [{ name: 'By', value: by }]),
      ],
      url: config.publicUrl === null ? null : `${config.publicUrl}/project/${projectId}/approvals/${id}`,
      data: { project_id: projectId, change_request_id: id, feature_flag_id: flagId, action_key: actionKey, state },
    },
  });
}
