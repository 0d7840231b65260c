/**
 * Who comes in by the provider, and as whom. A known subject is its user; an address identifies nobody: it leads to an
 * account only where an organization of that account has proved the domain, or where its password is shown once.
 */
export interface SignInFacts {
  /** The user to whom the subject is linked. */
  linked: { isActive: boolean } | null;
  /** What the provider says about the address; null: it told none. */
  email: { isVerified: boolean | null } | null;
  /** Whoever has an account with this address. */
  account: AccountFacts | null;
  /** New people with an address of this domain may come in. */
  isDomainAllowed: boolean;
  hasInvite: boolean;
  /** A group of theirs makes them a member somewhere. */
  hasGroup: boolean;
  requiresGroup: boolean;
}

interface AccountFacts {
  isActive: boolean;
  hasPassword: boolean;
  /** It is linked to another subject of this provider. */
  hasOtherSubject: boolean;
  /** An organization of the account has proved the domain of the address. */
  isDomainProved: boolean;
}

export type SignInDecision =
  | { kind: 'linked' }
  /** Link the subject to the account with this address. */
  | { kind: 'link' }
  /** The same, once the password of the account was shown. */
  | { kind: 'ask' }
  | { kind: 'create' }
  | { kind: 'refuse'; code: SsoError };

export type SsoError =
  | 'sso_failed'
  | 'sso_unavailable'
  | 'sso_no_group'
  | 'sso_no_account'
  | 'sso_no_email'
  | 'sso_email_unverified'
  | 'sso_already_linked'
  | 'sso_cannot_link'
  | 'account_disabled';

export function decideSignIn(facts: SignInFacts): SignInDecision {
  if (facts.linked && !facts.linked.isActive) return refuse('account_disabled');
  if (facts.requiresGroup && !facts.hasGroup) return refuse('sso_no_group');
  if (facts.linked) return { kind: 'linked' };
  if (facts.email === null) return refuse('sso_no_email');
  return facts.account ? decideLink(facts.account, facts.email) : decideNew(facts, facts.email);
}

function decideLink(account: AccountFacts, { isVerified }: { isVerified: boolean | null }): SignInDecision {
  if (account.hasOtherSubject) return refuse('sso_already_linked');
  if (!account.isActive) return refuse('account_disabled');
  if (isVerified === true && account.isDomainProved) return { kind: 'link' };
  return account.hasPassword ? { kind: 'ask' } : refuse('sso_cannot_link');
}

function decideNew(facts: SignInFacts, { isVerified }: { isVerified: boolean | null }): SignInDecision {
  if (!facts.isDomainAllowed && !facts.hasInvite) return refuse('sso_no_account');
  // An address that the provider itself doubts must not take somebody's invitation.
  return isVerified === false ? refuse('sso_email_unverified') : { kind: 'create' };
}

const refuse = (code: SsoError): SignInDecision => ({ kind: 'refuse', code });
