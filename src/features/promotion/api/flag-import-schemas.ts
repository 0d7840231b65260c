import { Type } from '@sinclair/typebox';
import { nullable } from '../../../http/schemas/common.ts';
import type { ImportOutcome } from '../import-flags.ts';
import { IMPORT_SOURCES } from '../rules/import/import-source.ts';
import { FlagFilePlanSchema } from './flag-file-schemas.ts';

const OUTCOMES = ['equal', 'kept', 'accepted', 'differs', 'not_imported'] as const;

export const FlagImportRequestSchema = Type.Object({
  source: Type.Union(IMPORT_SOURCES.map((source) => Type.Literal(source))),
  data: Type.Record(Type.String(), Type.Unknown(), {
    description:
      "Unleash's export, GrowthBook's SDK payload, LaunchDarkly's flags (`items` or `flags`) and `segments`, flagd's definitions, or flags of PostHog (`results` or `flags`) with `cohorts` and `group_type_mapping`.",
  }),
  environment: Type.Optional(Type.String({ maxLength: 200, description: 'Default: production.' })),
  keep_people: Type.Optional(
    Type.Union([Type.Boolean(), Type.Array(Type.String())], {
      description: 'Keys of flags whose percentages keep their people, by the hash of the other product; true: all.',
    }),
  ),
  accept: Type.Optional(
    Type.Array(Type.String(), {
      description: 'Keys of flags whose percentages are kept, but not their people: some users get another value.',
    }),
  ),
  contexts: Type.Optional(
    Type.Array(
      Type.Object({
        distinct_id: Type.String(),
        properties: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
      }),
      { maxItems: 10_000, description: 'Users to compare values for. Default: made of the conditions.' },
    ),
  ),
  dry_run: Type.Optional(Type.Boolean({ description: 'Only plan it. Default: true without `confirm`.' })),
  confirm: Type.Optional(
    Type.String({ maxLength: 100, description: 'From the plan; 409 if something has changed since.' }),
  ),
});

export const FlagImportSchema = Type.Composite([
  Type.Object({
    flags: Type.Integer({ description: 'How many the data has.' }),
    equal: Type.Integer({ description: 'How many give everybody the value that they had.' }),
    kept: Type.Array(Type.String(), { description: 'Keys of flags that keep their people.' }),
    results: Type.Array(
      Type.Object({
        key: Type.String(),
        id: nullable(Type.Integer({ description: 'Of the flag in the project.' })),
        outcome: Type.Union(OUTCOMES.map((outcome) => Type.Literal(outcome))),
        action: nullable(
          Type.Union([Type.Literal('create'), Type.Literal('update'), Type.Literal('none')], {
            description: 'What happens in the project; null: the flag is left out.',
          }),
        ),
        can_keep_people: Type.Boolean({ description: '`keep_people` may name it.' }),
        can_accept: Type.Boolean({ description: '`accept` may name it.' }),
      }),
      { description: 'Every flag of the data, by key.' },
    ),
    differ: Type.Array(
      Type.Object({
        key: Type.String(),
        reason: Type.String(),
        accepted: Type.Boolean(),
        can_keep_people: Type.Boolean(),
        users_compared: nullable(Type.Integer()),
        users_changed: nullable(Type.Integer()),
        examples: Type.Array(
          Type.Object({
            context: Type.Record(Type.String(), Type.Unknown()),
            theirs: Type.Union([Type.Boolean(), Type.String()]),
            ours: Type.Union([Type.Boolean(), Type.String()]),
          }),
        ),
      }),
    ),
    not_imported: Type.Array(Type.Object({ key: Type.String(), why: Type.String() })),
  }),
  FlagFilePlanSchema,
]);

export const presentOutcome = ({ total, equal, kept, results, differ, notImported }: ImportOutcome) => ({
  flags: total,
  equal: equal.length,
  kept,
  results: results.map(({ canKeepPeople, canAccept, ...result }) => ({
    ...result,
    can_keep_people: canKeepPeople,
    can_accept: canAccept,
  })),
  differ: differ.map(({ key, reason, accepted, canKeepPeople, compared }) => ({
    key,
    reason,
    accepted,
    can_keep_people: canKeepPeople,
    users_compared: compared?.users ?? null,
    users_changed: compared?.changed ?? null,
    examples: (compared?.examples ?? []).map(({ distinctId, properties, theirs, ours }) => ({
      context: { distinct_id: distinctId, properties },
      theirs,
      ours,
    })),
  })),
  not_imported: notImported,
});
