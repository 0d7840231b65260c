import type { FastifyInstance } from 'fastify';
import type { Caller } from '../../../access/callers.ts';
import { invalid } from '../../../core/errors.ts';
import { parseId } from '../../../core/parse-id.ts';
import { usersById } from '../../../http/api/activity-list.ts';
import { projectRoute } from '../../../http/api/route.ts';
import { envelope, type Query, queryText, readPage } from '../../../http/paging.ts';
import { PAGE_QUERY, pageSchema } from '../../../http/schemas/common.ts';
import type { Project } from '../../../stores/metadata/accounts.ts';
import { approveRequest, cancelRequest, getChangeRequest, mayVote, rejectRequest } from '../change-requests.ts';
import type { ChangeRequest } from '../rules/approval-records.ts';
import { REQUEST_STATES, stateAt } from '../rules/request-state.ts';
import type { ChangeRequestQuery } from '../store/approval-store.ts';
import { ChangeRequestSchema, presentChangeRequest, VotedSchema, VoteRequestSchema } from './change-request-schemas.ts';
import type { ApprovalRouteDeps } from './deps.ts';

const ALL = { url: '/api/projects/:project_id/change_requests/', tag: 'approvals', scope: 'approvals' } as const;
const ONE = { ...ALL, url: `${ALL.url}:id/` } as const;

export function changeRequestRoutes(app: FastifyInstance, deps: ApprovalRouteDeps): void {
  readRoutes(app, deps);
  voteRoutes(app, deps);
}

async function present(
  { metadata, clock }: ApprovalRouteDeps,
  caller: Caller,
  project: Project,
  requests: readonly ChangeRequest[],
) {
  const votes = await metadata.changeRequests.listVotes(requests.map(({ id }) => id));
  const users = await usersById(metadata, [
    ...requests.flatMap(({ createdBy, appliedBy }) => [createdBy, appliedBy]),
    ...votes.map(({ userId }) => userId),
  ]);
  const [viewerId, now] = [caller.user.id, clock.now()];
  return Promise.all(
    requests.map(async (request) =>
      presentChangeRequest(request, {
        users,
        votes: votes.filter(({ requestId }) => requestId === request.id),
        mayVote: await mayVote(metadata, caller, project, request),
        viewerId,
        now,
      }),
    ),
  );
}

async function presentOne(deps: ApprovalRouteDeps, caller: Caller, project: Project, request: ChangeRequest) {
  const [presented] = await present(deps, caller, project, [request]);
  if (presented === undefined) throw new Error('One request is presented as one');
  return presented;
}

function readQuery(query: Query): ChangeRequestQuery {
  const states = queryText(query, 'state')?.split(',') ?? [];
  const known = REQUEST_STATES.filter((state) => states.includes(state));
  const resource = queryText(query, 'resource_id');
  const flagId = resource ? parseId(resource) : undefined;
  if (flagId === null) throw invalid('resource_id', 'resource_id is the id of a flag.');
  return { states: states.length === 0 ? undefined : known, flagId };
}

function readRoutes(app: FastifyInstance, deps: ApprovalRouteDeps): void {
  projectRoute(app, deps, {
    ...ALL,
    method: 'GET',
    summary: 'Changes that wait for approval or did, the newest first',
    query: {
      ...PAGE_QUERY,
      state: 'Only these, separated by commas: pending, applied, rejected, expired, failed.',
      resource_type: '`feature_flag`.',
      resource_id: 'Only those of this flag.',
    },
    response: pageSchema(ChangeRequestSchema),
    handler: async ({ caller, project, query, url }) => {
      const page = readPage(query);
      const isOther = (queryText(query, 'resource_type') ?? 'feature_flag') !== 'feature_flag';
      const none = { count: 0, items: [] };
      const found = isOther ? none : await deps.metadata.changeRequests.list(project.id, readQuery(query), page);
      const items = await present(deps, caller, project, found.items);
      return envelope(url, page, { count: found.count, items }, (request) => request);
    },
  });
  projectRoute(app, deps, {
    ...ONE,
    method: 'GET',
    summary: 'One change request, with whose value it would alter',
    response: ChangeRequestSchema,
    handler: async ({ caller, project, params }) => {
      const request = await getChangeRequest(deps.metadata, project.id, params['id'] ?? '');
      return presentOne(deps, caller, project, await measured(deps, request));
    },
  });
}

/** Whom it reaches now, while it waits; every person of the project is evaluated, so not in lists. */
async function measured(deps: ApprovalRouteDeps, request: ChangeRequest): Promise<ChangeRequest> {
  const isOpen = stateAt(request, deps.clock.now()) === 'pending' && request.validationStatus === 'valid';
  const preview = isOpen ? await deps.changeMakers[request.kind].preview(deps.metadata, request) : null;
  if (preview === null) return request;
  return { ...request, blastRadius: await deps.measureFlagChange(request.projectId, preview) };
}

/** What an approver could see is kept with the request. */
async function keepBlastRadius(deps: ApprovalRouteDeps, caller: Caller, project: Project, id: string): Promise<void> {
  const request = await getChangeRequest(deps.metadata, project.id, id);
  if (!(await mayVote(deps.metadata, caller, project, request))) return;
  const { blastRadius } = await measured(deps, request);
  if (blastRadius !== null) await deps.metadata.changeRequests.setBlastRadius(request, blastRadius);
}

const MESSAGES: Partial<Record<ChangeRequest['state'], string>> = {
  pending: 'Your approval was counted. The change waits for more.',
  applied: 'The change was approved and made.',
  failed: 'The change was approved and could not be made.',
  rejected: 'The change was rejected.',
};

function voteRoutes(app: FastifyInstance, deps: ApprovalRouteDeps): void {
  const ways = [
    ['approve', 'Approve a change; the last approval that is needed makes it', approveRequest],
    ['reject', 'Reject a change, with a reason', rejectRequest],
    ['cancel', 'Withdraw a change that you asked for', cancelRequest],
  ] as const;
  for (const [name, summary, vote] of ways) {
    projectRoute(app, deps, {
      ...ONE,
      url: `${ONE.url}${name}/`,
      method: 'POST',
      summary,
      body: VoteRequestSchema,
      response: VotedSchema,
      handler: async ({ caller, project, params, body }) => {
        const id = params['id'] ?? '';
        await keepBlastRadius(deps, caller, project, id);
        const request = await vote(deps, caller, project, id, body?.reason ?? '');
        return {
          status: request.state,
          message: MESSAGES[request.state] ?? '',
          change_request: await presentOne(deps, caller, project, request),
          ...(request.resultData === null ? {} : { result: request.resultData }),
        };
      },
    });
  }
}
