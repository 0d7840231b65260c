/** Reads a policy; only what was sent is set. */
import type { Static } from '@sinclair/typebox';
import { invalid } from '../../../core/errors.ts';
import type { Json } from '../../../core/json/json.ts';
import { ADMIN, MEMBER, OWNER } from '../../../stores/metadata/accounts.ts';
import type { PolicyInput } from '../policies.ts';
import { parseDuration } from '../rules/duration.ts';
import type { PolicyChangeSchema } from './policy-schemas.ts';

const LEVELS: readonly number[] = [MEMBER, ADMIN, OWNER];
const MAX_APPROVERS = 100;

export function readPolicyInput(body: Static<typeof PolicyChangeSchema>): PolicyInput {
  const { quorum, users, roles } = body.approver_config ?? {};
  const input: { [field in keyof PolicyInput]: PolicyInput[field] | undefined } = {
    conditions: body.conditions as Json | undefined,
    quorum: quorum === undefined ? undefined : readQuorum(quorum),
    users: users && listed('approver_config', users),
    roles: roles && listed('approver_config', roles),
    allowSelfApprove: body.allow_self_approve,
    bypassLevels: body.bypass_org_membership_levels === null ? [] : body.bypass_org_membership_levels?.map(readLevel),
    bypassRoles: body.bypass_roles === null ? [] : body.bypass_roles && listed('bypass_roles', body.bypass_roles),
    expiresAfterMs: body.expires_after === undefined ? undefined : parseDuration('expires_after', body.expires_after),
    enabled: body.enabled,
  };
  return Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined));
}

function readQuorum(quorum: number): number {
  if (quorum >= 1 && quorum <= MAX_APPROVERS) return quorum;
  throw invalid('approver_config', `The quorum is a number from 1 to ${MAX_APPROVERS}.`);
}

function listed<T extends string | number>(attr: string, items: readonly T[]): T[] {
  const unique = [...new Set(items)];
  if (unique.length <= MAX_APPROVERS) return unique;
  throw invalid(attr, `At most ${MAX_APPROVERS} of these can be named.`);
}

function readLevel(given: string | number): number {
  const level = LEVELS.find((one) => String(one) === String(given));
  if (level !== undefined) return level;
  throw invalid('bypass_org_membership_levels', `A level is one of ${LEVELS.join(', ')}.`, 'invalid_choice');
}
