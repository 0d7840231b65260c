import { type Static, Type } from '@sinclair/typebox';
import { invalid } from '../../../core/errors.ts';
import { ALL_SCOPES } from '../../../core/scopes.ts';
import { DateTime, iso, isoOrNull, nullable } from '../../../http/schemas/common.ts';
import type { PersonalKey } from '../../../stores/metadata/accounts.ts';
import type { KeyLimits } from '../rules/key-limits.ts';

export const PersonalKeySchema = Type.Object({
  id: Type.String(),
  label: Type.String(),
  mask_value: nullable(Type.String({ description: 'Its end, to tell it from others; null for older keys.' })),
  created_at: DateTime,
  last_used_at: nullable(DateTime),
  last_used_ip: nullable(Type.String({ description: 'The network from which it was last used.' })),
  last_rolled_at: nullable(DateTime),
  user_id: Type.Integer(),
  scopes: Type.Array(Type.String()),
  scoped_teams: Type.Array(Type.Integer(), { description: 'Only in these projects; empty: in all.' }),
  scoped_organizations: Type.Array(Type.String(), { description: 'Only in these organizations; empty: in all.' }),
  expires_at: nullable(DateTime),
});

export const NewPersonalKeySchema = Type.Object({
  ...PersonalKeySchema.properties,
  value: Type.String({ description: 'The key. It is shown only once.' }),
});

const Label = Type.String({ minLength: 1, maxLength: 40 });
const Scopes = Type.Array(Type.String(), {
  description: '`thing:read` or `thing:write`, as `x-required-scope` of the routes says; `*` for everything.',
  maxItems: 100,
  examples: [[ALL_SCOPES]],
});
const LIMITS = {
  scoped_teams: Type.Optional(
    nullable(Type.Array(Type.Integer(), { maxItems: 1000, description: 'Only in these projects.', examples: [[]] })),
  ),
  scoped_organizations: Type.Optional(
    nullable(Type.Array(Type.String(), { maxItems: 1000, description: 'Only in these organizations.' })),
  ),
  expires_at: Type.Optional(
    nullable(Type.String({ format: 'date-time', description: 'When it ends; null: never.', examples: [null] })),
  ),
};

export const PersonalKeyWriteSchema = Type.Object({ label: Label, scopes: Scopes, ...LIMITS });

export const PersonalKeyChangeSchema = Type.Object({
  label: Type.Optional(Label),
  scopes: Type.Optional(Scopes),
  ...LIMITS,
});

type KeyBody = Static<typeof PersonalKeyChangeSchema>;

/** Only what was sent. */
export function readLimits(body: KeyBody): Partial<KeyLimits> {
  return {
    ...(body.scopes === undefined ? {} : { scopes: body.scopes }),
    ...(body.scoped_teams === undefined ? {} : { projectIds: body.scoped_teams ?? [] }),
    ...(body.scoped_organizations === undefined ? {} : { organizationIds: lowerCase(body.scoped_organizations) }),
    ...(body.expires_at === undefined ? {} : { expiresAt: readEnd(body.expires_at) }),
  };
}

const lowerCase = (ids: readonly string[] | null): string[] => (ids ?? []).map((id) => id.toLowerCase());

function readEnd(text: string | null): number | null {
  if (text === null) return null;
  const end = Date.parse(text);
  if (Number.isNaN(end)) throw invalid('expires_at', 'This is no date: write it as 2026-12-31T00:00:00Z.');
  return end;
}

export const presentPersonalKey = (key: PersonalKey) => ({
  id: key.id,
  label: key.label,
  mask_value: key.mask,
  created_at: iso(key.createdAt),
  last_used_at: isoOrNull(key.lastUsedAt),
  last_used_ip: key.lastUsedFrom,
  last_rolled_at: isoOrNull(key.rolledAt),
  user_id: key.userId,
  scopes: key.scopes,
  scoped_teams: key.projectIds,
  scoped_organizations: key.organizationIds,
  expires_at: isoOrNull(key.expiresAt),
});
