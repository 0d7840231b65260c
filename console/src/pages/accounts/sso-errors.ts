/** What `/login?error=…` means, and what to do about it. */
const TEXTS: Readonly<Record<string, string>> = {
  sso_failed: 'Single sign-on did not work. Try again; if it fails again, tell an admin.',
  sso_unavailable: 'The single sign-on provider does not answer. Try again in a few minutes.',
  sso_no_group: 'You are in no group that may use Cairn. Ask an admin to add you to one.',
  sso_no_account: 'There is no account for you here yet. Ask an admin for an invitation.',
  sso_no_email: 'The single sign-on provider did not tell your email address. Tell an admin.',
  sso_email_unverified: 'Confirm your email address at the single sign-on provider, then sign in again.',
  sso_already_linked: 'The account with your email address belongs to another sign-in. Tell an admin.',
  sso_cannot_link: 'The account with your email address cannot be linked. Tell an admin.',
  account_disabled: 'Your account is disabled. Ask an admin to let you in again.',
};

export const ssoErrorText = (code: string | null): string | null =>
  code === null ? null : (TEXTS[code] ?? 'Signing in did not work. Try again.');
