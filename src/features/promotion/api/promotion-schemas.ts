import { type Static, Type } from '@sinclair/typebox';
import { nullable } from '../../../http/schemas/common.ts';
import { BlastRadiusSchema } from '../../flags/api/flag-evaluation-schemas.ts';
import { FeatureFlagSchema } from '../../flags/api/flag-schemas.ts';
import type { FlagDrift } from '../drift.ts';
import type { FlagPromotionPlan } from '../promote-flag.ts';
import { FLAG_PARTS } from '../rules/portable-flag.ts';

const target = {
  to: Type.Integer({ description: 'The project to promote to.', examples: [2] }),
  dry_run: Type.Optional(Type.Boolean({ description: 'Only plan it. Default: true without `confirm`.' })),
  confirm: Type.Optional(
    Type.String({ maxLength: 100, description: 'From the plan; 409 if something has changed since.' }),
  ),
};
const copyCohorts = Type.Optional(
  Type.Boolean({ description: 'Copy cohorts that the conditions refer to and that are not there.' }),
);

export const FlagPromotionRequestSchema = Type.Object({
  ...target,
  parts: Type.Optional(
    Type.Array(Type.Union(FLAG_PARTS.map((part) => Type.Literal(part))), {
      description: 'What to take over; all by default. `details`: name, tags, rollback conditions, runtime.',
    }),
  ),
  copy_cohorts: copyCohorts,
});
export const CohortPromotionRequestSchema = Type.Object({ ...target, copy_cohorts: copyCohorts });
export const DefinitionPromotionRequestSchema = Type.Object({
  ...target,
  names: Type.Optional(
    nullable(Type.Array(Type.String(), { description: 'Default: all that have a description, tags or a mark.' })),
  ),
});

const DifferenceSchema = Type.Object({ path: Type.String(), from: Type.Unknown(), to: Type.Unknown() });
const Diff = Type.Array(DifferenceSchema);
const Confirm = nullable(Type.String({ description: 'Null: it cannot be done, see `missing`.' }));
const ReferenceSchema = Type.Object({
  kind: Type.String(),
  name: Type.String(),
  match: nullable(Type.Integer({ description: 'The id there.' })),
});
const Missing = Type.Array(Type.Composite([ReferenceSchema, Type.Object({ reason: Type.String() })]));
const NotPortable = Type.Array(Type.Object({ key: Type.String(), value: Type.Unknown() }), {
  description: 'Conditions on the ids of persons, who are probably others there.',
});

export const FlagPromotionSchema = Type.Object({
  status: Type.Union([Type.Literal('planned'), Type.Literal('promoted')]),
  action: Type.Union([Type.Literal('create'), Type.Literal('update'), Type.Literal('none')]),
  diff: Diff,
  blast_radius: nullable(BlastRadiusSchema),
  references: Type.Array(ReferenceSchema),
  missing: Missing,
  copied_cohorts: Type.Array(Type.String()),
  not_portable: NotPortable,
  confirm: Confirm,
  feature_flag: nullable(FeatureFlagSchema),
});

export const CohortPromotionSchema = Type.Object({
  status: Type.Union([Type.Literal('planned'), Type.Literal('promoted')]),
  action: Type.Union([Type.Literal('create'), Type.Literal('update'), Type.Literal('none')]),
  diff: Diff,
  references: Type.Array(ReferenceSchema),
  missing: Missing,
  copied_cohorts: Type.Array(Type.String()),
  not_portable: NotPortable,
  feature_flags: Type.Array(Type.String(), { description: 'Keys of the flags there that target the cohort.' }),
  confirm: Confirm,
  cohort: nullable(Type.Object({ id: Type.Integer(), name: Type.String() })),
});

export const DefinitionPromotionSchema = Type.Object({
  status: Type.Union([Type.Literal('planned'), Type.Literal('promoted')]),
  diff: Diff,
  missing: Type.Array(Type.String(), { description: 'Not seen there yet, so left out.' }),
  confirm: Confirm,
});

export const FlagDriftSchema = Type.Object({
  results: Type.Array(
    Type.Object({
      key: Type.String(),
      status: Type.Union([Type.Literal('differs'), Type.Literal('only_here'), Type.Literal('only_there')]),
      id: nullable(Type.Integer()),
      there: Type.Object({ project: Type.Integer(), project_name: Type.String(), id: nullable(Type.Integer()) }),
      diff: Diff,
    }),
  ),
});

type Plan = Pick<
  FlagPromotionPlan,
  'target' | 'diff' | 'references' | 'missing' | 'copies' | 'notPortable' | 'confirm'
>;

/** What the plans of flags and cohorts have in common. */
export const presentPlan = ({ target: existing, ...plan }: Omit<Plan, 'target'> & { target: unknown }) => ({
  action: existing === null ? ('create' as const) : plan.diff.length > 0 ? ('update' as const) : ('none' as const),
  diff: plan.diff,
  references: plan.references.map(({ kind, name, id }) => ({ kind, name, match: id })),
  missing: plan.missing.map(({ kind, name, reason }) => ({ kind, name, match: null, reason })),
  copied_cohorts: plan.copies.map(({ name }) => name),
  not_portable: plan.notPortable,
  confirm: plan.confirm,
});

export const presentDrift = ({
  key,
  status,
  here,
  there,
  project,
  diff,
}: FlagDrift): Static<typeof FlagDriftSchema>['results'][number] => ({
  key,
  status,
  id: here?.id ?? null,
  there: { project: project.id, project_name: project.name, id: there?.id ?? null },
  diff,
});
