import { Type } from '@sinclair/typebox';
import {
  AnyObject,
  DateTime,
  iso,
  nullable,
  presentUserOrNull,
  UserSummarySchema,
  Uuid,
} from '../../../http/schemas/common.ts';
import type { User } from '../../../stores/metadata/accounts.ts';
import type { ApprovalPolicy } from '../rules/approval-records.ts';
import { formatDuration } from '../rules/duration.ts';
import { ACTION_KEYS, type PolicyRules, presentConditions } from '../rules/policy.ts';

const ActionKeySchema = Type.Union(
  ACTION_KEYS.map((key) => Type.Literal(key)),
  { description: 'Which changes of flags it covers.' },
);
const Levels = Type.Array(Type.String({ description: 'The level of a membership: 1, 8 (admin) or 15 (owner).' }));

const ApproversSchema = Type.Object(
  {
    quorum: Type.Integer({ description: 'How many approvals a change needs.' }),
    users: Type.Array(Type.Integer()),
    roles: Type.Array(Type.String()),
  },
  { description: 'Who approves: these users and the members of these roles; if both are empty, the admins.' },
);

export const ApprovalPolicySchema = Type.Object({
  id: Uuid,
  action_key: ActionKeySchema,
  conditions: AnyObject,
  approver_config: ApproversSchema,
  allow_self_approve: Type.Boolean(),
  bypass_org_membership_levels: Levels,
  bypass_roles: Type.Array(Type.String()),
  expires_after: Type.String({ description: 'How long a change waits: days hours:minutes:seconds.' }),
  enabled: Type.Boolean(),
  created_by: nullable(UserSummarySchema),
  created_at: DateTime,
  updated_at: DateTime,
});

const CHANGES = {
  conditions: Type.Optional(
    nullable(
      Type.Record(Type.String(), Type.Unknown(), {
        description:
          '`{"type": "any"}`, or for updates any_change, before_after or change_amount of rollout_percentage; `tags` limits it to flags with one of them.',
      }),
    ),
  ),
  approver_config: Type.Optional(
    Type.Object({
      quorum: Type.Optional(Type.Integer()),
      users: Type.Optional(Type.Array(Type.Integer())),
      roles: Type.Optional(Type.Array(Type.String())),
    }),
  ),
  allow_self_approve: Type.Optional(Type.Boolean()),
  bypass_org_membership_levels: Type.Optional(nullable(Type.Array(Type.Union([Type.String(), Type.Integer()])))),
  bypass_roles: Type.Optional(nullable(Type.Array(Type.String()))),
  expires_after: Type.Optional(Type.String()),
  enabled: Type.Optional(Type.Boolean()),
};

export const PolicyCreateSchema = Type.Object({ action_key: ActionKeySchema, ...CHANGES });
export const PolicyChangeSchema = Type.Object(CHANGES);

export const presentRules = (rules: PolicyRules) => ({
  conditions: presentConditions(rules.conditions),
  allow_self_approve: rules.allowSelfApprove,
  bypass_org_membership_levels: rules.bypassLevels.map(String),
  bypass_roles: rules.bypassRoles,
});

export const presentPolicy = (policy: ApprovalPolicy, users: ReadonlyMap<number, User>) => ({
  id: policy.id,
  action_key: policy.actionKey,
  ...presentRules(policy.rules),
  approver_config: { quorum: policy.rules.quorum, users: policy.rules.users, roles: policy.rules.roles },
  expires_after: formatDuration(policy.expiresAfterMs),
  enabled: policy.enabled,
  created_by: presentUserOrNull(users, policy.createdBy),
  created_at: iso(policy.createdAt),
  updated_at: iso(policy.updatedAt),
});
