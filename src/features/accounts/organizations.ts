/** Organizations. */

import { type Caller, requireSession } from '../../access/callers.ts';
import { changesBetween, recordActivity } from '../../access/record-activity.ts';
import { recordAudit } from '../../access/record-audit.ts';
import { invalid } from '../../core/errors.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Ids } from '../../lib/ids.ts';
import { type Organization, OWNER, type Project } from '../../stores/metadata/accounts.ts';
import type { MetadataStore } from '../../stores/metadata/metadata-store.ts';
import { newMembership } from './members.ts';
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
      requiresFactor: false,
      allowsSharing: true,
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

export async function updateOrganization(
  deps: OrganizationDeps,
  caller: Caller,
  organization: Organization,
  given: { name?: string | undefined; requiresFactor?: boolean | undefined; allowsSharing?: boolean | undefined },
): Promise<Organization> {
  const {
    name = organization.name,
    requiresFactor = organization.requiresFactor,
    allowsSharing = organization.allowsSharing,
  } = given;
  if (requiresFactor !== organization.requiresFactor) requireOwnFactor(caller);
  const changed = { name, requiresFactor, allowsSharing, updatedAt: deps.clock.now() };
  const after = { ...organization, ...changed };
  await deps.metadata.transaction(async (store) => {
    await store.organizations.update(organization.id, changed);
    const changes = changesBetween('Organization', shown(organization), shown(after));
    await recordActivity(deps, store, { ...organizationActivity(after, caller), activity: 'updated', changes });
  });
  return after;
}

const shown = ({ name, requiresFactor, allowsSharing }: Organization) => ({
  name,
  enforce_2fa: requiresFactor,
  allow_publicly_shared_resources: allowsSharing,
});

/** Whoever requires a factor must have one: otherwise they would lock themselves out first. */
function requireOwnFactor(caller: Caller): void {
  requireSession(caller);
  if (caller.session?.hasFactor) return;
  throw invalid('enforce_2fa', 'Set up a second factor of your own first, or sign in with it.', 'own_factor_needed');
}

/** Deletes events first: if the event store is unavailable, nothing has happened and the request can be repeated. */
export async function deleteOrganization(
  deps: OrganizationDeps,
  caller: Caller,
  organization: Organization,
): Promise<void> {
  const projectsIn = async (store: MetadataStore): Promise<Project[]> => {
    const { items } = await store.projects.list([organization.id], { limit: Number.MAX_SAFE_INTEGER, offset: 0 });
    return items;
  };
  for (const project of await projectsIn(deps.metadata)) await deps.removeEvents(project.id);
  const projects = await deps.metadata.transaction(async (store) => {
    const left = await projectsIn(store);
    await store.organizations.delete(organization.id);
    const record = { ...organizationActivity(organization, caller), activity: 'deleted', changes: null };
    await recordAudit(deps, store, record);
    for (const { id } of left) await store.projects.recordDeleted(id, deps.clock.now());
    return left;
  });
  deps.directory.invalidate();
  // Events that came meanwhile. Those still in the ingest log are removed by data retention.
  for (const project of projects) await deps.removeEvents(project.id);
}

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
