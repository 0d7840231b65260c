import { Type } from '@sinclair/typebox';
import type { FastifyInstance } from 'fastify';
import { requireFullKey } from '../../../access/callers.ts';
import { ANY_KEY, FULL_KEY } from '../../../core/scopes.ts';
import { userRoute } from '../../../http/api/route.ts';
import {
  createPersonalKey,
  deletePersonalKey,
  getPersonalKey,
  requirePlaces,
  rollPersonalKey,
  updatePersonalKey,
} from '../personal-keys.ts';
import { NO_LIMITS } from '../rules/key-limits.ts';
import type { AccountRouteDeps } from './deps.ts';
import {
  NewPersonalKeySchema,
  PersonalKeyChangeSchema,
  PersonalKeySchema,
  PersonalKeyWriteSchema,
  presentPersonalKey,
  readLimits,
} from './personal-key-schemas.ts';

const ALL = { url: '/api/personal_api_keys/', tag: 'personal keys', scope: FULL_KEY } as const;
const ONE = { ...ALL, url: `${ALL.url}:id/` } as const;

export function personalKeyRoutes(app: FastifyInstance, deps: AccountRouteDeps): void {
  userRoute(app, deps, {
    ...ALL,
    method: 'GET',
    summary: 'Your personal API keys, newest first',
    response: Type.Array(PersonalKeySchema),
    handler: async ({ caller }) =>
      (await deps.metadata.personalKeys.listByUser(caller.user.id)).map(presentPersonalKey),
  });
  userRoute(app, deps, {
    ...ALL,
    method: 'POST',
    summary: 'Create a personal API key; its value is in this response only',
    body: PersonalKeyWriteSchema,
    status: 201,
    response: NewPersonalKeySchema,
    handler: async ({ caller, body }) => {
      const limits = { ...NO_LIMITS, ...readLimits(body) };
      await requirePlaces(deps.metadata, caller, limits);
      const { key, value } = await createPersonalKey(deps, caller, body.label, limits);
      return { ...presentPersonalKey(key), value };
    },
  });
  oneKeyRoutes(app, deps);
}

function oneKeyRoutes(app: FastifyInstance, deps: AccountRouteDeps): void {
  userRoute(app, deps, {
    ...ONE,
    scope: ANY_KEY,
    limitsItself: true,
    method: 'GET',
    summary: 'One of your personal API keys; `@current` is the one of this request',
    response: PersonalKeySchema,
    handler: async ({ caller, params }) => {
      const { id = '' } = params;
      if (id !== '@current' && id !== caller.key?.id) requireFullKey(caller);
      return presentPersonalKey(await getPersonalKey(deps.metadata, caller, id));
    },
  });
  userRoute(app, deps, {
    ...ONE,
    method: 'PATCH',
    summary: 'Change the label or the limits of a personal API key',
    body: PersonalKeyChangeSchema,
    response: PersonalKeySchema,
    handler: async ({ caller, params, body }) => {
      const changes = { ...readLimits(body), ...(body.label === undefined ? {} : { label: body.label }) };
      return presentPersonalKey(await updatePersonalKey(deps, caller, params['id'] ?? '', changes));
    },
  });
  userRoute(app, deps, {
    ...ONE,
    url: `${ONE.url}roll/`,
    method: 'POST',
    summary: 'Give a personal API key a new value; the old one stops working immediately',
    response: NewPersonalKeySchema,
    handler: async ({ caller, params }) => {
      const { key, value } = await rollPersonalKey(deps, caller, params['id'] ?? '');
      return { ...presentPersonalKey(key), value };
    },
  });
  userRoute(app, deps, {
    ...ONE,
    method: 'DELETE',
    summary: 'Delete a personal API key; it stops working immediately',
    status: 204,
    handler: async ({ caller, params }) => {
      const key = await getPersonalKey(deps.metadata, caller, params['id'] ?? '');
      await deletePersonalKey(deps, caller.user, key);
    },
  });
}
