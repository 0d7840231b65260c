import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decideSignIn, type SignInFacts } from './decide-sign-in.ts';

const NEW: SignInFacts = {
  linked: null,
  email: { isVerified: true },
  account: null,
  isDomainAllowed: false,
  hasInvite: false,
  hasGroup: false,
  requiresGroup: false,
};
const ACCOUNT = { isActive: true, hasPassword: true, hasOtherSubject: false, isDomainProved: false };
const known = (account: Partial<typeof ACCOUNT>, isVerified: boolean | null): Partial<SignInFacts> => ({
  account: { ...ACCOUNT, ...account },
  email: { isVerified },
});

describe('decideSignIn', () => {
  it.each<[string, Partial<SignInFacts>, string]>([
    ['a known subject', { linked: { isActive: true } }, 'linked'],
    ['a known subject without an address', { linked: { isActive: true }, email: null }, 'linked'],
    [
      'a known subject whose address is now somebody else’s',
      { linked: { isActive: true }, account: ACCOUNT },
      'linked',
    ],
    ['a known subject of a disabled user', { linked: { isActive: false } }, 'account_disabled'],
    ['a known subject without a group', { linked: { isActive: true }, requiresGroup: true }, 'sso_no_group'],
    ['a stranger', {}, 'sso_no_account'],
    ['a stranger of an allowed domain', { isDomainAllowed: true }, 'create'],
    ['a stranger with an invitation', { hasInvite: true }, 'create'],
    ['a stranger with a group alone', { hasGroup: true }, 'sso_no_account'],
    ['a stranger whose provider is silent', { hasInvite: true, email: { isVerified: null } }, 'create'],
    ['a doubtful address', { hasInvite: true, email: { isVerified: false } }, 'sso_email_unverified'],
    ['no address', { isDomainAllowed: true, email: null }, 'sso_no_email'],
    ['no group', { isDomainAllowed: true, requiresGroup: true }, 'sso_no_group'],
    ['a group', { isDomainAllowed: true, requiresGroup: true, hasGroup: true }, 'create'],
    ['verified and proved', known({ isDomainProved: true }, true), 'link'],
    ['verified, not proved', known({}, true), 'ask'],
    ['proved, not verified', known({ isDomainProved: true }, false), 'ask'],
    ['proved, provider silent', known({ isDomainProved: true }, null), 'ask'],
    ['neither', known({}, false), 'ask'],
    ['neither, and no password', known({ hasPassword: false }, false), 'sso_cannot_link'],
    ['another subject', known({ isDomainProved: true, hasOtherSubject: true }, true), 'sso_already_linked'],
    ['a disabled account', known({ isDomainProved: true, isActive: false }, true), 'account_disabled'],
  ])('%s', (_name, facts, expected) => {
    const decision = decideSignIn({ ...NEW, ...facts });
    expect(decision.kind === 'refuse' ? decision.code : decision.kind).toBe(expected);
  });

  it('never takes over an account by its address alone', () => {
    const account = fc.record({
      isActive: fc.boolean(),
      hasPassword: fc.boolean(),
      hasOtherSubject: fc.boolean(),
      isDomainProved: fc.boolean(),
    });
    const facts = fc.record({
      linked: fc.constant(null),
      email: fc.option(fc.record({ isVerified: fc.option(fc.boolean()) })),
      account: fc.option(account),
      isDomainAllowed: fc.boolean(),
      hasInvite: fc.boolean(),
      hasGroup: fc.boolean(),
      requiresGroup: fc.boolean(),
    });
    fc.assert(
      fc.property(facts, (given) => {
        const { kind } = decideSignIn(given);
        if (kind === 'link') expect(given.email?.isVerified === true && given.account?.isDomainProved).toBe(true);
        if (kind === 'create') expect(given.account).toBeNull();
        expect(kind).not.toBe('linked');
      }),
    );
  });
});
