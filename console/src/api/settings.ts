/** The settings of a project, of an organization, and of oneself. */
import type { Static } from '@sinclair/typebox';
import type { MemberSchema } from '../../../src/features/accounts/api/organization-schemas.ts';
import type {
  NewPersonalKeySchema,
  PersonalKeySchema,
} from '../../../src/features/accounts/api/personal-key-schemas.ts';
import type { ProjectWithSecretSchema } from '../../../src/features/accounts/api/project-schemas.ts';
import type {
  ResourceAccessSchema,
  RoleMembershipSchema,
  RoleSchema,
} from '../../../src/features/accounts/api/role-schemas.ts';
import type { UserChangeSchema } from '../../../src/features/accounts/api/user-schemas.ts';
import { get, patch, post, projectPath, remove } from './request.ts';
import type { Page, Project, User } from './types.ts';

export const readProject = (id: number, signal?: AbortSignal): Promise<Project> =>
  get<Project>(projectPath(id), undefined, signal);
export const resetToken = (id: number): Promise<Project> => patch<Project>(projectPath(id, 'reset_token'), {});
export const rotateSecret = (id: number): Promise<Static<typeof ProjectWithSecretSchema>> =>
  patch(projectPath(id, 'rotate_secret_token'), {});
export const deleteProject = (id: number): Promise<void> => remove(projectPath(id));

export type PersonalKey = Static<typeof PersonalKeySchema>;
export type NewPersonalKey = Static<typeof NewPersonalKeySchema>;
export const listKeys = (signal?: AbortSignal): Promise<PersonalKey[]> =>
  get<PersonalKey[]>('/api/personal_api_keys/', undefined, signal);
export const createKey = (label: string): Promise<NewPersonalKey> =>
  post<NewPersonalKey>('/api/personal_api_keys/', { label });
export const deleteKey = (id: string): Promise<void> => remove(`/api/personal_api_keys/${encodeURIComponent(id)}/`);
export const changeMe = (body: Static<typeof UserChangeSchema>): Promise<User> => patch<User>('/api/users/@me/', body);

/** What members of an organization may do; the numbers are the wire's. */
export const LEVELS = [
  { value: '1', label: 'Member' },
  { value: '8', label: 'Admin' },
  { value: '15', label: 'Owner' },
];
export const ADMIN = 8;

export type Member = Static<typeof MemberSchema>;
const organization = (id: string, ...parts: string[]): string =>
  `/api/organizations/${[id, ...parts].map(encodeURIComponent).join('/')}/`;
export const listMembers = async (organizationId: string, signal?: AbortSignal): Promise<Member[]> =>
  (await get<Page<Member>>(organization(organizationId, 'members'), { limit: 1000 }, signal)).results;
export const addMember = (
  organizationId: string,
  body: { email: string; first_name?: string; password?: string; level: number },
): Promise<Member> => post<Member>(organization(organizationId, 'members'), body);
export const changeLevel = (organizationId: string, userUuid: string, level: number): Promise<Member> =>
  patch<Member>(organization(organizationId, 'members', userUuid), { level });
export const removeMember = (organizationId: string, userUuid: string): Promise<void> =>
  remove(organization(organizationId, 'members', userUuid));

export type Role = Static<typeof RoleSchema>;
export type RoleMember = Static<typeof RoleMembershipSchema>;
/** The level of a role: whether it may edit any flag, or only those that name it. */
export const CAN_EDIT = 37;
export const CAN_VIEW = 21;
export type FlagDefault = Static<typeof ResourceAccessSchema>;
const FLAGS = 'feature flags';
/** What members may do with flags unless a role says more; null where nobody has said it, which means they may edit. */
export const readFlagDefault = async (organizationId: string, signal?: AbortSignal): Promise<FlagDefault | null> => {
  const path = organization(organizationId, 'resource_access');
  const { results } = await get<Page<FlagDefault>>(path, { limit: 100 }, signal);
  return results.find(({ resource }) => resource === FLAGS) ?? null;
};
export const setFlagDefault = (
  organizationId: string,
  known: FlagDefault | null,
  level: number,
): Promise<FlagDefault> =>
  known
    ? patch<FlagDefault>(organization(organizationId, 'resource_access', known.id), { access_level: level })
    : post<FlagDefault>(organization(organizationId, 'resource_access'), { resource: FLAGS, access_level: level });
export const listRoles = async (organizationId: string, signal?: AbortSignal): Promise<Role[]> =>
  (await get<Page<Role>>(organization(organizationId, 'roles'), { limit: 1000 }, signal)).results;
export const createRole = (organizationId: string, name: string): Promise<Role> =>
  post<Role>(organization(organizationId, 'roles'), { name });
export const changeRole = (organizationId: string, id: string, body: Partial<Role>): Promise<Role> =>
  patch<Role>(organization(organizationId, 'roles', id), body);
export const deleteRole = (organizationId: string, id: string): Promise<void> =>
  remove(organization(organizationId, 'roles', id));
export const listRoleMembers = async (
  organizationId: string,
  id: string,
  signal?: AbortSignal,
): Promise<RoleMember[]> =>
  (await get<Page<RoleMember>>(organization(organizationId, 'roles', id, 'role_memberships'), { limit: 1000 }, signal))
    .results;
export const giveRole = (organizationId: string, id: string, userUuid: string): Promise<RoleMember> =>
  post<RoleMember>(organization(organizationId, 'roles', id, 'role_memberships'), { user_uuid: userUuid });
export const takeRole = (organizationId: string, id: string, membershipId: string): Promise<void> =>
  remove(organization(organizationId, 'roles', id, 'role_memberships', membershipId));
