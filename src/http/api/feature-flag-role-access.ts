/** Which roles may edit one flag. */
import type { FastifyInstance } from 'fastify';
import { notFound } from '../../core/errors.ts';
import type { Caller } from '../../manage/callers.ts';
import { flagWithAccess, giveFlagAccess, takeFlagAccess } from '../../manage/flag-role-access.ts';
import type { FeatureFlag, FlagRoleAccess } from '../../stores/flag-records.ts';
import type { Project } from '../../stores/records.ts';
import { envelope, readPage } from '../paging.ts';
import { PAGE_QUERY, pageOf } from '../schemas/common.ts';
import {
  FlagRoleAccessCreateSchema,
  FlagRoleAccessSchema,
  presentFlagRoleAccess,
} from '../schemas/flag-role-access.ts';
import type { ApiDeps } from './deps.ts';
import { projectRoute } from './route.ts';
import { flagId, showFlag } from './show-flags.ts';
import { showRoles } from './show-roles.ts';

const tag = 'feature flags';
const legacy = 'feature_flag';
const all = '/api/projects/:project_id/feature_flags/:feature_flag_id/role_access/';
const one = `${all}:id/`;

export function flagRoleAccessRoutes(app: FastifyInstance, deps: ApiDeps): void {
  listAndGive(app, deps);
  oneAccess(app, deps);
}

const flagOf = (deps: ApiDeps, project: Project, id: string | undefined): Promise<FeatureFlag> =>
  flagWithAccess(deps.metadata, project, flagId(id));

async function show(
  deps: ApiDeps,
  caller: Caller,
  project: Project,
  flag: FeatureFlag,
  accesses: readonly FlagRoleAccess[],
) {
  const shownFlag = await showFlag(deps, caller, project, flag);
  const found = await Promise.all(
    accesses.map(({ roleId }) => deps.metadata.roles.find(project.organizationId, roleId)),
  );
  const roles = await showRoles(
    deps,
    found.filter((role) => role !== null),
  );
  return accesses.flatMap((access) => {
    const role = roles.find(({ id }) => id === access.roleId);
    return role ? [presentFlagRoleAccess(access, shownFlag, role)] : [];
  });
}

function listAndGive(app: FastifyInstance, deps: ApiDeps): void {
  projectRoute(app, deps, {
    method: 'GET',
    url: all,
    legacy,
    summary: 'Roles that may edit the flag',
    tag,
    query: PAGE_QUERY,
    response: pageOf(FlagRoleAccessSchema),
    handler: async ({ caller, project, params, query, url }) => {
      const flag = await flagOf(deps, project, params['feature_flag_id']);
      const page = readPage(query);
      const given = await deps.metadata.flagRoleAccess.ofFlag(flag.id);
      const items = await show(deps, caller, project, flag, given.slice(page.offset, page.offset + page.limit));
      return envelope(url, page, { count: given.length, items }, (access) => access);
    },
  });
  projectRoute(app, deps, {
    method: 'POST',
    url: all,
    legacy,
    summary: 'Let a role edit the flag',
    tag,
    body: FlagRoleAccessCreateSchema,
    status: 201,
    response: FlagRoleAccessSchema,
    handler: async ({ caller, project, params, body }) => {
      const id = flagId(params['feature_flag_id']);
      const { access, flag } = await giveFlagAccess(deps, caller, project, id, body.role_id.toLowerCase());
      return (await show(deps, caller, project, flag, [access]))[0];
    },
  });
}

function oneAccess(app: FastifyInstance, deps: ApiDeps): void {
  projectRoute(app, deps, {
    method: 'GET',
    url: one,
    legacy,
    summary: 'One role that may edit the flag',
    tag,
    response: FlagRoleAccessSchema,
    handler: async ({ caller, project, params }) => {
      const flag = await flagOf(deps, project, params['feature_flag_id']);
      const access = await deps.metadata.flagRoleAccess.find(flag.id, flagId(params['id']));
      const [shown] = access ? await show(deps, caller, project, flag, [access]) : [];
      if (!shown) throw notFound();
      return shown;
    },
  });
  projectRoute(app, deps, {
    method: 'DELETE',
    url: one,
    legacy,
    summary: 'No longer let the role edit the flag',
    tag,
    status: 204,
    handler: ({ caller, project, params }) =>
      takeFlagAccess(deps, caller, project, flagId(params['feature_flag_id']), flagId(params['id'])),
  });
}
