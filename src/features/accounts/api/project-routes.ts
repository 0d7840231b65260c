import type { Static } from '@sinclair/typebox';
import type { FastifyInstance } from 'fastify';
import { type Caller, levelIn } from '../../../access/callers.ts';
import { invalid } from '../../../core/errors.ts';
import type { Json, JsonObject } from '../../../core/json/json.ts';
import { projectRoute, userRoute } from '../../../http/api/route.ts';
import { envelope, readPage } from '../../../http/paging.ts';
import { PAGE_QUERY, pageSchema } from '../../../http/schemas/common.ts';
import { isPrivateUrl } from '../../../lib/network.ts';
import { ADMIN, type Project } from '../../../stores/metadata/accounts.ts';
import {
  createProject,
  deleteProject,
  type ProjectChanges,
  resetToken,
  rotateSecret,
  updateProject,
} from '../projects.ts';
import type { AccountRouteDeps } from './deps.ts';
import {
  PREFERENCE_NAMES,
  ProjectBasicSchema,
  ProjectSchema,
  ProjectWithSecretSchema,
  ProjectWriteSchema,
  presentProject,
  presentProjectBasic,
} from './project-schemas.ts';
import { readWebSettings } from './read-web-settings.ts';

const tag = 'projects';

export function projectRoutes(app: FastifyInstance, deps: AccountRouteDeps): void {
  userRoute(app, deps, {
    method: 'GET',
    url: '/api/projects/',
    summary: 'Projects of the organizations you belong to',
    tag,
    scope: 'project',
    limitsItself: true,
    query: PAGE_QUERY,
    response: pageSchema(ProjectBasicSchema),
    handler: async ({ caller, query, url }) => {
      const page = readPage(query);
      const organizationIds = caller.memberships.map((membership) => membership.organizationId);
      const { projectIds } = caller.key ?? {};
      const found = await deps.metadata.projects.list(organizationIds, page, projectIds ?? undefined);
      return envelope(url, page, found, presentProjectBasic);
    },
  });
  userRoute(app, deps, {
    method: 'POST',
    url: '/api/projects/',
    summary: 'Create a project in your current organization',
    tag,
    scope: 'project',
    body: ProjectWriteSchema,
    status: 201,
    response: ProjectSchema,
    handler: async ({ caller, body }) => {
      return show(deps, caller, await createProject(deps, caller, toChanges(deps, body)));
    },
  });
  projectItemRoutes(app, deps);
  projectKeyRoutes(app, deps);
}

async function show(deps: AccountRouteDeps, caller: Caller, project: Project) {
  const groupTypes = await deps.metadata.groups.listTypes(project.id);
  return presentProject(project, levelIn(caller, project.organizationId), groupTypes.length > 0);
}

function projectItemRoutes(app: FastifyInstance, deps: AccountRouteDeps): void {
  const one = { url: '/api/projects/:project_id/', tag, scope: 'project', itself: true } as const;
  projectRoute(app, deps, {
    ...one,
    method: 'GET',
    summary: 'One project with all its settings',
    response: ProjectSchema,
    handler: ({ caller, project }) => show(deps, caller, project),
  });
  projectRoute(app, deps, {
    ...one,
    method: 'PATCH',
    summary: 'Update the settings of a project',
    level: ADMIN,
    body: ProjectWriteSchema,
    response: ProjectSchema,
    handler: async ({ caller, project, body }) => {
      return show(deps, caller, await updateProject(deps, caller, project.id, toChanges(deps, body)));
    },
  });
  projectRoute(app, deps, {
    ...one,
    method: 'DELETE',
    summary: 'Delete a project with all its data',
    level: ADMIN,
    status: 204,
    handler: ({ caller, project }) => deleteProject(deps, caller, project.id),
  });
}

function projectKeyRoutes(app: FastifyInstance, deps: AccountRouteDeps): void {
  projectRoute(app, deps, {
    method: 'PATCH',
    url: '/api/projects/:project_id/reset_token/',
    summary: 'Reset the project key; the old one stops working immediately',
    tag,
    scope: 'project',
    itself: true,
    level: ADMIN,
    response: ProjectSchema,
    handler: async ({ caller, project }) => {
      return show(deps, caller, await resetToken(deps, caller, project.id));
    },
  });
  projectRoute(app, deps, {
    method: 'PATCH',
    url: '/api/projects/:project_id/rotate_secret_token/',
    summary: 'Create a new secret key; it is in this response only',
    tag,
    scope: 'project',
    itself: true,
    level: ADMIN,
    response: ProjectWithSecretSchema,
    handler: async ({ caller, project }) => {
      const { project: changed, secret } = await rotateSecret(deps, caller, project.id);
      return { ...(await show(deps, caller, changed)), secret_api_token: secret };
    },
  });
}

/** Reads the body of a request; only what was sent is changed. */
function toChanges(deps: AccountRouteDeps, body: Static<typeof ProjectWriteSchema>): ProjectChanges {
  refusePrivateAddress(deps.config, body.slack_incoming_webhook);
  const preferences: JsonObject = {};
  for (const name of PREFERENCE_NAMES) if (body[name] !== undefined) preferences[name] = body[name] as Json;
  const changes = {
    name: body.name,
    timezone: body.timezone,
    anonymizeIps: body.anonymize_ips,
    eventsRetentionDays: body.events_retention_days,
    testAccountFilters: body.test_account_filters as Json[] | undefined,
    pathCleaningFilters: body.path_cleaning_filters as Json[] | undefined,
    slackIncomingWebhook: body.slack_incoming_webhook,
    webAnalytics: body.web_analytics && readWebSettings(deps, body.web_analytics),
    cookielessServerHashMode: body.cookieless_server_hash_mode,
    preferences,
  };
  return Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined));
}

/** Checks the address as written; what its host name resolves to is checked before each post. */
function refusePrivateAddress(
  { webhookAllowPrivate }: AccountRouteDeps['config'],
  url: string | null | undefined,
): void {
  if (!url || webhookAllowPrivate || !isPrivateUrl(url)) return;
  throw invalid(
    'slack_incoming_webhook',
    'This address is in a private network. The operator of the server can allow such addresses with ' +
      'WEBHOOK_ALLOW_PRIVATE=true.',
  );
}
