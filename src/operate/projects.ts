import * as manage from '../features/accounts/projects.ts';
import type { Project } from '../stores/metadata/accounts.ts';
import { chosenOrganization, chosenProject, ownerOf } from './lookups.ts';
import type { Operation } from './operation.ts';

interface ProjectRow {
  id: number;
  name: string;
  key: string;
  organization: string;
  organization_name: string;
  timezone: string;
  created_at: number;
}

const present = (project: Project, organizationName: string): ProjectRow => ({
  id: project.id,
  name: project.name,
  key: project.apiToken,
  organization: project.organizationId,
  organization_name: organizationName,
  timezone: project.timezone,
  created_at: project.createdAt,
});

export const listProjects: Operation<object, ProjectRow[]> = async ({ metadata }) => {
  const projects = await metadata.projects.listAll();
  return Promise.all(
    projects.map(async (project) =>
      present(project, (await metadata.organizations.get(project.organizationId))?.name ?? ''),
    ),
  );
};

/** The one with this id; without one, the only one there is. */
export const findProject: Operation<{ id: number | null }, { id: number; name: string }> = async (
  { metadata },
  { id },
) => {
  const project = await chosenProject(metadata, id);
  return { id: project.id, name: project.name };
};

interface NewProject {
  name: string;
  organization: string | null;
  timezone: string | null;
}

export const createProjectAsOwner: Operation<NewProject, ProjectRow> = async (
  deps,
  { name, organization, timezone },
) => {
  const { id, name: organizationName } = await chosenOrganization(deps.metadata, organization);
  const owner = await ownerOf(deps.metadata, id);
  const caller = { ...owner, user: { ...owner.user, currentOrganizationId: id } };
  const project = await manage.createProject(deps, caller, { name, ...(timezone !== null && { timezone }) });
  return present(project, organizationName);
};

/** The old key stops working at once. */
export const resetProjectKey: Operation<{ id: number }, { key: string }> = async (deps, { id }) => {
  const { organizationId } = await chosenProject(deps.metadata, id);
  const project = await manage.resetToken(deps, await ownerOf(deps.metadata, organizationId), id);
  return { key: project.apiToken };
};

export const deleteProjectAsOwner: Operation<{ id: number }, { name: string }> = async (deps, { id }) => {
  const { organizationId, name } = await chosenProject(deps.metadata, id);
  await manage.deleteProject(deps, await ownerOf(deps.metadata, organizationId), id);
  return { name };
};
