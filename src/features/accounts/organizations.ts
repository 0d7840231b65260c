/** Organizations and their members. */

import { type Caller, levelIn, requireLevel } from '../../access/callers.ts';
import { changesBetween, recordActivity } from '../../access/record-activity.ts';
import { Failure, forbidden, invalid, notFound } from '../../core/errors.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Ids } from '../../lib/ids.ts';
import { hashPassword } from '../../lib/secrets.ts';
import {
  ADMIN,
  type Membership,
  type MembershipLevel,
  type Organization,
  OWNER,
  type Project,
  type User,
} from '../../stores/metadata/accounts.ts';
import type { MetadataStore } from '../../stores/metadata/metadata-store.ts';
import { checkedPassword } from './passwords.ts';
import { newProject } from './projects.ts';

interface OrganizationDeps {
  metadata: MetadataStore;
  clock: Clock;
  ids: Ids;
  directory: { invalidate(): void };
  removeEvents(projectId: number): Promise<void>;
}

/** Comes with a project, so that it can be used at once. */
export async function createOrganization(
  deps: OrganizationDeps,
  caller: Caller,
  name: string,
): Promise<{ organization: Organization; project: Project }> {
  const { clock, ids } = deps;
  return deps.metadata.transaction(async (store) => {
    const now = clock.now();
    const organization = {
      id: ids.uuid(),
      name,
      slug: await availableSlug(store, name, ids),
      createdAt: now,
      updatedAt: now,
    };
    await store.organizations.create(organization);
    await store.memberships.create(newMembership(deps, organization.id, caller.user.id, OWNER));
    const project = await store.projects.create(
      newProject(deps, organization.id, 'Default project', ids.token('phc_')),
    );
    await recordActivity(deps, store, {
      ...organizationActivity(organization, caller),
      activity: 'created',
      changes: null,
    });
    return { organization, project };
  });
}

export async function renameOrganization(
  deps: OrganizationDeps,
  caller: Caller,
  organization: Organization,
  name: string | undefined,
): Promise<Organization> {
  const after = { ...organization, name: name ?? organization.name, updatedAt: deps.clock.now() };
  await deps.metadata.transaction(async (store) => {
    await store.organizations.update(organization.id, { name: after.name, updatedAt: after.updatedAt });
    const changes = changesBetween('Organization', { name: organization.name }, { name: after.name });
    await recordActivity(deps, store, { ...organizationActivity(after, caller), activity: 'updated', changes });
  });
  return after;
}

/** Deletes events first: if the event store is unavailable, nothing has happened and the request can be repeated. */
export async function deleteOrganization(deps: OrganizationDeps, organization: Organization): Promise<void> {
  const projectsIn = async (store: MetadataStore): Promise<Project[]> => {
    const { items } = await store.projects.list([organization.id], { limit: Number.MAX_SAFE_INTEGER, offset: 0 });
    return items;
  };
  for (const project of await projectsIn(deps.metadata)) await deps.removeEvents(project.id);
  const projects = await deps.metadata.transaction(async (store) => {
    const left = await projectsIn(store);
    await store.organizations.delete(organization.id);
    for (const { id } of left) await store.projects.recordDeleted(id, deps.clock.now());
    return left;
  });
  deps.directory.invalidate();
  // Events that came meanwhile. Those still in the ingest log are removed by data retention.
  for (const project of projects) await deps.removeEvents(project.id);
}

interface NewMember {
  email: string;
  firstName: string;
  password: string | undefined;
  level: MembershipLevel;
}

export interface OrganizationMember {
  membership: Membership;
  user: User;
}

/** Creates an account with the password, unless the email address has one. */
export async function addMember(
  deps: OrganizationDeps,
  caller: Caller,
  organization: Organization,
  member: NewMember,
): Promise<OrganizationMember> {
  refuseLevelAboveOwn(caller, organization.id, member.level);
  const passwordHash = member.password === undefined ? null : await hashPassword(checkedPassword(member.password));
  return deps.metadata.transaction(async (store) => {
    const existing = await store.users.getByEmail(member.email);
    if (!existing && passwordHash === null) throw invalid('password', 'This field is required.', 'required');
    const user = existing ?? (await store.users.create(newUser(deps, member, passwordHash, organization.id)));
    if (await store.memberships.get(organization.id, user.id)) {
      throw invalid('email', 'This user is already a member of the organization.', 'unique');
    }
    const membership = newMembership(deps, organization.id, user.id, member.level);
    await store.memberships.create(membership);
    await recordActivity(deps, store, {
      ...memberActivity(organization, caller, user),
      activity: 'created',
      changes: null,
    });
    return { membership, user };
  });
}

export async function changeMemberLevel(
  deps: OrganizationDeps,
  caller: Caller,
  organization: Organization,
  userUuid: string,
  level: MembershipLevel,
): Promise<OrganizationMember> {
  return deps.metadata.transaction(async (store) => {
    const { membership, user } = await getMember(store, organization.id, userUuid);
    refuseLevelAboveOwn(caller, organization.id, Math.max(level, membership.level) as MembershipLevel);
    if (membership.level === OWNER && level !== OWNER) await requireAnotherOwner(store, organization.id);
    const updatedAt = deps.clock.now();
    await store.memberships.setLevel(membership.id, level, updatedAt);
    const changes = changesBetween('OrganizationMembership', { level: membership.level }, { level });
    await recordActivity(deps, store, { ...memberActivity(organization, caller, user), activity: 'updated', changes });
    return { membership: { ...membership, level, updatedAt }, user };
  });
}

/** Admins can remove members; everybody can leave. */
export async function removeMember(
  deps: OrganizationDeps,
  caller: Caller,
  organization: Organization,
  userUuid: string,
): Promise<void> {
  await deps.metadata.transaction(async (store) => {
    const { membership, user } = await getMember(store, organization.id, userUuid);
    if (user.id !== caller.user.id) {
      requireLevel(caller, organization.id, ADMIN);
      refuseLevelAboveOwn(caller, organization.id, membership.level);
    }
    if (membership.level === OWNER) await requireAnotherOwner(store, organization.id);
    await store.memberships.delete(membership.id);
    await recordActivity(deps, store, {
      ...memberActivity(organization, caller, user),
      activity: 'deleted',
      changes: null,
    });
  });
}

async function getMember(store: MetadataStore, organizationId: string, userUuid: string): Promise<OrganizationMember> {
  const user = await store.users.getByUuid(userUuid);
  const membership = user && (await store.memberships.get(organizationId, user.id));
  if (!membership) throw notFound();
  return { membership, user };
}

/** Nobody can grant or revoke a level above their own. */
function refuseLevelAboveOwn(caller: Caller, organizationId: string, level: MembershipLevel): void {
  if (level > (levelIn(caller, organizationId) ?? 0)) {
    throw forbidden('You can only grant, change or remove levels up to your own.');
  }
}

async function requireAnotherOwner(store: MetadataStore, organizationId: string): Promise<void> {
  if ((await store.memberships.countOwners(organizationId)) > 1) return;
  throw new Failure('forbidden', 'An organization needs an owner: make somebody else an owner first.');
}

const newMembership = (
  { clock, ids }: OrganizationDeps,
  organizationId: string,
  userId: number,
  level: MembershipLevel,
): Membership => ({ id: ids.uuid(), organizationId, userId, level, joinedAt: clock.now(), updatedAt: clock.now() });

const newUser = (
  { clock, ids }: OrganizationDeps,
  member: NewMember,
  passwordHash: string | null,
  organizationId: string,
): Omit<User, 'id'> => ({
  uuid: ids.uuid(),
  distinctId: ids.token(''),
  email: member.email.toLowerCase(),
  firstName: member.firstName,
  passwordHash,
  isActive: true,
  currentOrganizationId: organizationId,
  currentProjectId: null,
  joinedAt: clock.now(),
});

/** A readable name for URLs, with a random suffix if it is taken. */
async function availableSlug(store: MetadataStore, name: string, ids: Ids): Promise<string> {
  const slug =
    name
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, '-')
      .replace(/^-+|-+$/g, '')
      .slice(0, 40) || 'organization';
  return (await store.organizations.getBySlug(slug)) ? `${slug}-${ids.uuid().slice(0, 8)}` : slug;
}

const organizationActivity = (organization: Organization, caller: Caller) => ({
  organizationId: organization.id,
  projectId: null,
  userId: caller.user.id,
  scope: 'Organization',
  itemId: organization.id,
  name: organization.name,
});

const memberActivity = (organization: Organization, caller: Caller, user: User) => ({
  ...organizationActivity(organization, caller),
  scope: 'OrganizationMembership',
  itemId: user.uuid,
  name: user.email,
});
