/** Brings memberships and roles to what the groups of the provider give, in the transaction of a sign-in. */
import { changesBetween, recordActivity } from '../../../access/record-activity.ts';
import type { Clock } from '../../../lib/clock.ts';
import type { Ids } from '../../../lib/ids.ts';
import type { Logger } from '../../../lib/log.ts';
import type { Membership, Role, User } from '../../../stores/metadata/accounts.ts';
import type { MetadataStore } from '../../../stores/metadata/metadata-store.ts';
import { memberActivity, newMembership } from '../members.ts';
import { type Grant, planLevel } from './group-grants.ts';

interface GroupDeps {
  metadata: MetadataStore;
  clock: Clock;
  ids: Ids;
  log: Pick<Logger, 'warn'>;
}

const BY_PROVIDER = { trigger: { source: 'oidc' } };

export async function applyGrants(
  deps: GroupDeps,
  store: MetadataStore,
  user: User,
  grants: ReadonlyMap<string, Grant>,
): Promise<void> {
  const current = new Map((await store.memberships.listByUser(user.id)).map((one) => [one.organizationId, one]));
  for (const organizationId of new Set([...current.keys(), ...grants.keys()])) {
    if ((await store.organizations.get(organizationId)) === null) {
      deps.log.warn({ organizationId }, 'OIDC_ROLE_MAP names an organization that does not exist');
      continue;
    }
    await applyLevel(
      deps,
      store,
      user,
      organizationId,
      current.get(organizationId) ?? null,
      grants.get(organizationId),
    );
  }
  await applyRoles(deps, store, user, grants);
}

async function applyLevel(
  deps: GroupDeps,
  store: MetadataStore,
  user: User,
  organizationId: string,
  current: Membership | null,
  grant: Grant | undefined,
): Promise<void> {
  const plan = planLevel(current, grant?.level ?? null);
  const entry = { ...memberActivity({ id: organizationId }, { user }, user), ...BY_PROVIDER, userId: null };
  switch (plan.kind) {
    case 'keep':
      return;
    case 'add':
      await store.memberships.create({ ...newMembership(deps, organizationId, user.id, plan.level), ownLevel: null });
      return recordActivity(deps, store, { ...entry, activity: 'created', changes: null });
    case 'change': {
      if (current === null) return;
      const { id, ownLevel, level } = current;
      await store.memberships.update(id, { level: plan.level, ownLevel, updatedAt: deps.clock.now() });
      const changes = changesBetween('OrganizationMembership', { level }, { level: plan.level });
      return recordActivity(deps, store, { ...entry, activity: 'updated', changes });
    }
    case 'remove':
      if (current === null) return;
      await store.memberships.delete(current.id);
      return recordActivity(deps, store, { ...entry, activity: 'deleted', changes: null });
  }
}

async function applyRoles(
  deps: GroupDeps,
  store: MetadataStore,
  user: User,
  grants: ReadonlyMap<string, Grant>,
): Promise<void> {
  const wanted = await rolesOf(deps, store, grants);
  const held = await store.roleMemberships.listByUser(user.id);
  for (const membership of held) {
    if (membership.source !== 'oidc' || wanted.some(({ id }) => id === membership.roleId)) continue;
    const role = await findRole(store, user, membership.roleId);
    await store.roleMemberships.delete(membership.id);
    if (role) await recordRole(deps, store, role, user.email, null);
  }
  for (const role of wanted) {
    if (held.some(({ roleId }) => roleId === role.id)) continue;
    const now = deps.clock.now();
    const times = { joinedAt: now, updatedAt: now };
    await store.roleMemberships.create({
      id: deps.ids.uuid(),
      roleId: role.id,
      userId: user.id,
      ...times,
      source: 'oidc',
    });
    await recordRole(deps, store, role, null, user.email);
  }
}

async function rolesOf(deps: GroupDeps, store: MetadataStore, grants: ReadonlyMap<string, Grant>): Promise<Role[]> {
  const found: Role[] = [];
  for (const [organizationId, { roles }] of grants) {
    for (const name of roles) {
      const role = await store.roles.getByName(organizationId, name);
      if (role) found.push(role);
      else deps.log.warn({ role: name, organizationId }, 'OIDC_ROLE_MAP names a role that does not exist');
    }
  }
  return found;
}

async function findRole(store: MetadataStore, user: User, roleId: string): Promise<Role | null> {
  for (const { organizationId } of await store.memberships.listByUser(user.id)) {
    const role = await store.roles.get(organizationId, roleId);
    if (role) return role;
  }
  return null;
}

function recordRole(
  deps: GroupDeps,
  store: MetadataStore,
  { id, organizationId, name }: Role,
  before: string | null,
  after: string | null,
): Promise<void> {
  const changes = changesBetween('Role', { members: before }, { members: after });
  const about = { organizationId, projectId: null, userId: null, scope: 'Role', itemId: id, name };
  return recordActivity(deps, store, { ...about, ...BY_PROVIDER, activity: 'updated', changes });
}
