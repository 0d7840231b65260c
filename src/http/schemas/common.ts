/** Schemas that several features share, and how values are presented. */
import { type TSchema, Type } from '@sinclair/typebox';
import { iso } from '../../core/time/iso.ts';
import type { User } from '../../stores/metadata/accounts.ts';

export { iso };

export const nullable = <S extends TSchema>(schema: S) => Type.Union([schema, Type.Null()]);

/** An object that clients read as they like. */
export const AnyObject = Type.Record(Type.String(), Type.Unknown());
export const DateTime = Type.String({ format: 'date-time' });
export const Uuid = Type.String({ format: 'uuid' });

export const isoOrNull = (ms: number | null): string | null => (ms === null ? null : iso(ms));

export const pageSchema = <S extends TSchema>(item: S) =>
  Type.Object({
    count: Type.Integer(),
    next: nullable(Type.String({ format: 'uri' })),
    previous: nullable(Type.String({ format: 'uri' })),
    results: Type.Array(item),
  });

export const PAGE_QUERY = {
  limit: 'How many results to return: 100 by default, at most 1000.',
  offset: 'How many results to skip.',
} as const;

export const UserSummarySchema = Type.Object({
  id: Type.Integer(),
  uuid: Uuid,
  distinct_id: Type.String(),
  first_name: Type.String(),
  email: Type.String({ format: 'email' }),
});

export const presentUserSummary = (user: User) => ({
  id: user.id,
  uuid: user.uuid,
  distinct_id: user.distinctId,
  first_name: user.firstName,
  email: user.email,
});

/** Null where the user was deleted. */
export const presentUserOrNull = (users: ReadonlyMap<number, User>, id: number | null) => {
  const user = id === null ? undefined : users.get(id);
  return user ? presentUserSummary(user) : null;
};

/** A secret URL without its secret part. */
export const originOnly = (address: unknown): string | null =>
  typeof address === 'string' && URL.canParse(address) ? `${new URL(address).origin}/…` : null;

/** As Python formats a time: a fraction has six digits, the zone is `+00:00`. */
export function isoOffset(ms: number): string {
  const text = new Date(ms).toISOString();
  return text.endsWith('.000Z') ? `${text.slice(0, -5)}+00:00` : `${text.slice(0, -1)}000+00:00`;
}
