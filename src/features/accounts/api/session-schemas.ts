import { Type } from '@sinclair/typebox';
import { DateTime, iso, nullable, UserSummarySchema } from '../../../http/schemas/common.ts';
import type { Session } from '../../../stores/metadata/accounts.ts';

const Email = Type.String({ format: 'email', minLength: 1, maxLength: 254 });
const Password = Type.String({ minLength: 1, maxLength: 1000, keepSpaces: true });

export const SignInSchema = Type.Object({
  email: Email,
  password: Password,
  local: Type.Optional(
    Type.Boolean({ description: 'Past the provider of single sign-on, for break-glass owners with a second factor.' }),
  ),
});

export const PrecheckSchema = Type.Object({ email: Email });

export const PrecheckAnswerSchema = Type.Object({
  sso_enforcement: nullable(Type.String({ description: '`oidc` where the domain requires it.' })),
  saml_available: Type.Boolean(),
  webauthn_credentials: Type.Array(Type.Unknown()),
});

export const PendingLinkSchema = Type.Object({
  email: Type.String({ description: 'Of the account.' }),
  provider: Type.String(),
  needs_code: Type.Boolean({ description: 'Whether a code of a second factor is needed, besides the password.' }),
});

export const LinkSchema = Type.Object({
  password: Password,
  token: Type.Optional(Type.String({ minLength: 1, maxLength: 100 })),
});

export const LinkedSchema = Type.Object({ success: Type.Boolean(), next: Type.String() });

export const SignedOutSchema = Type.Object({
  redirect: Type.String({ description: 'Where to sign out of the provider, too.' }),
});

export const SetUpSchema = Type.Object({
  token: Type.String({ minLength: 1 }),
  email: Email,
  password: Password,
  first_name: Type.Optional(Type.String({ maxLength: 150 })),
});

export const SignedInSchema = Type.Object({ success: Type.Boolean(), user: UserSummarySchema });

export const SignInOptionsSchema = Type.Object({
  password_reset: Type.Boolean({ description: 'Whether a link for a new password can be mailed.' }),
  sso: nullable(Type.Object({ name: Type.String(), url: Type.String() })),
});

export const ResetRequestSchema = Type.Object({ email: Email });

export const NewPasswordSchema = Type.Object({
  token: Type.String({ minLength: 1, maxLength: 200 }),
  password: Password,
});

export const OpenSessionsSchema = Type.Array(
  Type.Object({
    id: Type.String(),
    created_at: DateTime,
    last_seen_at: DateTime,
    expires_at: DateTime,
    ip: Type.String({ description: 'Shortened.' }),
    user_agent: Type.String(),
    method: Type.String({ description: '`password`, `oidc`, `passkey` or `setup`' }),
    is_current: Type.Boolean(),
  }),
);

export const presentOpenSession = (session: Session, currentHash: string | undefined) => ({
  id: session.id,
  created_at: iso(session.createdAt),
  last_seen_at: iso(session.lastSeenAt),
  expires_at: iso(session.expiresAt),
  ip: session.address,
  user_agent: session.userAgent,
  method: session.method,
  is_current: session.hash === currentHash,
});
