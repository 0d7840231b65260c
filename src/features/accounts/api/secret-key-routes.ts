import { Type } from '@sinclair/typebox';
import type { FastifyInstance } from 'fastify';
import { usersById } from '../../../http/api/activity-list.ts';
import { projectRoute } from '../../../http/api/route.ts';
import {
  DateTime,
  iso,
  isoOrNull,
  nullable,
  presentUserOrNull,
  UserSummarySchema,
} from '../../../http/schemas/common.ts';
import { ADMIN, type ProjectSecretKey, type User } from '../../../stores/metadata/accounts.ts';
import { createSecretKey, deleteSecretKey, rollSecretKey } from '../secret-keys.ts';
import type { AccountRouteDeps } from './deps.ts';

const SecretKeySchema = Type.Object({
  id: Type.String(),
  label: Type.String(),
  mask_value: Type.String({ description: 'Its end, to tell it from others.' }),
  created_at: DateTime,
  created_by: nullable(UserSummarySchema),
  last_rolled_at: nullable(DateTime),
});
const WithValue = Type.Composite([SecretKeySchema, Type.Object({ value: Type.String() })]);

const ALL = {
  url: '/api/projects/:project_id/secret_keys/',
  tag: 'projects',
  scope: 'project',
  level: ADMIN,
} as const;

export function secretKeyRoutes(app: FastifyInstance, deps: AccountRouteDeps): void {
  const present = (key: ProjectSecretKey, users: ReadonlyMap<number, User>) => ({
    id: key.id,
    label: key.label,
    mask_value: key.mask,
    created_at: iso(key.createdAt),
    created_by: presentUserOrNull(users, key.createdBy),
    last_rolled_at: isoOrNull(key.rolledAt),
  });
  const withValue = async ({ key, value }: { key: ProjectSecretKey; value: string }) => ({
    ...present(key, await usersById(deps.metadata, [key.createdBy])),
    value,
  });
  projectRoute(app, deps, {
    ...ALL,
    method: 'GET',
    summary: 'Secret keys of the project, newest first',
    response: Type.Array(SecretKeySchema),
    handler: async ({ project }) => {
      const keys = await deps.metadata.secretKeys.listByProject(project.id);
      const users = await usersById(
        deps.metadata,
        keys.map(({ createdBy }) => createdBy),
      );
      return keys.map((key) => present(key, users));
    },
  });
  projectRoute(app, deps, {
    ...ALL,
    method: 'POST',
    summary: 'Create a secret key, for servers that evaluate flags themselves; its value is in this response only',
    body: Type.Object({ label: Type.String({ minLength: 1, maxLength: 100 }) }),
    status: 201,
    response: WithValue,
    handler: async ({ caller, project, body }) => withValue(await createSecretKey(deps, caller, project, body.label)),
  });
  projectRoute(app, deps, {
    ...ALL,
    method: 'POST',
    url: `${ALL.url}:id/roll/`,
    summary: 'Replace the value of a secret key; the old one stops working immediately',
    response: WithValue,
    handler: async ({ caller, project, params }) =>
      withValue(await rollSecretKey(deps, caller, project, params['id'] ?? '')),
  });
  projectRoute(app, deps, {
    ...ALL,
    method: 'DELETE',
    url: `${ALL.url}:id/`,
    summary: 'Delete a secret key; it stops working immediately',
    status: 204,
    handler: ({ caller, project, params }) => deleteSecretKey(deps, caller, project, params['id'] ?? ''),
  });
}
