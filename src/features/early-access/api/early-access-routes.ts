/** Features that persons opt in to before they are released, in PostHog's shape. */
import type { Static } from '@sinclair/typebox';
import type { FastifyInstance } from 'fastify';
import { invalid } from '../../../core/errors.ts';
import type { JsonObject } from '../../../core/json/json.ts';
import { jsonBytes } from '../../../core/json/json-bytes.ts';
import { projectRoute } from '../../../http/api/route.ts';
import type { RouteDeps } from '../../../http/api/route-deps.ts';
import { envelope, readPage } from '../../../http/paging.ts';
import { PAGE_QUERY, pageSchema } from '../../../http/schemas/common.ts';
import type { FlagDeps } from '../../flags/manage/flags.ts';
import {
  createFeature,
  deleteFeature,
  type EarlyAccessFields,
  getFeature,
  updateFeature,
} from '../early-access-features.ts';
import type { EarlyAccessFeature } from '../store/early-access-store.ts';
import {
  EarlyAccessFeatureSchema,
  FeatureChangeSchema,
  FeatureCreateSchema,
  presentFeature,
} from './early-access-schemas.ts';

export interface EarlyAccessRouteDeps extends RouteDeps, FlagDeps {
  config: RouteDeps['config'];
}

const ALL = {
  url: '/api/projects/:project_id/early_access_feature/',
  tag: 'early access',
  scope: 'early_access_feature',
} as const;
const ONE = { ...ALL, url: `${ALL.url}:id/` } as const;
const EDITS = { edits: ['feature flags'], scope: ['early_access_feature', 'feature_flag'] } as const;

export function earlyAccessRoutes(app: FastifyInstance, deps: EarlyAccessRouteDeps): void {
  listAndCreate(app, deps);
  oneFeature(app, deps);
}

async function present({ metadata }: EarlyAccessRouteDeps, feature: EarlyAccessFeature) {
  return presentFeature(feature, await metadata.flags.get(feature.projectId, feature.flagId));
}

function listAndCreate(app: FastifyInstance, deps: EarlyAccessRouteDeps): void {
  projectRoute(app, deps, {
    ...ALL,
    method: 'GET',
    summary: 'Early access features, newest first',
    query: PAGE_QUERY,
    response: pageSchema(EarlyAccessFeatureSchema),
    handler: async ({ project, query, url }) => {
      const page = readPage(query);
      const all = await deps.metadata.earlyAccessFeatures.listByProject(project.id);
      const shown = all.slice(page.offset, page.offset + page.limit);
      const items = await Promise.all(shown.map((feature) => present(deps, feature)));
      return envelope(url, page, { count: all.length, items }, (feature) => feature);
    },
  });
  projectRoute(app, deps, {
    ...ALL,
    method: 'POST',
    ...EDITS,
    summary: 'Let persons opt in to a feature',
    body: FeatureCreateSchema,
    status: 201,
    response: EarlyAccessFeatureSchema,
    handler: async ({ caller, project, body }) => {
      const { name, stage, feature_flag_id: flagId = null } = body;
      const fields = { description: '', documentationUrl: '', payload: {}, ...readFields(body), name, stage };
      return present(deps, await createFeature(deps, caller, project, fields, flagId));
    },
  });
}

function oneFeature(app: FastifyInstance, deps: EarlyAccessRouteDeps): void {
  projectRoute(app, deps, {
    ...ONE,
    method: 'GET',
    summary: 'One early access feature',
    response: EarlyAccessFeatureSchema,
    handler: async ({ project, params }) =>
      present(deps, await getFeature(deps.metadata, project.id, params['id'] ?? '')),
  });
  projectRoute(app, deps, {
    ...ONE,
    method: 'PATCH',
    ...EDITS,
    summary: 'Change an early access feature; its stage decides whether its flag follows what persons chose',
    body: FeatureChangeSchema,
    response: EarlyAccessFeatureSchema,
    handler: async ({ caller, project, params, body }) =>
      present(deps, await updateFeature(deps, caller, project, params['id'] ?? '', readFields(body))),
  });
  projectRoute(app, deps, {
    ...ONE,
    method: 'DELETE',
    ...EDITS,
    status: 204,
    summary: 'Delete an early access feature; its flag stays, and goes by its conditions alone',
    handler: ({ caller, project, params }) => deleteFeature(deps, caller, project, params['id'] ?? ''),
  });
}

const MAX_PAYLOAD_BYTES = 64 * 1024;

/** Only what was sent. */
function readFields(body: Static<typeof FeatureChangeSchema>): Partial<EarlyAccessFields> {
  const payload = body.payload as JsonObject | null | undefined;
  if (payload && jsonBytes(payload) > MAX_PAYLOAD_BYTES)
    throw invalid('payload', `A payload may have up to ${MAX_PAYLOAD_BYTES} bytes as JSON.`, 'too_large');
  if (body.documentation_url && !/^https?:\/\//i.test(body.documentation_url))
    throw invalid('documentation_url', 'documentation_url is the address of a page: https://…');
  const fields = {
    name: body.name,
    stage: body.stage,
    description: body.description,
    documentationUrl: body.documentation_url,
    payload: payload === null ? {} : payload,
  };
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}
