/** Roles with access to one flag. */
import type { FastifyInstance } from 'fastify';
import type { Caller } from '../../../access/callers.ts';
import { notFound } from '../../../core/errors.ts';
import { projectRoute } from '../../../http/api/route.ts';
import { envelope, readPage } from '../../../http/paging.ts';
import { PAGE_QUERY, pageSchema } from '../../../http/schemas/common.ts';
import type { Project } from '../../../stores/metadata/accounts.ts';
import type { FeatureFlag, FlagRoleAccess } from '../../../stores/metadata/flags.ts';
import { presentRoles } from '../../accounts/api/present-roles.ts';
import { getFlagForAccess, grantFlagAccess, revokeFlagAccess } from '../manage/flag-role-access.ts';
import type { FlagRouteDeps } from './deps.ts';
import { FlagRoleAccessCreateSchema, FlagRoleAccessSchema, presentFlagRoleAccess } from './flag-role-access-schemas.ts';
import { flagId, presentOneFlag } from './present-flags.ts';

const tag = 'feature flags';
const legacy = 'feature_flag';
const all = '/api/projects/:project_id/feature_flags/:feature_flag_id/role_access/';
const one = `${all}:id/`;

export function flagRoleAccessRoutes(app: FastifyInstance, deps: FlagRouteDeps): void {
  listAndGrant(app, deps);
  accessItemRoutes(app, deps);
}

const getFlagInPath = (deps: FlagRouteDeps, project: Project, id: string | undefined): Promise<FeatureFlag> =>
  getFlagForAccess(deps.metadata, project, flagId(id));

async function presentAccesses(
  deps: FlagRouteDeps,
  caller: Caller,
  project: Project,
  flag: FeatureFlag,
  accesses: readonly FlagRoleAccess[],
) {
  const shownFlag = await presentOneFlag(deps, caller, project, flag);
  const found = await Promise.all(
    accesses.map(({ roleId }) => deps.metadata.roles.get(project.organizationId, roleId)),
  );
  const roles = await presentRoles(
    deps,
    found.filter((role) => role !== null),
  );
  return accesses.flatMap((access) => {
    const role = roles.find(({ id }) => id === access.roleId);
    return role ? [presentFlagRoleAccess(access, shownFlag, role)] : [];
  });
}

function listAndGrant(app: FastifyInstance, deps: FlagRouteDeps): void {
  projectRoute(app, deps, {
    method: 'GET',
    url: all,
    legacy,
    summary: 'Roles that can edit the flag',
    tag,
    scope: 'feature_flag',
    query: PAGE_QUERY,
    response: pageSchema(FlagRoleAccessSchema),
    handler: async ({ caller, project, params, query, url }) => {
      const flag = await getFlagInPath(deps, project, params['feature_flag_id']);
      const page = readPage(query);
      const given = await deps.metadata.flagRoleAccess.listByFlag(flag.id);
      const items = await presentAccesses(
        deps,
        caller,
        project,
        flag,
        given.slice(page.offset, page.offset + page.limit),
      );
      return envelope(url, page, { count: given.length, items }, (access) => access);
    },
  });
  projectRoute(app, deps, {
    method: 'POST',
    url: all,
    legacy,
    summary: 'Grant a role access to the flag',
    tag,
    scope: 'feature_flag',
    body: FlagRoleAccessCreateSchema,
    status: 201,
    response: FlagRoleAccessSchema,
    handler: async ({ caller, project, params, body }) => {
      const id = flagId(params['feature_flag_id']);
      const { access, flag } = await grantFlagAccess(deps, caller, project, id, body.role_id.toLowerCase());
      return (await presentAccesses(deps, caller, project, flag, [access]))[0];
    },
  });
}

function accessItemRoutes(app: FastifyInstance, deps: FlagRouteDeps): void {
  projectRoute(app, deps, {
    method: 'GET',
    url: one,
    legacy,
    summary: 'One role that can edit the flag',
    tag,
    scope: 'feature_flag',
    response: FlagRoleAccessSchema,
    handler: async ({ caller, project, params }) => {
      const flag = await getFlagInPath(deps, project, params['feature_flag_id']);
      const access = await deps.metadata.flagRoleAccess.get(flag.id, flagId(params['id']));
      const [shown] = access ? await presentAccesses(deps, caller, project, flag, [access]) : [];
      if (!shown) throw notFound();
      return shown;
    },
  });
  projectRoute(app, deps, {
    method: 'DELETE',
    url: one,
    legacy,
    summary: 'Revoke the access of a role',
    tag,
    scope: 'feature_flag',
    status: 204,
    handler: ({ caller, project, params }) =>
      revokeFlagAccess(deps, caller, project, flagId(params['feature_flag_id']), flagId(params['id'])),
  });
}
