import { Type } from '@sinclair/typebox';
import type { FastifyInstance } from 'fastify';
import type { JsonObject } from '../../../core/json/json.ts';
import { projectRoute } from '../../../http/api/route.ts';
import { nullable } from '../../../http/schemas/common.ts';
import { type ImportOutcome, importFlags } from '../import-flags.ts';
import { IMPORT_SOURCES } from '../rules/import/import-flags.ts';
import type { PromotionApiDeps } from './deps.ts';
import { FlagFilePlanSchema, presentFilePlan } from './flag-file-schemas.ts';
import { readConfirmation } from './read-confirmation.ts';

const MAX_IMPORT_BYTES = 20 * 1024 * 1024;

const FlagImportRequestSchema = Type.Object({
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

const FlagImportSchema = Type.Composite([
  Type.Object({
    flags: Type.Integer({ description: 'How many the data has.' }),
    equal: Type.Integer({ description: 'How many give everybody the value that they had.' }),
    kept: Type.Array(Type.String(), { description: 'Keys of flags that keep their people.' }),
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

export function flagImportRoutes(app: FastifyInstance, deps: PromotionApiDeps): void {
  projectRoute(app, deps, {
    method: 'POST',
    url: '/api/projects/:project_id/flags_import/',
    edits: ['feature flags'],
    summary:
      'Import flags of Unleash, GrowthBook, LaunchDarkly, flagd or another PostHog; first planned, then done with `confirm`',
    tag: 'feature flags',
    scope: ['feature_flag', 'cohort'],
    maxBodyBytes: MAX_IMPORT_BYTES,
    body: FlagImportRequestSchema,
    response: FlagImportSchema,
    handler: async ({ caller, project, body }) => {
      const { source, environment = 'production', accept = [], keep_people: keep = [], contexts } = body;
      const confirm = readConfirmation(body);
      const users = contexts?.map(({ distinct_id: distinctId, properties = {} }) => ({
        distinctId,
        properties: properties as JsonObject,
      }));
      const outcome = await importFlags(deps, caller, project, {
        source,
        data: body.data as JsonObject,
        environment,
        keepPeople: keep === false ? [] : keep,
        accept,
        users: users ?? null,
        confirm,
      });
      return {
        ...presentOutcome(outcome),
        status: confirm === null ? 'planned' : 'applied',
        ...presentFilePlan(outcome.plan),
      };
    },
  });
}

const presentOutcome = ({ total, equal, kept, differ, notImported }: ImportOutcome) => ({
  flags: total,
  equal: equal.length,
  kept,
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
