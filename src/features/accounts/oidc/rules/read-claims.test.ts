import { describe, expect, it } from 'vitest';
import { groupsAt, readClaims } from './read-claims.ts';

describe('readClaims', () => {
  it('reads what is used', () => {
    const raw = {
      sub: 'a',
      email: 'Ada@Example.org',
      email_verified: true,
      name: 'Ada Lovelace',
      groups: ['x', 'y'],
      amr: ['pwd', 'mfa'],
      sid: 's',
    };
    expect(readClaims(raw, 'groups')).toEqual({
      subject: 'a',
      email: 'ada@example.org',
      isEmailVerified: true,
      name: 'Ada Lovelace',
      groups: ['x', 'y'],
      hasFactor: true,
      sid: 's',
    });
  });

  it.each([
    [undefined, null],
    [true, true],
    ['true', true],
    [false, false],
    ['false', false],
    [1, false],
    [null, false],
  ])('takes email_verified %j as %j', (given, expected) =>
    expect(readClaims({ sub: 'a', email_verified: given }, 'groups').isEmailVerified).toBe(expected),
  );

  it.each([
    1,
    '',
    'ada',
    'a b@example.org',
    'a@b',
    'a\u0000@example.org',
    ['a@example.org'],
    `${'a'.repeat(250)}@b.org`,
  ])('takes %j for no address', (email) => expect(readClaims({ sub: 'a', email }, 'groups').email).toBeNull());

  it('takes no second factor from other methods, nor a session id that is none', () => {
    for (const amr of [undefined, 'mfa', ['pwd'], ['otp']]) {
      expect(readClaims({ sub: 'a', amr }, 'groups').hasFactor).toBe(false);
    }
    for (const sid of [undefined, 1, '', 'x'.repeat(300)])
      expect(readClaims({ sub: 'a', sid }, 'groups').sid).toBeNull();
  });
});

describe('groupsAt', () => {
  const raw = { groups: ['a', 1, '', 'b'], realm_access: { roles: ['c'] }, 'https://x.org/roles': ['d'], one: 'e' };
  it.each([
    ['groups', ['a', 'b']],
    ['realm_access.roles', ['c']],
    ['https://x.org/roles', ['d']],
    ['one', ['e']],
    ['realm_access', []],
    ['missing.path', []],
    ['constructor.name', []],
    ['__proto__', []],
    ['groups.length', []],
  ])('at %s are %j', (path, groups) => expect(groupsAt(raw, path)).toEqual(groups));
});
