/** All flags of a project as one file for version control: read, planned and applied. */
import type { FastifyInstance } from 'fastify';
import { projectRoute } from '../../../http/api/route.ts';
import { applyFlagFile, exportFlagFile } from '../flag-files.ts';
import { fileToJson, readFlagFile } from '../rules/flag-file.ts';
import type { PromotionApiDeps } from './deps.ts';
import { FlagFilePlanSchema, FlagFileRequestSchema, FlagFileSchema, presentFilePlan } from './flag-file-schemas.ts';
import { readConfirmation } from './read-confirmation.ts';

const url = '/api/projects/:project_id/flags_file/';
const MAX_FILE_BYTES = 20 * 1024 * 1024;

export function flagFileRoutes(app: FastifyInstance, deps: PromotionApiDeps): void {
  projectRoute(app, deps, {
    method: 'GET',
    url,
    summary: 'All flags, and the cohorts that they refer to, with names instead of ids: for version control',
    tag: 'feature flags',
    scope: ['feature_flag', 'cohort'],
    response: FlagFileSchema,
    handler: async ({ project }) => fileToJson(await exportFlagFile(deps.metadata, project.id)),
  });
  projectRoute(app, deps, {
    method: 'POST',
    url,
    edits: ['feature flags'],
    summary: 'Make the flags say what the file says, in one transaction; first planned, then done with `confirm`',
    tag: 'feature flags',
    scope: ['feature_flag', 'cohort'],
    maxBodyBytes: MAX_FILE_BYTES,
    body: FlagFileRequestSchema,
    response: FlagFilePlanSchema,
    handler: async ({ caller, project, body }) => {
      const confirm = readConfirmation(body);
      const options = { prune: body.prune ?? false, confirm };
      const plan = await applyFlagFile(deps, caller, project, readFlagFile(body.file), options);
      return { status: confirm === null ? 'planned' : 'applied', ...presentFilePlan(plan) };
    },
  });
}
