import type { Static } from '@sinclair/typebox';
import type { ChangeRequestSchema, VotedSchema } from '../../../src/features/approvals/api/change-request-schemas.ts';
import type {
  ApprovalPolicySchema,
  PolicyChangeSchema,
  PolicyCreateSchema,
} from '../../../src/features/approvals/api/policy-schemas.ts';
import { get, type Paged, patch, post, projectPath, remove } from './request.ts';

export type ChangeRequest = Static<typeof ChangeRequestSchema>;
export type ApprovalPolicy = Static<typeof ApprovalPolicySchema>;
export type PolicyWrite = Static<typeof PolicyCreateSchema>;

export const listChangeRequests = (
  projectId: number,
  query: { state?: string; resource_id?: number; limit: number; offset: number },
  signal?: AbortSignal,
): Promise<Paged<ChangeRequest>> => get(projectPath(projectId, 'change_requests'), query, signal);
export const getChangeRequest = (projectId: number, id: string, signal?: AbortSignal): Promise<ChangeRequest> =>
  get(projectPath(projectId, 'change_requests', id), {}, signal);
export const voteOn = (
  projectId: number,
  id: string,
  vote: 'approve' | 'reject' | 'cancel',
  reason: string,
): Promise<Static<typeof VotedSchema>> => post(projectPath(projectId, 'change_requests', id, vote), { reason });

export const listPolicies = async (projectId: number, signal?: AbortSignal): Promise<ApprovalPolicy[]> =>
  (await get<Paged<ApprovalPolicy>>(projectPath(projectId, 'approval_policies'), {}, signal)).results;
export const createPolicy = (projectId: number, body: PolicyWrite): Promise<ApprovalPolicy> =>
  post(projectPath(projectId, 'approval_policies'), body);
export const updatePolicy = (
  projectId: number,
  id: string,
  body: Static<typeof PolicyChangeSchema>,
): Promise<ApprovalPolicy> => patch(projectPath(projectId, 'approval_policies', id), body);
export const removePolicy = (projectId: number, id: string): Promise<unknown> =>
  remove(projectPath(projectId, 'approval_policies', id));
