/** Finds users, projects and organizations for operators, with errors that help. */

import type { Caller } from '../access/callers.ts';
import { Failure, invalid } from '../core/errors.ts';
import { type Organization, OWNER, type Project, type User } from '../stores/metadata/accounts.ts';
import type { MetadataStore } from '../stores/metadata/metadata-store.ts';

/** Operators act as an owner of the organization, who is then named in the activity log. */
export async function ownerOf(metadata: MetadataStore, organizationId: string): Promise<Caller> {
  const { items } = await metadata.memberships.list(organizationId, { limit: 1000, offset: 0 });
  const owners = items.filter(({ level }) => level === OWNER).map(({ userId }) => userId);
  const [user] = await metadata.users.listByIds(owners);
  if (!user) throw new Failure('not_found', 'The organization has no owner.');
  return { user, memberships: await metadata.memberships.listByUser(user.id), via: 'personal_key' };
}

export async function userByEmail(metadata: MetadataStore, email: string): Promise<User> {
  const user = await metadata.users.getByEmail(email.toLowerCase());
  if (!user) throw new Failure('not_found', `There is no user ${email}. See: cairn users list`);
  return user;
}

/** The one with this id, or the only one there is. */
export async function chosenProject(metadata: MetadataStore, id: number | null): Promise<Project> {
  const all = await metadata.projects.listAll();
  if (id === null) {
    if (all.length > 1) throw invalid('project', 'There are several projects: choose one with --project ID.');
    if (all[0]) return all[0];
  }
  const project = all.find((one) => one.id === id);
  if (!project) throw new Failure('not_found', `There is no project ${id ?? ''}. See: cairn projects list`);
  return project;
}

export async function chosenOrganization(metadata: MetadataStore, id: string | null): Promise<Organization> {
  const ids = [...new Set((await metadata.projects.listAll()).map((project) => project.organizationId))];
  if (id === null && ids.length > 1) {
    throw invalid('organization', 'There are several organizations: choose one with --organization ID.');
  }
  const found = await metadata.organizations.get(id ?? ids[0] ?? '');
  if (!found) throw new Failure('not_found', `There is no organization ${id ?? ''}. See: cairn projects list`);
  return found;
}
