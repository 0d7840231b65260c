import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ADMIN, MEMBER, type MembershipLevel, OWNER } from '../../../stores/metadata/accounts.ts';
import { grantsOf, planLevel, type RoleMap } from './group-grants.ts';

const MAP: RoleMap = {
  'cairn-admins': { level: 'admin' },
  staff: {},
  growth: { roles: ['Growth'], organization: 'two' },
  editors: { roles: ['Editors', 'Growth'], organization: 'two', level: 'admin' },
};
const grants = (groups: string[], home: string | null = 'one') => Object.fromEntries(grantsOf(groups, MAP, home));

describe('grantsOf', () => {
  it.each<[string[], object]>([
    [[], {}],
    [['unknown', 'constructor', '__proto__'], {}],
    [['staff'], { one: { level: MEMBER, roles: [] } }],
    [['staff', 'cairn-admins', 'staff'], { one: { level: ADMIN, roles: [] } }],
    [['cairn-admins', 'staff'], { one: { level: ADMIN, roles: [] } }],
    [['growth'], { two: { level: MEMBER, roles: ['Growth'] } }],
    [['growth', 'editors'], { two: { level: ADMIN, roles: ['Growth', 'Editors'] } }],
  ])('of %j', (groups, expected) => expect(grants(groups)).toEqual(expected));

  it('gives nothing where no organization is named', () => {
    expect(grants(['staff', 'growth'], null)).toEqual({ two: { level: MEMBER, roles: ['Growth'] } });
  });

  it('is the same in any order', () => {
    fc.assert(
      fc.property(fc.shuffledSubarray(Object.keys(MAP)), (groups) => {
        const sorted = (all: string[]) =>
          [...grantsOf(all, MAP, 'one')].map(([id, { level, roles }]) => [id, level, [...roles].sort()]).sort();
        expect(sorted(groups)).toEqual(sorted([...groups].reverse()));
      }),
    );
  });
});

describe('planLevel', () => {
  it.each<
    [string, { level: MembershipLevel; ownLevel: MembershipLevel | null } | null, MembershipLevel | null, object]
  >([
    ['no member, no group', null, null, { kind: 'keep' }],
    ['no member, a group', null, ADMIN, { kind: 'add', level: ADMIN }],
    ['raised above what people gave', { level: MEMBER, ownLevel: MEMBER }, ADMIN, { kind: 'change', level: ADMIN }],
    ['back to what people gave', { level: ADMIN, ownLevel: MEMBER }, null, { kind: 'change', level: MEMBER }],
    ['given by a group alone, gone', { level: ADMIN, ownLevel: null }, null, { kind: 'remove' }],
    ['given by a group alone, lowered', { level: ADMIN, ownLevel: null }, MEMBER, { kind: 'change', level: MEMBER }],
    ['an owner with a group', { level: OWNER, ownLevel: OWNER }, MEMBER, { kind: 'keep' }],
    ['an owner without one', { level: OWNER, ownLevel: OWNER }, null, { kind: 'keep' }],
    ['as it is', { level: ADMIN, ownLevel: null }, ADMIN, { kind: 'keep' }],
  ])('%s', (_name, current, granted, expected) => expect(planLevel(current, granted)).toEqual(expected));

  it('never makes an owner, and never goes below what people gave', () => {
    const levels = fc.constantFrom<MembershipLevel>(MEMBER, ADMIN, OWNER);
    const granted = fc.option(fc.constantFrom<MembershipLevel>(MEMBER, ADMIN));
    fc.assert(
      fc.property(levels, fc.option(levels), granted, (level, ownLevel, given) => {
        const plan = planLevel({ level, ownLevel }, given);
        if (plan.kind === 'change') {
          expect(plan.level).toBeGreaterThanOrEqual(ownLevel ?? MEMBER);
          if (plan.level === OWNER) expect(ownLevel).toBe(OWNER);
        }
        if (plan.kind === 'remove') expect(ownLevel).toBeNull();
      }),
    );
  });
});
