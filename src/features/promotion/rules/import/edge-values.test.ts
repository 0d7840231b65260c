import { describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '../../../../core/json/json.ts';
import type { PortableFlag } from '../portable-flag.ts';
import { makeEdgeUsers, makeUsersOfOtherTypes } from './compare-users.ts';
import { edgeValues, typeInCondition } from './edge-values.ts';

const is = (key: string, operator: string, value: Json): JsonObject => ({ key, operator, type: 'person', value });

describe('the edges of a condition', () => {
  it.each<[JsonObject, string | null, Json[]]>([
    [is('age', 'gte', 18), 'number', [17, 17.999, 18 - 18 * Number.EPSILON, 18, 18.001, 19, -18, '18', '18.0', null]],
    [is('age', 'between', [0, 0]), 'number', [0, -Number.EPSILON, Number.EPSILON, '', true]],
    [
      is('v', 'semver_gt', '1.2.3'),
      'text',
      ['1.2.3', '1.2.2', '1.2.4', '1.1.3', '1.2.3-alpha', '1-alpha', 'v1.2.3', '1.2'],
    ],
    [is('v', 'semver_gt', '2.0.0-beta'), 'text', ['2.0.0', '2.0.0-beta.1', '1.0.0']],
    [
      is('joined', 'is_date_after', '2026-01-01T00:00:00Z'),
      'text',
      ['2025-12-31T23:59:59.999Z', '2026-01-01T00:00:00.001Z', '2026-01-01T02:00:00.000+02:00', 1767225600000],
    ],
    [is('plan', 'regex', '^(?:Pro|a\\.b)$'), 'text', ['Pro', 'PRO', 'pro', 'xPro', 'Pro ', 'Pro\n', 'a.b', 'A.B', '']],
    [is('plan', 'not_regex', '[A-Z]'), 'text', ['', 'x', 0, null]],
    [is('beta', 'exact', 'true'), 'boolean', [true, false, 'true', 'TRUE', 1, '1', null]],
    [is('beta', 'not_regex', '^(?:false)$'), 'boolean', [false, true, 'false', 'FALSE']],
    [is('any', 'is_set', 'is_set'), null, ['', null, 0, false]],
  ])('are at, below and above it: %j', (property, type, some) => {
    expect(typeInCondition(property)).toBe(type);
    expect(edgeValues(property)).toEqual(expect.arrayContaining(some));
  });
});

it('come to users in turn, apart from values of other types', () => {
  const filters = { groups: [{ properties: [is('age', 'gte', 18), is('plan', 'regex', '^(?:pro)$')] }] };
  const flags = [{ key: 'a', filters } as unknown as PortableFlag];
  const seen = (users: ReturnType<typeof makeEdgeUsers>, key: string) =>
    new Set(users.map((one) => one.properties[key]));
  const [users, others] = [makeEdgeUsers(flags, 400), makeUsersOfOtherTypes(flags, 100)];
  expect(users).toHaveLength(400);
  const [age, plan] = [seen(users, 'age'), seen(users, 'plan')];
  expect([...age].filter((value) => value !== undefined).every((value) => typeof value === 'number')).toBe(true);
  expect([17.999, 18, undefined].every((value) => age.has(value))).toBe(true);
  expect(['pro', 'PRO', '', undefined].every((value) => plan.has(value))).toBe(true);
  expect([0, null, true].some((value) => plan.has(value))).toBe(false);
  expect([null, '18', true].every((value) => seen(others, 'age').has(value))).toBe(true);
  expect([null, 0, false].every((value) => seen(others, 'plan').has(value))).toBe(true);
});

it('keeps versions that only some products read apart', () => {
  const filters = { groups: [{ properties: [is('v', 'semver_gt', '2.1')] }] };
  const flags = [{ key: 'a', filters } as unknown as PortableFlag];
  const versions = (users: ReturnType<typeof makeEdgeUsers>) => new Set(users.map(({ properties }) => properties['v']));
  const [users, others] = [versions(makeEdgeUsers(flags, 400)), versions(makeUsersOfOtherTypes(flags, 100))];
  expect([users.has('2.1.0-alpha'), users.has('2-alpha'), others.has('2-alpha')]).toEqual([true, false, true]);
});
