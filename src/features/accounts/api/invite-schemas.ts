import { Type } from '@sinclair/typebox';
import { DateTime, iso, nullable, presentUserOrNull, UserSummarySchema, Uuid } from '../../../http/schemas/common.ts';
import type { Invite, Organization, User } from '../../../stores/metadata/accounts.ts';

export const InviteSchema = Type.Object({
  id: Uuid,
  target_email: Type.String(),
  first_name: Type.String(),
  emailing_attempt_made: Type.Boolean({ description: 'Whether the link was mailed; it may not have arrived.' }),
  level: Type.Integer({ description: '1 member, 8 admin, 15 owner' }),
  is_expired: Type.Boolean(),
  created_by: nullable(UserSummarySchema),
  created_at: DateTime,
  updated_at: DateTime,
  message: nullable(Type.String()),
  private_project_access: Type.Array(Type.Unknown(), {
    description: 'Always empty: members of an organization see all of its projects.',
  }),
});

export const NewInviteSchema = Type.Object({
  ...InviteSchema.properties,
  link: Type.String({ description: 'For the invited person. It is shown only once.' }),
});

export const InviteWriteSchema = Type.Object({
  target_email: Type.String({ format: 'email', minLength: 1, maxLength: 254 }),
  first_name: Type.Optional(Type.String({ maxLength: 150 })),
  level: Type.Optional(Type.Union([Type.Literal(1), Type.Literal(8), Type.Literal(15)])),
  message: Type.Optional(nullable(Type.String({ maxLength: 1000 }))),
  send_email: Type.Optional(Type.Boolean({ description: 'False: the link is only returned. Default true.' })),
});

export const InvitesWriteSchema = Type.Array(InviteWriteSchema, { minItems: 1, maxItems: 20 });

export const presentInvite = (invite: Invite, users: ReadonlyMap<number, User>, now: number) => ({
  id: invite.id,
  target_email: invite.email,
  first_name: invite.firstName,
  emailing_attempt_made: invite.emailingAttemptMade,
  level: invite.level,
  is_expired: invite.expiresAt <= now,
  created_by: presentUserOrNull(users, invite.createdBy),
  created_at: iso(invite.createdAt),
  updated_at: iso(invite.createdAt),
  message: invite.message,
  private_project_access: [],
});

/** What the link shows to whoever opens it. */
export const SignUpPreviewSchema = Type.Object({
  id: Uuid,
  target_email: Type.String({ description: 'Shortened.' }),
  first_name: Type.String(),
  organization_name: Type.String(),
  is_signed_in: Type.Boolean({ description: 'Whether the session belongs to the invited address.' }),
});

export const SignUpSchema = Type.Object({
  token: Type.String({ minLength: 1, maxLength: 200 }),
  first_name: Type.Optional(Type.String({ maxLength: 150 })),
  password: Type.Optional(Type.String({ minLength: 1, maxLength: 1000, keepSpaces: true })),
});

export const presentSignUp = (invite: Invite, organization: Organization, isSignedIn: boolean) => ({
  id: invite.id,
  target_email: shortenEmail(invite.email),
  first_name: invite.firstName,
  organization_name: organization.name,
  is_signed_in: isSignedIn,
});

/** ada@example.org → a***@example.org */
const shortenEmail = (email: string): string => email.replace(/^(.)[^@]*/u, '$1***');
