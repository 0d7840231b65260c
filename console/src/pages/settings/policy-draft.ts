/** A policy as a form, and in words. */
import type { ApprovalPolicy, PolicyWrite } from '../../api/approvals.ts';
import { formatNumber } from '../../lib/numbers.ts';

export type ActionKey = ApprovalPolicy['action_key'];

export const ACTIONS: readonly { value: ActionKey; label: string }[] = [
  { value: 'feature_flag.enable', label: 'A flag is enabled' },
  { value: 'feature_flag.disable', label: 'A flag is disabled or deleted' },
  { value: 'feature_flag.update', label: 'Conditions, variants or payloads change' },
];
export const actionLabel = (key: ActionKey): string => ACTIONS.find(({ value }) => value === key)?.label ?? key;

/** Which changes of the action; the last two look at rollout percentages. */
export const SCOPES = [
  { value: 'any', label: 'Every such change' },
  { value: 'any_change', label: 'Only changes of the rollout percentage' },
  { value: 'change_amount', label: 'Only if the rollout changes by' },
  { value: 'before_after', label: 'Only if the rollout becomes' },
] as const;
export type PolicyScope = (typeof SCOPES)[number]['value'];

export const OPERATORS = [
  { value: '>', label: 'more than' },
  { value: '>=', label: 'at least' },
  { value: '<', label: 'less than' },
  { value: '<=', label: 'at most' },
  { value: '==', label: 'exactly' },
  { value: '!=', label: 'anything but' },
] as const;
type Operator = (typeof OPERATORS)[number]['value'];

export interface PolicyDraft {
  action: ActionKey;
  scope: PolicyScope;
  operator: Operator;
  /** In percentage points, or percent. */
  value: string;
  tags: readonly string[];
  quorum: string;
  users: readonly number[];
  roles: readonly string[];
  isSelf: boolean;
  /** Levels of members who need not ask. */
  levels: readonly string[];
  bypassRoles: readonly string[];
  days: string;
  isOn: boolean;
}

const DAY_SECONDS = 86_400;
const DEFAULT_DAYS = '14';

/** `14 00:00:00` is 14 days, `12:00:00` half a day. */
export function daysOf(duration: string): number {
  const [, days = '0', hours = '0', minutes = '0', seconds = '0'] =
    /^(?:(\d+) )?(\d+):(\d+):(\d+)/.exec(duration) ?? [];
  return Number(days) + (Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds)) / DAY_SECONDS;
}

export function durationOf(days: number): string {
  const whole = Math.floor(days);
  const rest = Math.round((days - whole) * DAY_SECONDS);
  const part = (seconds: number): string => String(Math.floor(seconds)).padStart(2, '0');
  return `${whole} ${part(rest / 3600)}:${part((rest % 3600) / 60)}:${part(rest % 60)}`;
}

const listOf = (value: unknown): string[] => (Array.isArray(value) ? value.map(String) : []);

export function draftOfPolicy(policy: ApprovalPolicy | null, action: ActionKey): PolicyDraft {
  const conditions = policy?.conditions ?? {};
  const { type, operator, value } = conditions as { type?: string; operator?: string; value?: number };
  return {
    action: policy?.action_key ?? action,
    scope: SCOPES.find((one) => one.value === type)?.value ?? 'any',
    operator: OPERATORS.find((one) => one.value === operator)?.value ?? '>',
    value: value === undefined ? '10' : String(value),
    tags: listOf(conditions['tags']),
    quorum: String(policy?.approver_config.quorum ?? 1),
    users: policy?.approver_config.users ?? [],
    roles: policy?.approver_config.roles ?? [],
    isSelf: policy?.allow_self_approve ?? false,
    levels: policy?.bypass_org_membership_levels ?? [],
    bypassRoles: policy?.bypass_roles ?? [],
    days: policy === null ? DEFAULT_DAYS : String(Number(daysOf(policy.expires_after).toFixed(4))),
    isOn: policy?.enabled ?? true,
  };
}

const looksAtAmount = (scope: PolicyScope): boolean => scope === 'change_amount' || scope === 'before_after';

/** Percentages belong to changes of conditions. */
export const scopeOf = ({ action, scope }: PolicyDraft): PolicyScope =>
  action === 'feature_flag.update' ? scope : 'any';

export function policyOf(draft: PolicyDraft): PolicyWrite {
  const scope = scopeOf(draft);
  const { operator, value, tags } = draft;
  return {
    action_key: draft.action,
    conditions: {
      type: scope,
      ...(scope === 'any' ? {} : { field: 'rollout_percentage' }),
      ...(looksAtAmount(scope) ? { operator, value: Number(value) } : {}),
      ...(tags.length === 0 ? {} : { tags: [...tags] }),
    },
    approver_config: { quorum: Number(draft.quorum), users: [...draft.users], roles: [...draft.roles] },
    allow_self_approve: draft.isSelf,
    bypass_org_membership_levels: [...draft.levels],
    bypass_roles: [...draft.bypassRoles],
    expires_after: durationOf(Number(draft.days)),
    enabled: draft.isOn,
  };
}

interface PolicyProblems {
  value: string | null;
  quorum: string | null;
  days: string | null;
}

export function policyProblems(draft: PolicyDraft): PolicyProblems {
  const [value, quorum, days] = [Number(draft.value), Number(draft.quorum), Number(draft.days)];
  const isAmount = looksAtAmount(scopeOf(draft));
  return {
    value:
      isAmount && (draft.value.trim() === '' || !(value >= 0 && value <= 100))
        ? 'Enter a number between 0 and 100.'
        : null,
    quorum: Number.isInteger(quorum) && quorum >= 1 ? null : 'Enter a whole number from 1.',
    days: days > 0 && days <= 365 ? null : 'Enter a number of days up to 365.',
  };
}

/** 'Rollout changes by more than 10 points; tags: production' */
export function describeConditions({ conditions }: Pick<ApprovalPolicy, 'conditions'>): string {
  const { type, operator, value } = conditions as { type?: string; operator?: string; value?: number };
  const how = OPERATORS.find((one) => one.value === operator)?.label ?? String(operator);
  const what = {
    any_change: 'Any change of the rollout',
    change_amount: `Rollout changes by ${how} ${formatNumber(value ?? 0)} points`,
    before_after: `Rollout becomes ${how} ${formatNumber(value ?? 0)}%`,
  }[type ?? ''];
  const tags = listOf(conditions['tags']);
  return [what ?? 'All', ...(tags.length === 0 ? [] : [`tags: ${tags.join(', ')}`])].join('; ');
}
