import type { Static } from '@sinclair/typebox';
import type { FastifyInstance } from 'fastify';
import type { Resource } from '../../../access/resources.ts';
import type { JsonObject } from '../../../core/json/json.ts';
import { usersById } from '../../../http/api/activity-list.ts';
import { projectRoute } from '../../../http/api/route.ts';
import { queryText } from '../../../http/paging.ts';
import { idFromPath } from '../../../http/path-ids.ts';
import { readTimeField } from '../../../http/read-time.ts';
import type { Project } from '../../../stores/metadata/accounts.ts';
import { readGraceMinutes, readOrigins, type SharedKind } from '../rules/share-settings.ts';
import {
  addPassword,
  changeShare,
  deletePassword,
  recentViews,
  refreshShare,
  requireItem,
  type ShareChanges,
  type SharedItem,
  WHOLE_SITE,
} from '../shares.ts';
import type { SharingApiDeps } from './deps.ts';
import {
  CreatedPasswordSchema,
  PasswordCreateSchema,
  presentPassword,
  presentShare,
  ShareChangeSchema,
  ShareSchema,
} from './sharing-schemas.ts';

interface Shareable {
  kind: SharedKind;
  /** What it is below. */
  url: string;
  resource: Resource;
  name: string;
}

const SHAREABLE: readonly Shareable[] = [
  { kind: 'insight', url: 'insights/:id/', resource: 'insights', name: 'an insight' },
  { kind: 'dashboard', url: 'dashboards/:id/', resource: 'dashboards', name: 'a dashboard' },
  { kind: 'web', url: 'web_analytics/', resource: 'insights', name: 'the overview of the site' },
  { kind: 'web', url: 'web_analytics/shares/:id/', resource: 'insights', name: 'a part of the site' },
];

export function sharingRoutes(app: FastifyInstance, deps: SharingApiDeps): void {
  for (const shareable of SHAREABLE) {
    shares(app, deps, shareable);
    passwords(app, deps, shareable);
  }
}

const urlOf = ({ url }: Shareable): string => `/api/projects/:project_id/${url}sharing/`;
const ABOUT = { tag: 'sharing', scope: 'sharing_configuration' } as const;

const itemOf = ({ kind, url }: Shareable, params: Readonly<Record<string, string>>): SharedItem => ({
  kind,
  itemId: url.includes(':id') ? idFromPath(params) : WHOLE_SITE,
});

async function show(deps: SharingApiDeps, { id }: Project, { kind, itemId }: SharedItem) {
  const { metadata } = deps;
  const share = await metadata.shares.get(id, kind, itemId);
  if (share === null) return presentShare(null, [], 0);
  const kept = await metadata.shares.listPasswords(share.id);
  const users = await usersById(
    metadata,
    kept.map(({ createdBy }) => createdBy),
  );
  const views = await recentViews(deps, share);
  return presentShare(
    share,
    kept.map((password) => presentPassword(password, users)),
    views,
  );
}

function readChanges(body: Static<typeof ShareChangeSchema>): ShareChanges {
  const { enabled, password_required, settings, expires_at, allowed_origins } = body;
  return {
    ...(enabled === undefined ? {} : { enabled }),
    ...(password_required === undefined ? {} : { passwordRequired: password_required }),
    ...(settings === undefined ? {} : { settings: settings as JsonObject }),
    ...(expires_at === undefined
      ? {}
      : { expiresAt: expires_at === null ? null : readTimeField('expires_at', expires_at) }),
    ...(allowed_origins === undefined ? {} : { allowedOrigins: readOrigins(allowed_origins) }),
  };
}

function shares(app: FastifyInstance, deps: SharingApiDeps, shareable: Shareable): void {
  const { resource, name } = shareable;
  const url = urlOf(shareable);
  projectRoute(app, deps, {
    ...ABOUT,
    method: 'GET',
    url,
    summary: `Whether and how ${name} is shared`,
    response: ShareSchema,
    handler: async ({ project, params }) => {
      const item = itemOf(shareable, params);
      await requireItem(deps.metadata, project.id, item);
      return show(deps, project, item);
    },
  });
  projectRoute(app, deps, {
    ...ABOUT,
    method: 'PATCH',
    url,
    edits: [resource],
    summary: `Share ${name} with people who are not signed in, or no longer`,
    body: ShareChangeSchema,
    response: ShareSchema,
    handler: async ({ caller, project, params, body }) => {
      const item = itemOf(shareable, params);
      await changeShare(deps, caller, project, item, readChanges(body));
      return show(deps, project, item);
    },
  });
  projectRoute(app, deps, {
    ...ABOUT,
    method: 'POST',
    url: `${url}refresh/`,
    edits: [resource],
    summary: `A new link to ${name}; the old one opens nothing any more`,
    query: { grace_minutes: 'How long the old link still works, up to 5; 0 by default.' },
    response: ShareSchema,
    handler: async ({ caller, project, params, query }) => {
      const item = itemOf(shareable, params);
      const grace = readGraceMinutes(queryText(query, 'grace_minutes'));
      await refreshShare(deps, caller, project, item, grace);
      return show(deps, project, item);
    },
  });
}

function passwords(app: FastifyInstance, deps: SharingApiDeps, shareable: Shareable): void {
  const { resource, name } = shareable;
  const url = `${urlOf(shareable)}passwords/`;
  projectRoute(app, deps, {
    ...ABOUT,
    method: 'POST',
    url,
    edits: [resource],
    summary: `A password for the link to ${name}; it is shown once`,
    body: PasswordCreateSchema,
    status: 201,
    response: CreatedPasswordSchema,
    handler: async ({ caller, project, params, body }) => {
      const given = { password: body.raw_password, note: body.note || null };
      const { password, stored } = await addPassword(deps, caller, project, itemOf(shareable, params), given);
      return { ...presentPassword(stored, new Map([[caller.user.id, caller.user]])), password };
    },
  });
  projectRoute(app, deps, {
    ...ABOUT,
    method: 'DELETE',
    url: `${url}:password_id/`,
    edits: [resource],
    summary: `Delete a password of the link to ${name}; whoever entered with it is shut out`,
    status: 204,
    handler: ({ caller, project, params }) => {
      const id = idFromPath({ id: params['password_id'] ?? '' });
      return deletePassword(deps, caller, project, itemOf(shareable, params), id);
    },
  });
}
