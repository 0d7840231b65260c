/** Members and roles of an organization. */

import type { Static } from '@sinclair/typebox';
import type { DomainChangeSchema, DomainSchema } from '../../../src/features/accounts/api/domain-schemas.ts';
import type {
  InviteSchema,
  InviteWriteSchema,
  NewInviteSchema,
} from '../../../src/features/accounts/api/invite-schemas.ts';
import type { MemberSchema } from '../../../src/features/accounts/api/organization-schemas.ts';
import type {
  ResourceAccessSchema,
  RoleMembershipSchema,
  RoleSchema,
} from '../../../src/features/accounts/api/role-schemas.ts';
import type { OpenSession } from './accounts.ts';
import { get, type Paged, patch, post, remove } from './request.ts';

/** Membership levels, with the numbers that the API uses. */
export const LEVELS = [
  { value: '1', label: 'Member' },
  { value: '8', label: 'Admin' },
  { value: '15', label: 'Owner' },
];
export const ADMIN = 8;

export type Domain = Static<typeof DomainSchema>;
export type Member = Static<typeof MemberSchema>;
export type Invite = Static<typeof InviteSchema>;
export type NewInvite = Static<typeof NewInviteSchema>;
export type Role = Static<typeof RoleSchema>;
type RoleMember = Static<typeof RoleMembershipSchema>;

const ALL = { limit: 1000 };
const pathOf = (id: string, ...parts: string[]): string =>
  `/api/organizations/${[id, ...parts].map(encodeURIComponent).join('/')}/`;

export const requireFactor = (organizationId: string, isRequired: boolean): Promise<void> =>
  patch(pathOf(organizationId), { enforce_2fa: isRequired });

export const allowSharing = (organizationId: string, isAllowed: boolean): Promise<void> =>
  patch(pathOf(organizationId), { allow_publicly_shared_resources: isAllowed });

const domainPath = (organizationId: string, id: string, ...more: string[]): string =>
  pathOf(organizationId, 'domains', id, ...more);
export const listDomains = async (organizationId: string, signal?: AbortSignal): Promise<Domain[]> =>
  (await get<Paged<Domain>>(pathOf(organizationId, 'domains'), ALL, signal)).results;
export const addDomain = (organizationId: string, domain: string): Promise<Domain> =>
  post<Domain>(pathOf(organizationId, 'domains'), { domain });
export const verifyDomain = (organizationId: string, id: string): Promise<Domain> =>
  post<Domain>(domainPath(organizationId, id, 'verify'));
export const updateDomain = (
  organizationId: string,
  id: string,
  body: Static<typeof DomainChangeSchema>,
): Promise<Domain> => patch<Domain>(domainPath(organizationId, id), body);
export const removeDomain = (organizationId: string, id: string): Promise<void> =>
  remove(domainPath(organizationId, id));

export const listMembers = async (organizationId: string, signal?: AbortSignal): Promise<Member[]> =>
  (await get<Paged<Member>>(pathOf(organizationId, 'members'), ALL, signal)).results;
export const updateMember = (organizationId: string, userUuid: string, level: number): Promise<Member> =>
  patch<Member>(pathOf(organizationId, 'members', userUuid), { level });
export const removeMember = (organizationId: string, userUuid: string): Promise<void> =>
  remove(pathOf(organizationId, 'members', userUuid));

const memberSessions = (organizationId: string, userUuid: string): string =>
  `/api/organizations/${organizationId}/members/${userUuid}/sessions/`;
export const listMemberSessions = (
  organizationId: string,
  userUuid: string,
  signal?: AbortSignal,
): Promise<OpenSession[]> => get<OpenSession[]>(memberSessions(organizationId, userUuid), undefined, signal);
export const endMemberSession = (organizationId: string, userUuid: string, id: string): Promise<void> =>
  remove(`${memberSessions(organizationId, userUuid)}${encodeURIComponent(id)}/`);

export const listInvites = async (organizationId: string, signal?: AbortSignal): Promise<Invite[]> =>
  (await get<Paged<Invite>>(pathOf(organizationId, 'invites'), ALL, signal)).results;
export const createInvite = (organizationId: string, body: Static<typeof InviteWriteSchema>): Promise<NewInvite> =>
  post<NewInvite>(pathOf(organizationId, 'invites'), body);
export const deleteInvite = (organizationId: string, id: string): Promise<void> =>
  remove(pathOf(organizationId, 'invites', id));

/** Access levels of a role: every flag, or only the flags that list the role. */
export const CAN_EDIT = 37;
export const CAN_VIEW = 21;

type FlagDefault = Static<typeof ResourceAccessSchema>;
const FLAGS = 'feature flags';
/** What members may do with flags unless a role grants more. Null means the default: they may edit. */
export const getFlagDefault = async (organizationId: string, signal?: AbortSignal): Promise<FlagDefault | null> => {
  const { results } = await get<Paged<FlagDefault>>(pathOf(organizationId, 'resource_access'), { limit: 100 }, signal);
  return results.find(({ resource }) => resource === FLAGS) ?? null;
};
export const setFlagDefault = (
  organizationId: string,
  current: FlagDefault | null,
  level: number,
): Promise<FlagDefault> =>
  current
    ? patch<FlagDefault>(pathOf(organizationId, 'resource_access', current.id), { access_level: level })
    : post<FlagDefault>(pathOf(organizationId, 'resource_access'), { resource: FLAGS, access_level: level });

export const listRoles = async (organizationId: string, signal?: AbortSignal): Promise<Role[]> =>
  (await get<Paged<Role>>(pathOf(organizationId, 'roles'), ALL, signal)).results;
export const createRole = (organizationId: string, name: string): Promise<Role> =>
  post<Role>(pathOf(organizationId, 'roles'), { name });
export const updateRole = (organizationId: string, id: string, body: Partial<Role>): Promise<Role> =>
  patch<Role>(pathOf(organizationId, 'roles', id), body);
export const deleteRole = (organizationId: string, id: string): Promise<void> =>
  remove(pathOf(organizationId, 'roles', id));
export const listRoleMembers = async (
  organizationId: string,
  id: string,
  signal?: AbortSignal,
): Promise<RoleMember[]> =>
  (await get<Paged<RoleMember>>(pathOf(organizationId, 'roles', id, 'role_memberships'), ALL, signal)).results;
export const addRoleMember = (organizationId: string, id: string, userUuid: string): Promise<RoleMember> =>
  post<RoleMember>(pathOf(organizationId, 'roles', id, 'role_memberships'), { user_uuid: userUuid });
export const removeRoleMember = (organizationId: string, id: string, membershipId: string): Promise<void> =>
  remove(pathOf(organizationId, 'roles', id, 'role_memberships', membershipId));
