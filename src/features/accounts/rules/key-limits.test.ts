import { describe, expect, it } from 'vitest';
import { checkedLimits, type KeyLimits, NO_LIMITS } from './key-limits.ts';

const NOW = Date.parse('2026-01-15T12:00:00Z');
const DAY = 86_400_000;
const limits = (some: Partial<KeyLimits>): KeyLimits => ({ ...NO_LIMITS, ...some });

describe('limits of a key', () => {
  it.each<[string, Partial<KeyLimits>]>([
    ['everything', {}],
    ['a scope in some projects', { scopes: ['query:read'], projectIds: [1, 2] }],
    [
      'scopes in an organization, for a day',
      { scopes: ['person:write'], organizationIds: ['a'], expiresAt: NOW + DAY },
    ],
    ['ten years', { expiresAt: NOW + 3650 * DAY }],
  ])('may be %s', (_name, some) => expect(checkedLimits(limits(some), NOW)).toEqual(limits(some)));

  it('are kept once', () => {
    const given = limits({ scopes: ['query:read', 'query:read'], projectIds: [3, 3] });
    expect(checkedLimits(given, NOW)).toEqual(limits({ scopes: ['query:read'], projectIds: [3] }));
  });

  it.each([
    ['flags:read', 'feature_flag:read'],
    ['feature_flags:write', 'feature_flag:write'],
    ['Person:Read', 'person:read'],
    ['cohort', 'cohort:read'],
  ])('of %s are meant to be %s', (scope, nearest) => {
    expect(() => checkedLimits(limits({ scopes: [scope] }), NOW)).toThrow(`Did you mean ${nearest}?`);
  });

  it.each<[string, Partial<KeyLimits>, string, string]>([
    ['no scope', { scopes: [] }, 'scopes', 'required'],
    ['a scope that does not exist', { scopes: ['flags:read'] }, 'scopes', 'invalid_input'],
    ['an action that does not exist', { scopes: ['query:run'] }, 'scopes', 'invalid_input'],
    ['both kinds of places', { projectIds: [1], organizationIds: ['a'] }, 'scoped_organizations', 'invalid_input'],
    ['an end that is now', { expiresAt: NOW }, 'expires_at', 'invalid_input'],
    ['an end in the past', { expiresAt: NOW - 1 }, 'expires_at', 'invalid_input'],
    ['an end beyond ten years', { expiresAt: NOW + 3651 * DAY }, 'expires_at', 'invalid_input'],
  ])('may not be %s', (_name, some, attr, code) => {
    expect(() => checkedLimits(limits(some), NOW)).toThrow(expect.objectContaining({ attr, code }));
  });
});
