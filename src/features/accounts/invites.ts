/**
 * Invitations to an organization. An admin passes the link on. Whoever has it joins with a password of their own: that of
 * their account, or one for a new account. An address by itself proves nothing, because anybody may have registered it;
 * so a membership always needs both the link and the account.
 */
import type { Caller } from '../../access/callers.ts';
import { recordActivity } from '../../access/record-activity.ts';
import { type Failure, invalid, notFound } from '../../core/errors.ts';
import { DAY_MS } from '../../core/time/units.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Ids } from '../../lib/ids.ts';
import type { Mailer } from '../../lib/mailer.ts';
import { digest, hashPassword, isSameSecret, verifyPassword } from '../../lib/secrets.ts';
import {
  ADMIN,
  type Invite,
  type MembershipLevel,
  type Organization,
  type User,
} from '../../stores/metadata/accounts.ts';
import type { MetadataStore } from '../../stores/metadata/metadata-store.ts';
import { countAttempt } from './attempts.ts';
import { inviteLink } from './links.ts';
import { invitationMail } from './mails.ts';
import { memberActivity, newMembership, newUser, refuseLevelAboveOwn } from './members.ts';
import type { SsoDomains } from './oidc/sso-domains.ts';
import { checkedPassword } from './passwords.ts';
import type { SignInGuard } from './sign-in-guard.ts';

interface InviteDeps {
  metadata: MetadataStore;
  clock: Clock;
  ids: Ids;
}

interface NewInvite {
  email: string;
  firstName: string;
  level: MembershipLevel;
  message?: string | null;
  /** Mails the link, where there is a mail server; by default it is only returned. */
  mail?: { mailer: Mailer; origin: string };
}

const MAX_INVITES_PER_DAY = 100;
const LIFETIME_MS = 3 * DAY_MS;
/** Per organization; older ones have to be accepted, withdrawn or expire first. */
const MAX_OPEN_INVITES = 1000;

/** The same for every address, whether or not it has an account. The token is only returned here. */
export async function createInvite(
  deps: InviteDeps,
  caller: Caller,
  organization: Organization,
  { email, firstName, level, message = null, mail }: NewInvite,
): Promise<{ invite: Invite; token: string }> {
  refuseLevelAboveOwn(caller, organization.id, level);
  const perDay = { name: `invitations of ${organization.id}`, max: MAX_INVITES_PER_DAY, windowMs: DAY_MS };
  await countAttempt(deps, [perDay]);
  const token = deps.ids.token('');
  const now = deps.clock.now();
  const invite: Invite = {
    id: deps.ids.uuid(),
    organizationId: organization.id,
    email: email.toLowerCase(),
    firstName,
    level,
    tokenHash: digest(token),
    createdBy: caller.user.id,
    createdAt: now,
    expiresAt: now + LIFETIME_MS,
    message,
    emailingAttemptMade: mail?.mailer.isAvailable ?? false,
  };
  await deps.metadata.transaction(async (store) => {
    await refuseMember(store, invite);
    const { count } = await store.invites.list(organization.id, { limit: 1, offset: 0 });
    if (count >= MAX_OPEN_INVITES) throw invalid('target_email', 'Too many invitations are open: withdraw some first.');
    await store.invites.create(invite);
    await recordActivity(deps, store, { ...inviteActivity(caller, invite), activity: 'created', changes: null });
  });
  const inviter = caller.user.firstName || caller.user.email;
  const link = inviteLink(mail?.origin ?? '', invite.id, token);
  mail?.mailer.send({
    to: invite.email,
    ...invitationMail({ organization: organization.name, inviter, link, message }),
  });
  return { invite, token };
}

/** Members are visible to whoever may invite, so this tells nothing new. */
async function refuseMember(store: MetadataStore, { organizationId, email }: Invite): Promise<void> {
  const user = await store.users.getByEmail(email);
  if (user && (await store.memberships.get(organizationId, user.id))) {
    throw invalid('target_email', 'This user is already a member of the organization.', 'unique');
  }
}

export async function deleteInvite(
  deps: InviteDeps,
  caller: Caller,
  organization: Organization,
  id: string,
): Promise<void> {
  await deps.metadata.transaction(async (store) => {
    const invite = await store.invites.get(id);
    if (invite?.organizationId !== organization.id) throw notFound();
    refuseLevelAboveOwn(caller, organization.id, invite.level);
    await store.invites.delete(id);
    await recordActivity(deps, store, { ...inviteActivity(caller, invite), activity: 'deleted', changes: null });
  });
}

/** The invitation of a link. Used, withdrawn, expired and invented links look alike. */
export async function findInvite(
  { metadata, clock }: Pick<InviteDeps, 'metadata' | 'clock'>,
  id: string,
  token: string,
): Promise<{ invite: Invite; organization: Organization }> {
  const invite = await metadata.invites.get(id);
  const isOpen = invite !== null && isSameSecret(invite.tokenHash, digest(token)) && invite.expiresAt > clock.now();
  if (!isOpen || !(await mayInvite(metadata, invite))) throw invalidInvite();
  const organization = await metadata.organizations.get(invite.organizationId);
  if (!organization) throw invalidInvite();
  return { invite, organization };
}

const invalidInvite = (): Failure =>
  invalid(
    'token',
    'This invitation is not valid any more: it was used, withdrawn or has expired. Ask for a new one.',
    'invalid_token',
  );

/** A former admin must not come back through a link that they made. */
async function mayInvite(metadata: MetadataStore, { createdBy, organizationId, level }: Invite): Promise<boolean> {
  const inviter = createdBy === null ? null : await metadata.memberships.get(organizationId, createdBy);
  return inviter !== null && inviter.level >= Math.max(level, ADMIN);
}

export interface Acceptance {
  id: string;
  token: string;
  firstName: string | undefined;
  password: string | undefined;
  /** Who is signed in. */
  caller: Caller | null;
  address: string;
  deviceToken: string | undefined;
}

/** Makes the user a member: the one who is signed in, if it is theirs; otherwise the one with the password. */
export async function acceptInvite(
  deps: InviteDeps & { guard: SignInGuard; domains: SsoDomains },
  given: Acceptance,
): Promise<{ user: User; isSignedIn: boolean }> {
  const { invite } = await findInvite(deps, given.id, given.token);
  if (given.caller?.user.email === invite.email) {
    return { user: await join(deps, given, given.caller.user), isSignedIn: true };
  }
  // Whoever signs in by the provider finds the invitation by itself.
  await deps.domains.refuseIfEnforced(invite.email);
  const user = await join(deps, given, await accountFor(deps, invite, given));
  return { user, isSignedIn: false };
}

/**
 * The account with the invited address, if this is its password; else the record of a new one. Both take one hash, and
 * both count as attempts to sign in.
 */
async function accountFor(
  deps: InviteDeps & { guard: SignInGuard },
  invite: Invite,
  { password, firstName, address, deviceToken }: Acceptance,
): Promise<User | Omit<User, 'id'>> {
  if (password === undefined) throw invalid('password', 'This field is required.', 'required');
  checkedPassword(password, invite.email);
  const attempt = { account: invite.email, address, deviceToken };
  await deps.guard.recordAttempt(attempt);
  const known = await deps.metadata.users.getByEmail(invite.email);
  if (!known) {
    const passwordHash = await hashPassword(password);
    const account = { email: invite.email, firstName: firstName || invite.firstName, passwordHash };
    return newUser(deps, account, invite.organizationId);
  }
  if (await verifyPassword(password, known.isActive ? known.passwordHash : null)) return known;
  throw invalid(
    undefined,
    'This address has an account with another password. Sign in with that password to accept the invitation.',
    'invalid_credentials',
  );
}

/** Uses the invitation up: of several attempts at once, one succeeds. */
function join(deps: InviteDeps, { id, token }: Acceptance, account: User | Omit<User, 'id'>): Promise<User> {
  return deps.metadata.transaction(async (store) => {
    const { invite, organization } = await findInvite({ ...deps, metadata: store }, id, token);
    if (!('id' in account) && (await store.users.getByEmail(account.email))) throw invalidInvite();
    const user = 'id' in account ? account : await store.users.create(account);
    await store.invites.delete(invite.id);
    if (await store.memberships.get(organization.id, user.id)) return user;
    await store.memberships.create(newMembership(deps, organization.id, user.id, invite.level));
    await recordActivity(deps, store, {
      ...memberActivity(organization, { user }, user),
      activity: 'created',
      changes: null,
    });
    return user;
  });
}

const inviteActivity = (caller: Caller, invite: Invite) => ({
  organizationId: invite.organizationId,
  projectId: null,
  userId: caller.user.id,
  scope: 'OrganizationInvite',
  itemId: invite.id,
  name: invite.email,
});
