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
import type { SavedMetric } from '../store/saved-metric-store.ts';

export const SavedMetricSchema = Type.Object({
  id: Type.Integer(),
  name: Type.String(),
  description: nullable(Type.String()),
  query: AnyObject,
  tags: Type.Array(Type.String()),
  created_at: DateTime,
  created_by: nullable(UserSummarySchema),
  updated_at: DateTime,
  user_access_level: Type.String({ description: '`editor` or `viewer`.' }),
});

const fields = {
  name: Type.String({ minLength: 1, maxLength: 400 }),
  query: Type.Record(Type.String(), Type.Unknown(), {
    fromText: true,
    description: 'The metric, as an experiment has it: `{"metric_type": "mean", "source": {…}}`.',
  }),
};
const optional = {
  description: nullable(Type.String({ maxLength: 400 })),
  tags: Type.Array(Type.String({ maxLength: 255 }), { fromText: true, maxItems: 50 }),
};

export const SavedMetricCreateSchema = Type.Composite([Type.Object(fields), Type.Partial(Type.Object(optional))]);
export const SavedMetricChangeSchema = Type.Partial(Type.Object({ ...fields, ...optional }));

export const presentSavedMetric = (metric: SavedMetric, users: ReadonlyMap<number, User>, canEdit: boolean) => ({
  id: metric.id,
  name: metric.name,
  description: metric.description === '' ? null : metric.description,
  query: metric.query,
  tags: metric.tags,
  created_at: iso(metric.createdAt),
  created_by: presentUserOrNull(users, metric.createdBy),
  updated_at: iso(metric.updatedAt),
  user_access_level: canEdit ? 'editor' : 'viewer',
});
