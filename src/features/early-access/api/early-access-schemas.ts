import { Type } from '@sinclair/typebox';
import { AnyObject, DateTime, iso, nullable } from '../../../http/schemas/common.ts';
import type { FeatureFlag } from '../../../stores/metadata/flags.ts';
import { STAGES } from '../rules/enrollment.ts';
import type { EarlyAccessFeature } from '../store/early-access-store.ts';

const Stage = Type.Union(
  STAGES.map((stage) => Type.Literal(stage)),
  {
    description:
      'From `concept` on, persons who opted in have the flag and those who opted out do not. In `draft` and `archived` only its conditions count.',
  },
);

export const EarlyAccessFeatureSchema = Type.Object({
  id: Type.String(),
  feature_flag: nullable(
    Type.Object({
      id: Type.Integer(),
      team_id: Type.Integer(),
      name: Type.String(),
      key: Type.String(),
      filters: AnyObject,
      deleted: Type.Boolean(),
      active: Type.Boolean(),
      ensure_experience_continuity: Type.Boolean(),
      version: Type.Integer(),
    }),
  ),
  name: Type.String(),
  description: Type.String(),
  stage: Stage,
  documentation_url: Type.String(),
  payload: AnyObject,
  created_at: DateTime,
  updated_at: DateTime,
});

const details = {
  description: Type.String({ maxLength: 10_000 }),
  documentation_url: Type.String({ maxLength: 800 }),
  payload: nullable(AnyObject),
};
const name = Type.String({ minLength: 1, maxLength: 200 });

export const FeatureCreateSchema = Type.Composite([
  Type.Object({ name, stage: Stage }),
  Type.Partial(
    Type.Object({
      ...details,
      feature_flag_id: nullable(
        Type.Integer({ description: 'Without one, a flag is made, with a key from the name.' }),
      ),
    }),
  ),
]);
export const FeatureChangeSchema = Type.Partial(Type.Object({ name, stage: Stage, ...details }));

export const presentFeature = (feature: EarlyAccessFeature, flag: FeatureFlag | null) => ({
  id: feature.id,
  feature_flag: flag && {
    id: flag.id,
    team_id: flag.projectId,
    name: flag.name,
    key: flag.key,
    filters: flag.filters,
    deleted: flag.deleted,
    active: flag.active,
    ensure_experience_continuity: flag.ensureExperienceContinuity,
    version: flag.version,
  },
  name: feature.name,
  description: feature.description,
  stage: feature.stage,
  documentation_url: feature.documentationUrl,
  payload: feature.payload,
  created_at: iso(feature.createdAt),
  updated_at: iso(feature.updatedAt),
});
