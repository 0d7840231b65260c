import { Type } from '@sinclair/typebox';
import { AnyObject, DateTime, iso, isoOrNull, nullable, pageSchema } from '../../../http/schemas/common.ts';
import type { User } from '../../../stores/metadata/accounts.ts';
import type { SharedPart } from '../web-shares.ts';

const Filters = Type.Array(AnyObject, {
  description: 'As in questions about the site; all must hold. Visitors cannot leave them.',
  examples: [[{ key: 'path', operator: 'icontains', value: '/blog' }]],
});
const Name = Type.String({ minLength: 1, maxLength: 200, examples: ['Blog, for the agency'] });

export const WebShareSchema = Type.Object({
  id: Type.Integer(),
  name: Type.String(),
  filters: Filters,
  url: Type.String({ description: 'Opens the page; below this server’s address.' }),
  access_token: Type.String(),
  enabled: Type.Boolean(),
  password_required: Type.Boolean(),
  expires_at: nullable(DateTime),
  views_30d: Type.Integer({ description: 'How often the link was opened in the last 30 days.' }),
  created_at: DateTime,
  created_by_email: nullable(Type.String()),
});

export const WebShareListSchema = pageSchema(WebShareSchema);

export const WebShareCreateSchema = Type.Object({
  name: Name,
  filters: Type.Optional(Filters),
  password: Type.Optional(
    nullable(
      Type.String({
        minLength: 8,
        maxLength: 200,
        keepSpaces: true,
        description: 'Asked of whoever opens the link; none by default.',
        examples: ['correct horse battery'],
      }),
    ),
  ),
});

export const WebShareChangeSchema = Type.Partial(Type.Object({ name: Name, filters: Filters }));

export const presentWebShare = ({ part, share }: SharedPart, users: ReadonlyMap<number, User>, views: number) => ({
  id: part.id,
  name: part.name,
  filters: part.filters as Record<string, unknown>[],
  url: `/shared/${share.token}`,
  access_token: share.token,
  enabled: share.enabled,
  password_required: share.passwordRequired,
  expires_at: isoOrNull(share.expiresAt),
  views_30d: views,
  created_at: iso(part.createdAt),
  created_by_email: part.createdBy === null ? null : (users.get(part.createdBy)?.email ?? null),
});
