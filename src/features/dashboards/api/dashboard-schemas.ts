import { Type } from '@sinclair/typebox';
import {
  AnyObject,
  DateTime,
  iso,
  nullable,
  presentUserOrNull,
  UserSummarySchema,
} from '../../../http/schemas/common.ts';
import type { User } from '../../../stores/metadata/accounts.ts';
import type { Dashboard, DashboardTile } from '../store/dashboard-store.ts';
import { type presentSavedInsight, type SavedInsightAnswer, SavedInsightSchema } from './saved-insight-schemas.ts';

const listed = {
  id: Type.Integer(),
  name: Type.String(),
  description: Type.String(),
  pinned: Type.Boolean(),
  created_at: DateTime,
  created_by: nullable(UserSummarySchema),
  is_shared: Type.Boolean(),
  deleted: Type.Boolean(),
  creation_mode: Type.String(),
  filters: AnyObject,
  tags: Type.Array(Type.String()),
  restriction_level: Type.Integer(),
  effective_restriction_level: Type.Integer(),
  effective_privilege_level: Type.Integer(),
};

const TileSchema = Type.Object({
  id: Type.Integer(),
  order: Type.Integer({ description: 'Tiles come in this order.' }),
  layouts: AnyObject,
  color: nullable(Type.String()),
  insight: nullable(SavedInsightSchema),
  text: nullable(Type.Object({ body: Type.String({ description: 'Markdown, shown instead of an insight.' }) })),
  last_refresh: nullable(DateTime),
  is_cached: Type.Boolean(),
  error: nullable(Type.String({ description: 'Why this insight could not be answered; the others are.' })),
});

export const ListedDashboardSchema = Type.Object(listed);
export const DashboardSchema = Type.Object({ ...listed, tiles: Type.Array(TileSchema) });

const TileChangeSchema = Type.Partial(
  Type.Object({
    id: Type.Integer({ description: 'Which tile; or, instead, its insight.' }),
    insight: Type.Unknown({ description: 'The id of an insight, or the insight itself: added where it is not there.' }),
    text: nullable(
      Type.Object({
        body: Type.String({ minLength: 1, maxLength: 4000, description: 'Markdown; HTML is shown as text.' }),
      }),
    ),
    order: Type.Integer(),
    layouts: Type.Record(Type.String(), Type.Unknown(), {
      description: 'For each screen width its place: `{"sm": {"x": 0, "y": 0, "w": 6, "h": 5}}` on 12 columns.',
    }),
    color: nullable(Type.String({ maxLength: 400 })),
    deleted: Type.Boolean({ description: 'True: the tile goes, the insight stays.' }),
  }),
);

const writable = {
  description: nullable(Type.String({ maxLength: 10_000 })),
  pinned: Type.Boolean(),
  deleted: Type.Boolean(),
  filters: Type.Record(Type.String(), Type.Unknown(), {
    fromText: true,
    description:
      '`date_from`, `date_to`, `compare` and `compare_to`, which count instead of each insight’s own, and `properties`, filters that are added to those of each insight.',
  }),
  tags: Type.Array(Type.String({ maxLength: 255 }), { fromText: true, maxItems: 1000 }),
  tiles: Type.Array(TileChangeSchema, { fromText: true, maxItems: 1000 }),
};

const Name = Type.String({ minLength: 1, maxLength: 400 });

export const DashboardCreateSchema = Type.Composite([Type.Object({ name: Name }), Type.Partial(Type.Object(writable))]);
export const DashboardChangeSchema = Type.Partial(Type.Object({ name: Name, ...writable }));

export const presentListed = (dashboard: Dashboard, users: ReadonlyMap<number, User>) => ({
  id: dashboard.id,
  name: dashboard.name,
  description: dashboard.description,
  pinned: dashboard.pinned,
  created_at: iso(dashboard.createdAt),
  created_by: presentUserOrNull(users, dashboard.createdBy),
  is_shared: false,
  deleted: dashboard.deleted,
  creation_mode: 'default',
  filters: dashboard.filters,
  tags: dashboard.tags,
  // Everybody in the project may edit, and so may the caller.
  restriction_level: 21,
  effective_restriction_level: 21,
  effective_privilege_level: 37,
});

export const presentTile = (
  { id, order, layouts, color, body }: DashboardTile,
  insight: ReturnType<typeof presentSavedInsight> | null,
  { last_refresh, is_cached }: SavedInsightAnswer,
  error: string | null,
) => ({
  id,
  order,
  layouts,
  color,
  insight,
  text: body === null ? null : { body },
  last_refresh,
  is_cached,
  error,
});
