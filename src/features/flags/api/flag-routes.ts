import { Type } from '@sinclair/typebox';
import type { FastifyInstance } from 'fastify';
import { invalid } from '../../../core/errors.ts';
import { projectRoute } from '../../../http/api/route.ts';
import { envelope, readPage } from '../../../http/paging.ts';
import { PAGE_QUERY, pageSchema } from '../../../http/schemas/common.ts';
import { archiveFlags, createFlag, updateFlag } from '../manage/flags.ts';
import { listFlags } from '../manage/list-flags.ts';
import type { FlagRouteDeps } from './deps.ts';
import { readBaseVersion, readExactVersion, readFlagChanges } from './flag-body.ts';
import { asksForDeleted, FLAG_QUERY, readFlagQuery } from './flag-query.ts';
import {
  FeatureFlagSchema,
  FlagArchiveSchema,
  FlagChangeSchema,
  FlagCreateSchema,
  FlagReplaceSchema,
} from './flag-schemas.ts';
import { flagId, flagInPath, presentFlags, presentOneFlag } from './present-flags.ts';

const tag = 'feature flags';
const legacy = 'feature_flag';
const all = '/api/projects/:project_id/feature_flags/';
const one = `${all}:id/`;

export function featureFlagRoutes(app: FastifyInstance, deps: FlagRouteDeps): void {
  listAndCreate(app, deps);
  readOne(app, deps);
  changeOne(app, deps);
  archiveMany(app, deps);
}

function listAndCreate(app: FastifyInstance, deps: FlagRouteDeps): void {
  projectRoute(app, deps, {
    method: 'GET',
    url: all,
    legacy,
    summary: 'Feature flags, newest first',
    tag,
    scope: 'feature_flag',
    query: { ...PAGE_QUERY, ...FLAG_QUERY },
    response: pageSchema(FeatureFlagSchema),
    handler: async ({ caller, project, query, url }) => {
      const page = readPage(query);
      const { flags: store } = deps.metadata;
      const flags = await (asksForDeleted(query) ? store.listDeleted(project.id) : store.listByProject(project.id));
      const { count, items } = listFlags(
        flags,
        readFlagQuery(query),
        page,
        await deps.flagLastUses.find(project.id),
        deps.clock.now(),
      );
      return envelope(url, page, { count, items: await presentFlags(deps, caller, project, items) }, (flag) => flag);
    },
  });
  projectRoute(app, deps, {
    method: 'POST',
    url: all,
    legacy,
    edits: ['feature flags'],
    summary: 'Create a feature flag',
    tag,
    scope: 'feature_flag',
    body: FlagCreateSchema,
    status: 201,
    response: FeatureFlagSchema,
    handler: async ({ caller, project, body }) => {
      const given = { ...readFlagChanges(body), key: body.key };
      return presentOneFlag(deps, caller, project, await createFlag(deps, caller, project, given));
    },
  });
}

function readOne(app: FastifyInstance, deps: FlagRouteDeps): void {
  projectRoute(app, deps, {
    method: 'GET',
    url: one,
    legacy,
    summary: 'One feature flag, also a deleted one',
    tag,
    scope: 'feature_flag',
    response: FeatureFlagSchema,
    handler: async ({ caller, project, params }) =>
      presentOneFlag(deps, caller, project, await flagInPath(deps, project, params['id'])),
  });
}

const MAX_ARCHIVED = 500;

function archiveMany(app: FastifyInstance, deps: FlagRouteDeps): void {
  projectRoute(app, deps, {
    method: 'POST',
    url: `${all}bulk_archive/`,
    legacy,
    edits: ['feature flags'],
    summary: 'Archive (delete) several flags, all or none; with `archived` false, bring them back',
    tag,
    scope: 'feature_flag',
    body: FlagArchiveSchema,
    response: Type.Object({ results: Type.Array(FeatureFlagSchema) }),
    handler: async ({ caller, project, body: { ids, archived = true } }) => {
      const wanted = [...new Set(ids)];
      if (wanted.length === 0 || wanted.length > MAX_ARCHIVED)
        throw invalid('ids', `ids is a list of 1 to ${MAX_ARCHIVED} flags.`);
      const changed = await archiveFlags(deps, caller, project, wanted, archived);
      return { results: await presentFlags(deps, caller, project, changed) };
    },
  });
}

function changeOne(app: FastifyInstance, deps: FlagRouteDeps): void {
  const ways = [
    ['PATCH', 'Update a feature flag; `deleted` true or false deletes or restores it', FlagChangeSchema],
    ['PUT', 'Update a feature flag; fields that are not sent stay unchanged', FlagReplaceSchema],
  ] as const;
  for (const [method, summary, body] of ways) {
    projectRoute(app, deps, {
      method,
      url: one,
      legacy,
      summary,
      tag,
      scope: 'feature_flag',
      body,
      response: FeatureFlagSchema,
      handler: async ({ caller, project, params, body: given, request }) => {
        const id = flagId(params['id']);
        const base = { ...readBaseVersion(given), exact: readExactVersion(request.headers['if-match']) };
        const changed = await updateFlag(deps, caller, project, id, readFlagChanges(given), base);
        return presentOneFlag(deps, caller, project, changed);
      },
    });
  }
  projectRoute(app, deps, {
    method: 'DELETE',
    url: one,
    legacy,
    hidden: true,
    summary: 'Not allowed: delete flags by PATCH with `deleted` true, so that they can be restored',
    tag,
    scope: 'feature_flag',
    handler: async ({ reply }) => reply.code(405).send(),
  });
}
