import { Type } from '@sinclair/typebox';
import { diffJson } from '../../../core/json/json-diff.ts';
import {
  AnyObject,
  DateTime,
  iso,
  isoOrNull,
  nullable,
  presentUserOrNull,
  UserSummarySchema,
  Uuid,
} from '../../../http/schemas/common.ts';
import type { User } from '../../../stores/metadata/accounts.ts';
import { type ChangeRequest, DECISIONS, VALIDATION_STATUSES, type Vote } from '../rules/approval-records.ts';
import { ACTION_KEYS } from '../rules/policy.ts';
import { REQUEST_STATES, stateAt } from '../rules/request-state.ts';
import { presentRules } from './policy-schemas.ts';

const oneOf = <T extends string>(values: readonly T[]) => Type.Union(values.map((value) => Type.Literal(value)));

const VoteSchema = Type.Object({
  id: Uuid,
  created_by: nullable(UserSummarySchema),
  decision: oneOf(DECISIONS),
  reason: Type.String(),
  created_at: DateTime,
});

export const ChangeRequestSchema = Type.Object({
  id: Uuid,
  action_key: oneOf(ACTION_KEYS),
  action_version: Type.Integer(),
  resource_type: Type.Literal('feature_flag'),
  resource_id: nullable(Type.String({ description: 'The flag; null if the change creates it.' })),
  intent: AnyObject,
  intent_display: Type.Object({ description: Type.String(), before: AnyObject, after: AnyObject }),
  policy_snapshot: AnyObject,
  validation_status: oneOf(VALIDATION_STATUSES),
  validation_errors: nullable(Type.Object({ detail: Type.String() })),
  validated_at: DateTime,
  state: oneOf(REQUEST_STATES),
  created_by: nullable(UserSummarySchema),
  applied_by: nullable(UserSummarySchema),
  created_at: DateTime,
  updated_at: DateTime,
  expires_at: DateTime,
  applied_at: nullable(DateTime),
  apply_error: nullable(Type.String()),
  result_data: nullable(AnyObject),
  approvals: Type.Array(VoteSchema),
  can_approve: Type.Boolean(),
  can_cancel: Type.Boolean(),
  is_requester: Type.Boolean(),
  user_decision: nullable(oneOf(DECISIONS)),
  base_version: nullable(Type.Integer({ description: 'Ours: the version of the flag that it changes.' })),
  diff: Type.Array(Type.Object({ path: Type.String(), from: Type.Unknown(), to: Type.Unknown() }), {
    description: 'Ours: what differs, by its place.',
  }),
  blast_radius: nullable(
    Type.Object(
      {
        users_affected: Type.Integer(),
        total_users: Type.Integer(),
        users_changed: Type.Integer(),
        changes: Type.Array(Type.Object({ from: Type.Unknown(), to: Type.Unknown(), count: Type.Integer() })),
      },
      {
        description:
          'Ours: whose value would change. While it waits, measured when the request is read, not in lists; then as it was at the last vote.',
      },
    ),
  ),
  scheduled_at: nullable(DateTime),
});

export const VoteRequestSchema = Type.Object({ reason: Type.Optional(nullable(Type.String())) });

export const VotedSchema = Type.Object({
  status: Type.String({ description: 'pending, applied, failed or rejected.' }),
  message: Type.String(),
  change_request: ChangeRequestSchema,
  result: Type.Optional(AnyObject),
});

interface Presented {
  users: ReadonlyMap<number, User>;
  votes: readonly Vote[];
  mayVote: boolean;
  viewerId: number;
  now: number;
}

export function presentChangeRequest(request: ChangeRequest, { users, votes, mayVote, viewerId, now }: Presented) {
  const { intent, policy } = request;
  const state = stateAt(request, now);
  const own = votes.find(({ userId }) => userId === viewerId);
  const isRequester = request.createdBy === viewerId;
  return {
    id: request.id,
    action_key: request.actionKey,
    action_version: 1,
    resource_type: 'feature_flag' as const,
    resource_id: request.flagId === null ? null : String(request.flagId),
    intent: {
      flag_id: request.flagId,
      flag_key: request.flagKey,
      current_state: intent.before,
      gated_changes: intent.after,
      preconditions: { version: request.baseVersion },
      ...(intent.schedule === null ? {} : { scheduled_change: intent.schedule }),
    },
    intent_display: { description: describe(request), before: intent.before, after: intent.after },
    policy_snapshot: { quorum: policy.quorum, users: policy.users, roles: policy.roles, ...presentRules(policy) },
    validation_status: state === 'expired' ? ('expired' as const) : request.validationStatus,
    validation_errors: request.validationError === null ? null : { detail: request.validationError },
    validated_at: iso(request.validatedAt),
    state,
    created_by: presentUserOrNull(users, request.createdBy),
    applied_by: presentUserOrNull(users, request.appliedBy),
    created_at: iso(request.createdAt),
    updated_at: iso(request.updatedAt),
    expires_at: iso(request.expiresAt),
    applied_at: isoOrNull(request.appliedAt),
    apply_error: request.applyError,
    result_data: request.resultData,
    approvals: votes.map(({ id, userId, decision, reason, createdAt }) => ({
      id,
      created_by: presentUserOrNull(users, userId),
      decision,
      reason,
      created_at: iso(createdAt),
    })),
    can_approve: state === 'pending' && own === undefined && mayVote,
    can_cancel: state === 'pending' && isRequester,
    is_requester: isRequester,
    user_decision: own?.decision ?? null,
    base_version: request.baseVersion,
    diff: diffJson(intent.before, intent.after),
    blast_radius: request.blastRadius as unknown,
    scheduled_at: isoOrNull(request.scheduledAt),
  };
}

function describe({ kind, actionKey, flagKey, intent }: ChangeRequest): string {
  const flag = `feature flag '${flagKey}'`;
  if (kind === 'create') return `Create ${flag}, enabled`;
  const verb = { 'feature_flag.enable': 'Enable', 'feature_flag.disable': 'Disable', 'feature_flag.update': 'Update' };
  if (kind === 'schedule') return `${verb[actionKey]} ${flag} at a time`;
  return intent.after['deleted'] === true ? `Delete ${flag}` : `${verb[actionKey]} ${flag}`;
}
