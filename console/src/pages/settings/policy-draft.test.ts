import { describe, expect, it } from 'vitest';
import type { ApprovalPolicy } from '../../api/approvals.ts';
import { daysOf, describeConditions, draftOfPolicy, durationOf, policyOf, policyProblems } from './policy-draft.ts';

const POLICY = {
  id: 'p1',
  action_key: 'feature_flag.update',
  conditions: { type: 'change_amount', field: 'rollout_percentage', operator: '>', value: 25, tags: ['production'] },
  approver_config: { quorum: 2, users: [1], roles: ['r1'] },
  allow_self_approve: true,
  bypass_org_membership_levels: ['15'],
  bypass_roles: ['r2'],
  expires_after: '3 12:00:00',
  enabled: false,
} as unknown as ApprovalPolicy;

it('comes back from the form as it was', () => {
  const { id: _, ...rest } = POLICY;
  expect(policyOf(draftOfPolicy(POLICY, 'feature_flag.enable'))).toEqual(rest);
});

it('asks for every change, of admins, for two weeks by default', () => {
  expect(policyOf(draftOfPolicy(null, 'feature_flag.enable'))).toEqual({
    action_key: 'feature_flag.enable',
    conditions: { type: 'any' },
    approver_config: { quorum: 1, users: [], roles: [] },
    allow_self_approve: false,
    bypass_org_membership_levels: [],
    bypass_roles: [],
    expires_after: '14 00:00:00',
    enabled: true,
  });
});

it('looks at percentages only where conditions change', () => {
  const draft = { ...draftOfPolicy(POLICY, 'feature_flag.update'), action: 'feature_flag.disable' as const };
  expect(policyOf(draft).conditions).toEqual({ type: 'any', tags: ['production'] });
});

it.each([
  ['14 00:00:00', 14],
  ['12:00:00', 0.5],
  ['1 06:00:00', 1.25],
])('%s is %s days', (text, days) => {
  expect(daysOf(text)).toBe(days);
  expect(daysOf(durationOf(days))).toBe(days);
});

describe('the form', () => {
  it('says what is missing', () => {
    const draft = { ...draftOfPolicy(POLICY, 'feature_flag.update'), value: '101', quorum: '0', days: '' };
    expect(policyProblems(draft)).toEqual({
      value: 'Enter a number between 0 and 100.',
      quorum: 'Enter a whole number from 1.',
      days: 'Enter a number of days up to 365.',
    });
  });
  it('is told in words', () => {
    expect(describeConditions(POLICY)).toBe('Rollout changes by more than 25 points; tags: production');
    expect(describeConditions({ conditions: { type: 'any' } })).toBe('All');
  });
});
