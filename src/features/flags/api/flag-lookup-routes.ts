/** Status, dependents and payload of a flag, and keys of flags by id. */
import { Type } from '@sinclair/typebox';
import type { FastifyInstance } from 'fastify';
import { Failure, notFound } from '../../../core/errors.ts';
import { stringifyExact } from '../../../core/json/exact-json.ts';
import { isJsonObject } from '../../../core/json/json.ts';
import { parseId } from '../../../core/parse-id.ts';
import { DAY_MS } from '../../../core/time/units.ts';
import { projectRoute } from '../../../http/api/route.ts';
import type { Project } from '../../../stores/metadata/accounts.ts';
import type { FeatureFlag } from '../../../stores/metadata/flags.ts';
import { removalStatus } from '../manage/flag-status.ts';
import { dependentFlags } from '../rules/validate/references.ts';
import type { FlagRouteDeps } from './deps.ts';
import { findUses } from './find-uses.ts';
import { flagInPath } from './present-flags.ts';

const tag = 'feature flags';
const legacy = 'feature_flag';
const all = '/api/projects/:project_id/feature_flags/';

/** How far back values are compared. */
const USES_WITHIN_MS = 90 * DAY_MS;

function ifUnavailable(error: unknown): null {
  if (error instanceof Failure && error.kind === 'unavailable') return null;
  throw error;
}

const FlagName = Type.Object({ id: Type.Integer(), key: Type.String(), name: Type.String() });

export function flagLookupRoutes(app: FastifyInstance, deps: FlagRouteDeps): void {
  projectRoute(app, deps, {
    method: 'GET',
    url: `${all}:id/status/`,
    legacy,
    summary: 'Status of the flag: active, inactive, stale or deleted, and whether code that asks for it can be removed',
    tag,
    scope: 'feature_flag',
    response: Type.Object({
      status: Type.String(),
      reason: Type.String(),
      safe_to_remove: Type.Boolean({ description: 'No client has asked for it in seven days.' }),
      seen_in: Type.Array(Type.String(), { description: 'SDKs that asked for it in the last seven days.' }),
    }),
    handler: async ({ project, params }) => {
      const flag = await flagInPath(deps, project, params['id']);
      const now = deps.clock.now();
      const range = { from: now - USES_WITHIN_MS, to: now + 1 };
      const asked = { ...range, interval: 'day', origin: 'server' } as const;
      const last = await deps.flagLastUses.find(project.id);
      const uses = await findUses(deps, project, flag, { ...asked, by: 'origin' }).catch(ifUnavailable);
      if (uses !== null) return removalStatus(flag, last, uses, now);
      // Without what SDKs reported nobody knows whether the flag can go; its status needs only what was counted here.
      const counted = await findUses(deps, project, flag, { ...asked, by: 'value' });
      return { ...removalStatus(flag, last, counted, now), safe_to_remove: false };
    },
  });
  projectRoute(app, deps, {
    method: 'GET',
    url: `${all}:id/dependent_flags/`,
    legacy,
    summary: 'Flags that depend on this one',
    tag,
    scope: 'feature_flag',
    response: Type.Array(FlagName),
    handler: async ({ project, params }) => {
      const flag = await flagInPath(deps, project, params['id']);
      const dependents = dependentFlags(flag.id, await deps.metadata.flags.listByProject(project.id));
      return dependents.map(({ id, key, name }) => ({ id, key, name }));
    },
  });
  remoteConfigRoute(app, deps);
  keysRoute(app, deps);
}

/** SDKs use the key. The payload is sent as it is stored: JSON in a string stays a string. */
function remoteConfigRoute(app: FastifyInstance, deps: FlagRouteDeps): void {
  projectRoute(app, deps, {
    method: 'GET',
    url: `${all}:id_or_key/remote_config/`,
    legacy,
    summary: 'The payload of a remote configuration flag; null if it has none',
    tag,
    scope: 'feature_flag',
    response: Type.Unknown(),
    handler: async ({ project, params, reply }) => {
      const flag = await flagByIdOrKey(deps, project, params['id_or_key'] ?? '');
      if (!flag?.isRemoteConfiguration || flag.deleted) throw notFound();
      const { payloads } = flag.filters;
      // A disabled flag has no payload.
      const payload = (flag.active && isJsonObject(payloads) ? payloads['true'] : null) ?? null;
      // Serialized here, because Fastify sends a string as it is.
      return reply.type('application/json; charset=utf-8').send(stringifyExact(payload));
    },
  });
}

async function flagByIdOrKey(deps: FlagRouteDeps, project: Project, text: string): Promise<FeatureFlag | null> {
  const { flags } = deps.metadata;
  const id = parseId(text);
  const byId = id === null ? null : await flags.get(project.id, id);
  return byId ?? flags.getByKey(project.id, text);
}

const MAX_IDS = 1000;

function keysRoute(app: FastifyInstance, deps: FlagRouteDeps): void {
  projectRoute(app, deps, {
    method: 'POST',
    url: `${all}bulk_keys/`,
    legacy,
    summary: 'Keys of flags by id; unknown ids are left out',
    tag,
    scope: 'feature_flag',
    readOnly: true,
    body: Type.Object({ ids: Type.Array(Type.Integer(), { maxItems: MAX_IDS }) }),
    response: Type.Object({ keys: Type.Record(Type.String(), Type.String()) }),
    handler: async ({ project, body }) => {
      const ids = new Set(body.ids);
      const flags = await deps.metadata.flags.listByProject(project.id);
      const known = flags.filter((flag) => ids.has(flag.id));
      return { keys: Object.fromEntries(known.map((flag) => [String(flag.id), flag.key])) };
    },
  });
}
