import type { FastifyInstance } from 'fastify';
import type { JsonObject } from '../../../core/json/json.ts';
import { projectRoute } from '../../../http/api/route.ts';
import { importFlags } from '../import-flags.ts';
import type { PromotionApiDeps } from './deps.ts';
import { presentFilePlan } from './flag-file-schemas.ts';
import { FlagImportRequestSchema, FlagImportSchema, presentOutcome } from './flag-import-schemas.ts';
import { readConfirmation } from './read-confirmation.ts';

const MAX_IMPORT_BYTES = 20 * 1024 * 1024;

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
        differing: [],
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
