import { Type } from '@sinclair/typebox';
import { DateTime, iso, isoOrNull, nullable } from '../../../http/schemas/common.ts';
import type { User } from '../../../stores/metadata/accounts.ts';
import { readShareSettings, THEMES } from '../rules/share-settings.ts';
import type { Share, SharePassword } from '../store/share-store.ts';

const Settings = Type.Object({
  noHeader: Type.Boolean({ description: 'Without name, description and logo.' }),
  showInspector: Type.Boolean(),
  legend: Type.Boolean(),
  detailed: Type.Boolean({ description: 'With the table of numbers below a chart.' }),
  theme: Type.Union(THEMES.map((theme) => Type.Literal(theme))),
  hideExtraDetails: Type.Boolean({ description: 'Without descriptions, dates and when it was computed.' }),
  allowDates: Type.Boolean({ description: 'Visitors may choose other dates from a list.' }),
  allowFilters: Type.Boolean({ description: 'Visitors of a site’s overview may filter it further.' }),
  showAnnotations: Type.Boolean({ description: 'With the annotations of the project.' }),
});

const SharePasswordSchema = Type.Object({
  id: Type.Integer(),
  note: nullable(Type.String()),
  created_at: DateTime,
  created_by_email: nullable(Type.String()),
});

export const ShareSchema = Type.Object({
  created_at: nullable(DateTime),
  enabled: Type.Boolean(),
  access_token: nullable(Type.String({ description: 'Opens /shared/TOKEN and /embedded/TOKEN; null: never shared.' })),
  password_required: Type.Boolean(),
  share_passwords: Type.Array(SharePasswordSchema),
  settings: Settings,
  expires_at: nullable(DateTime),
  allowed_origins: Type.Array(Type.String(), {
    description: 'Sites that may show /embedded/TOKEN in a frame; empty: all.',
  }),
  views_30d: Type.Integer({ description: 'How often the link was opened in the last 30 days.' }),
});

export const ShareChangeSchema = Type.Partial(
  Type.Object({
    enabled: Type.Boolean({ examples: [true] }),
    password_required: Type.Boolean({ examples: [false] }),
    settings: Type.Partial(Settings),
    expires_at: nullable(DateTime),
    allowed_origins: Type.Array(Type.String({ minLength: 1, maxLength: 300 }), { examples: [['https://example.org']] }),
  }),
);

export const PasswordCreateSchema = Type.Partial(
  Type.Object({
    raw_password: Type.String({ minLength: 8, maxLength: 200, keepSpaces: true, examples: ['correct horse battery'] }),
    note: nullable(Type.String({ maxLength: 200 })),
  }),
);

export const CreatedPasswordSchema = Type.Composite([
  SharePasswordSchema,
  Type.Object({ password: Type.String({ description: 'Shown once.' }) }),
]);

export const presentPassword = (
  { id, note, createdAt, createdBy }: SharePassword,
  users: ReadonlyMap<number, User>,
) => ({
  id,
  note,
  created_at: iso(createdAt),
  created_by_email: createdBy === null ? null : (users.get(createdBy)?.email ?? null),
});

export const presentShare = (
  share: Share | null,
  passwords: readonly ReturnType<typeof presentPassword>[],
  views: number,
) => ({
  created_at: isoOrNull(share?.createdAt ?? null),
  enabled: share?.enabled ?? false,
  access_token: share?.token ?? null,
  password_required: share?.passwordRequired ?? false,
  share_passwords: passwords,
  settings: readShareSettings(share?.settings ?? {}),
  expires_at: isoOrNull(share?.expiresAt ?? null),
  allowed_origins: share?.allowedOrigins ?? [],
  views_30d: views,
});
