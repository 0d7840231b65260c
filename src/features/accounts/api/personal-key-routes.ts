import { Type } from '@sinclair/typebox';
import type { FastifyInstance } from 'fastify';
import { userRoute } from '../../../http/api/route.ts';
import { createPersonalKey, deletePersonalKey, getPersonalKey } from '../personal-keys.ts';
import type { AccountRouteDeps } from './deps.ts';
import {
  NewPersonalKeySchema,
  PersonalKeySchema,
  PersonalKeyWriteSchema,
  presentPersonalKey,
} from './personal-key-schemas.ts';

export function personalKeyRoutes(app: FastifyInstance, deps: AccountRouteDeps): void {
  const tag = 'personal keys';
  const one = '/api/personal_api_keys/:id/';
  userRoute(app, deps, {
    method: 'GET',
    url: '/api/personal_api_keys/',
    summary: 'Your personal API keys, newest first',
    tag,
    response: Type.Array(PersonalKeySchema),
    handler: async ({ caller }) =>
      (await deps.metadata.personalKeys.listByUser(caller.user.id)).map(presentPersonalKey),
  });
  userRoute(app, deps, {
    method: 'POST',
    url: '/api/personal_api_keys/',
    summary: 'Create a personal API key; its value is in this response only',
    tag,
    body: PersonalKeyWriteSchema,
    status: 201,
    response: NewPersonalKeySchema,
    handler: async ({ caller, body }) => {
      const { key, value } = await createPersonalKey(deps, caller, body.label);
      return { ...presentPersonalKey(key), value };
    },
  });
  userRoute(app, deps, {
    method: 'GET',
    url: one,
    summary: 'One of your personal API keys',
    tag,
    response: PersonalKeySchema,
    handler: async ({ caller, params }) =>
      presentPersonalKey(await getPersonalKey(deps.metadata, caller, params['id'] ?? '')),
  });
  userRoute(app, deps, {
    method: 'DELETE',
    url: one,
    summary: 'Delete a personal API key; it stops working immediately',
    tag,
    status: 204,
    handler: async ({ caller, params }) => {
      const key = await getPersonalKey(deps.metadata, caller, params['id'] ?? '');
      await deletePersonalKey(deps, caller.user, key);
    },
  });
}
