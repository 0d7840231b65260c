import { Type } from '@sinclair/typebox';
import { DateTime, iso, nullable, Uuid } from '../../../http/schemas/common.ts';
import type { Membership, MembershipLevel, Organization, Project, User } from '../../../stores/metadata/accounts.ts';
import { OrganizationSchema, presentOrganization } from './organization-schemas.ts';
import { ProjectBasicSchema, presentProjectBasic } from './project-schemas.ts';

export const UserSchema = Type.Object({
  id: Type.Integer(),
  date_joined: DateTime,
  uuid: Uuid,
  distinct_id: Type.String(),
  first_name: Type.String(),
  email: Type.String(),
  email_opt_in: Type.Boolean(),
  notification_settings: Type.Record(Type.String(), Type.Unknown()),
  anonymize_data: Type.Boolean(),
  toolbar_mode: nullable(Type.String()),
  has_password: Type.Boolean(),
  is_staff: Type.Boolean(),
  is_impersonated: Type.Boolean(),
  team: nullable(ProjectBasicSchema),
  organization: nullable(OrganizationSchema),
  organizations: Type.Array(
    Type.Object({ id: Uuid, name: Type.String(), slug: Type.String(), membership_level: nullable(Type.Integer()) }),
  ),
  events_column_config: Type.Record(Type.String(), Type.Unknown()),
});

export const UserChangeSchema = Type.Partial(
  Type.Object({
    first_name: Type.String({ maxLength: 150 }),
    email: Type.String({ format: 'email', minLength: 1, maxLength: 254 }),
    password: Type.String({ minLength: 1, maxLength: 1000, keepSpaces: true }),
    current_password: Type.String({ minLength: 1, maxLength: 1000, keepSpaces: true }),
    set_current_team: Type.Integer(),
    set_current_organization: Type.String({ format: 'uuid' }),
  }),
);

interface UserView {
  user: User;
  project: Project | null;
  organization: Organization | null;
  organizations: readonly Organization[];
  /** Projects of the current organization. */
  projects: readonly Project[];
  memberships: readonly Membership[];
}

export function presentUser(view: UserView) {
  const { user, project, organization } = view;
  const levelOf = (id: string): MembershipLevel | null =>
    view.memberships.find((membership) => membership.organizationId === id)?.level ?? null;
  return {
    id: user.id,
    date_joined: iso(user.joinedAt),
    uuid: user.uuid,
    distinct_id: user.distinctId,
    first_name: user.firstName,
    email: user.email,
    email_opt_in: false,
    notification_settings: {},
    anonymize_data: false,
    toolbar_mode: null,
    has_password: user.passwordHash !== null,
    is_staff: false,
    is_impersonated: false,
    team: project ? presentProjectBasic(project) : null,
    organization: organization ? presentOrganization(organization, levelOf(organization.id), view.projects) : null,
    organizations: view.organizations.map(({ id, name, slug }) => ({ id, name, slug, membership_level: levelOf(id) })),
    events_column_config: { active: 'DEFAULT' },
  };
}
