import { Type } from '@sinclair/typebox';
import type { FastifyInstance } from 'fastify';
import type { JsonObject } from '../../../core/json/json.ts';
import { projectRoute } from '../../../http/api/route.ts';
import { importFlags } from '../import-flags.ts';
import { IMPORT_SOURCES } from '../rules/import/import-flags.ts';
import type { PromotionApiDeps } from './deps.ts';
import { FlagFilePlanSchema, presentFilePlan } from './flag-file-schemas.ts';
import { readConfirmation } from './read-confirmation.ts';

const MAX_IMPORT_BYTES = 20 * 1024 * 1024;

const FlagImportRequestSchema = Type.Object({
  source: Type.Union(IMPORT_SOURCES.map((source) => Type.Literal(source))),
  data: Type.Record(Type.String(), Type.Unknown(), {
    description: "Unleash's export, GrowthBook's SDK payload, or LaunchDarkly's flags (`items` or `flags`).",
  }),
  environment: Type.Optional(Type.String({ maxLength: 200, description: 'Default: production.' })),
  accept: Type.Optional(
    Type.Array(Type.String(), { description: 'Keys of flags that may give some users another value.' }),
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
    differ: Type.Array(Type.Object({ key: Type.String(), reason: Type.String(), accepted: Type.Boolean() })),
    not_imported: Type.Array(Type.Object({ key: Type.String(), why: Type.String() })),
  }),
  FlagFilePlanSchema,
]);

export function flagImportRoutes(app: FastifyInstance, deps: PromotionApiDeps): void {
  projectRoute(app, deps, {
    method: 'POST',
    url: '/api/projects/:project_id/flags_import/',
    edits: ['feature flags'],
    summary: 'Import flags of Unleash, GrowthBook or LaunchDarkly; first planned, then done with `confirm`',
    tag: 'feature flags',
    scope: ['feature_flag', 'cohort'],
    maxBodyBytes: MAX_IMPORT_BYTES,
    body: FlagImportRequestSchema,
    response: FlagImportSchema,
    handler: async ({ caller, project, body }) => {
      const { source, environment = 'production', accept = [] } = body;
      const confirm = readConfirmation(body);
      const asked = { source, data: body.data as JsonObject, environment, accept, confirm };
      const { total, equal, differ, notImported, plan } = await importFlags(deps, caller, project, asked);
      const status = confirm === null ? 'planned' : 'applied';
      return { flags: total, equal: equal.length, differ, not_imported: notImported, status, ...presentFilePlan(plan) };
    },
  });
}
