import type { FastifyInstance } from 'fastify';
import { usersById } from '../../../http/api/activity-list.ts';
import { projectRoute } from '../../../http/api/route.ts';
import { envelope, readPage } from '../../../http/paging.ts';
import { PAGE_QUERY, pageSchema } from '../../../http/schemas/common.ts';
import { ADMIN } from '../../../stores/metadata/accounts.ts';
import { createPolicy, deletePolicy, getPolicy, updatePolicy } from '../policies.ts';
import type { ApprovalPolicy } from '../rules/approval-records.ts';
import type { ApprovalRouteDeps } from './deps.ts';
import { readPolicyInput } from './policy-body.ts';
import { ApprovalPolicySchema, PolicyChangeSchema, PolicyCreateSchema, presentPolicy } from './policy-schemas.ts';

const ALL = { url: '/api/projects/:project_id/approval_policies/', tag: 'approvals', scope: 'approvals' } as const;
const ONE = { ...ALL, url: `${ALL.url}:id/` } as const;

export function approvalPolicyRoutes(app: FastifyInstance, deps: ApprovalRouteDeps): void {
  listAndCreate(app, deps);
  onePolicy(app, deps);
}

async function present({ metadata }: ApprovalRouteDeps, policies: readonly ApprovalPolicy[]) {
  const users = await usersById(
    metadata,
    policies.map(({ createdBy }) => createdBy),
  );
  return policies.map((policy) => presentPolicy(policy, users));
}

const presentOne = async (deps: ApprovalRouteDeps, policy: ApprovalPolicy) => (await present(deps, [policy]))[0];

function listAndCreate(app: FastifyInstance, deps: ApprovalRouteDeps): void {
  projectRoute(app, deps, {
    ...ALL,
    method: 'GET',
    summary: 'Policies: which changes of flags need approval',
    query: PAGE_QUERY,
    response: pageSchema(ApprovalPolicySchema),
    handler: async ({ project, query, url }) => {
      const page = readPage(query);
      const all = await deps.metadata.approvalPolicies.listByProject(project.id);
      const items = await present(deps, all.slice(page.offset, page.offset + page.limit));
      return envelope(url, page, { count: all.length, items }, (policy) => policy);
    },
  });
  projectRoute(app, deps, {
    ...ALL,
    method: 'POST',
    level: ADMIN,
    summary: 'Ask for approval of a kind of change; one policy for each kind',
    body: PolicyCreateSchema,
    status: 201,
    response: ApprovalPolicySchema,
    handler: async ({ caller, project, body }) =>
      presentOne(deps, await createPolicy(deps, caller, project, body.action_key, readPolicyInput(body))),
  });
}

function onePolicy(app: FastifyInstance, deps: ApprovalRouteDeps): void {
  projectRoute(app, deps, {
    ...ONE,
    method: 'GET',
    summary: 'One policy',
    response: ApprovalPolicySchema,
    handler: async ({ project, params }) =>
      presentOne(deps, await getPolicy(deps.metadata, project.id, params['id'] ?? '')),
  });
  projectRoute(app, deps, {
    ...ONE,
    method: 'PATCH',
    level: ADMIN,
    summary: 'Change a policy; requests that wait keep the one under which they were made',
    body: PolicyChangeSchema,
    response: ApprovalPolicySchema,
    handler: async ({ caller, project, params, body }) =>
      presentOne(deps, await updatePolicy(deps, caller, project, params['id'] ?? '', readPolicyInput(body))),
  });
  projectRoute(app, deps, {
    ...ONE,
    method: 'DELETE',
    level: ADMIN,
    summary: 'Remove a policy',
    status: 204,
    handler: ({ caller, project, params }) => deletePolicy(deps, caller, project, params['id'] ?? ''),
  });
}
