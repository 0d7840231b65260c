/** Decides about somebody whom the provider knows, and makes, links or updates their account: all in one transaction. */
import { recordActivity } from '../../../access/record-activity.ts';
import type { Clock } from '../../../lib/clock.ts';
import type { Ids } from '../../../lib/ids.ts';
import type { Logger } from '../../../lib/log.ts';
import { ADMIN, type Invite, MEMBER, type MembershipLevel, type User } from '../../../stores/metadata/accounts.ts';
import type { MetadataStore } from '../../../stores/metadata/metadata-store.ts';
import { recordAccountActivity } from '../account-activity.ts';
import { memberActivity, newMembership, newUser } from '../members.ts';
import { applyGrants } from './apply-grants.ts';
import { type Grant, grantsOf } from './group-grants.ts';
import { decideSignIn, type SignInDecision, type SsoError } from './rules/decide-sign-in.ts';
import { domainOf } from './rules/email-domain.ts';
import type { Claims } from './rules/read-claims.ts';
import type { OidcSettings } from './settings.ts';
import type { SsoDomains } from './sso-domains.ts';

export interface AdmitDeps {
  metadata: MetadataStore;
  clock: Clock;
  ids: Ids;
  log: Pick<Logger, 'warn'>;
  settings: OidcSettings;
  domains: SsoDomains;
}

type Decided =
  | { kind: 'admitted'; user: User }
  /** The account's password has to be shown once. */
  | { kind: 'ask'; user: User }
  | { kind: 'refused'; code: SsoError; user: User | null };

export const admit = (deps: AdmitDeps, claims: Claims): Promise<Decided> =>
  deps.metadata.transaction(async (store) => {
    const grants = grantsOf(claims.groups, deps.settings.roleMap, await deps.domains.home(store));
    const linked = await userOfSubject(deps, store, claims.subject);
    const account = linked === null && claims.email !== null ? await store.users.getByEmail(claims.email) : null;
    // Also for somebody who is refused: who has left all groups loses what they gave.
    if (linked?.isActive) await applyGrants(deps, store, linked, grants);
    const joins = linked || account ? NO_JOINS : await joinsOf(deps, store, claims.email);
    const decision = decideSignIn({
      linked,
      email: claims.email === null ? null : { isVerified: claims.isEmailVerified },
      account: account && (await factsOf(deps, store, account)),
      isDomainAllowed: joins.isOpen,
      hasInvite: joins.invites.length > 0,
      hasGroup: grants.size > 0,
      requiresGroup: deps.settings.requiresGroup,
    });
    return carryOut(deps, store, claims, { decision, linked, account, joins, grants });
  });

interface Findings {
  decision: SignInDecision;
  linked: User | null;
  account: User | null;
  joins: Joins;
  grants: ReadonlyMap<string, Grant>;
}

async function carryOut(
  deps: AdmitDeps,
  store: MetadataStore,
  claims: Claims,
  { decision, linked, account, joins, grants }: Findings,
): Promise<Decided> {
  switch (decision.kind) {
    case 'refuse':
      return { kind: 'refused', code: decision.code, user: linked ?? account };
    case 'linked':
      return admitted(store, linked);
    case 'ask':
      return account ? { kind: 'ask', user: account } : { kind: 'refused', code: 'sso_failed', user: null };
    case 'link':
      if (account) await linkSubject(deps, store, account, claims.subject, grants);
      return admitted(store, account);
    case 'create': {
      const user = await createUser(deps, store, claims, joins, grants);
      return user ? admitted(store, user) : { kind: 'refused', code: 'sso_no_account', user: null };
    }
  }
}

/** Somebody without any organization was removed. */
async function admitted(store: MetadataStore, user: User | null): Promise<Decided> {
  if (user && (await store.memberships.listByUser(user.id)).length > 0) return { kind: 'admitted', user };
  return { kind: 'refused', code: 'account_disabled', user };
}

async function userOfSubject({ settings }: AdmitDeps, store: MetadataStore, subject: string): Promise<User | null> {
  const identity = await store.ssoIdentities.get(settings.issuer, subject);
  return identity && store.users.get(identity.userId);
}

async function factsOf(deps: AdmitDeps, store: MetadataStore, account: User) {
  const proved = await deps.domains.provedBy(store, domainOf(account.email) ?? '');
  const memberships = await store.memberships.listByUser(account.id);
  return {
    isActive: account.isActive,
    hasPassword: account.passwordHash !== null,
    hasOtherSubject: (await store.ssoIdentities.getByUser(deps.settings.issuer, account.id)) !== null,
    isDomainProved: memberships.some(({ organizationId }) => proved.includes(organizationId)),
  };
}

/** In the transaction in which somebody showed that the account is theirs. */
export async function linkSubject(
  deps: AdmitDeps,
  store: MetadataStore,
  user: User,
  subject: string,
  grants: ReadonlyMap<string, Grant>,
): Promise<void> {
  const { issuer } = deps.settings;
  await store.ssoIdentities.create({ issuer, subject, userId: user.id, createdAt: deps.clock.now() });
  await applyGrants(deps, store, user, grants);
  await recordAccountActivity(deps, store, user, { activity: 'sso_linked', changes: null, trigger: { issuer } });
}

interface Joins {
  isOpen: boolean;
  organizationIds: readonly string[];
  invites: readonly Invite[];
}

const NO_JOINS: Joins = { isOpen: false, organizationIds: [], invites: [] };

async function joinsOf(deps: AdmitDeps, store: MetadataStore, email: string | null): Promise<Joins> {
  if (email === null) return NO_JOINS;
  const { isOpen, joins } = await deps.domains.openTo(store, domainOf(email) ?? '');
  return { isOpen, organizationIds: joins, invites: await openInvites(deps, store, email) };
}

/** Those that have not expired, and whose maker may still invite. */
async function openInvites({ clock }: AdmitDeps, store: MetadataStore, email: string): Promise<Invite[]> {
  const open: Invite[] = [];
  for (const invite of await store.invites.listByEmail(email)) {
    const { createdBy, organizationId, level, expiresAt } = invite;
    const inviter = createdBy === null ? null : await store.memberships.get(organizationId, createdBy);
    if (expiresAt > clock.now() && (inviter?.level ?? 0) >= Math.max(level, ADMIN)) open.push(invite);
  }
  return open;
}

/** Null if they would belong to no organization. */
async function createUser(
  deps: AdmitDeps,
  store: MetadataStore,
  { email, name, subject }: Claims,
  { organizationIds, invites }: Joins,
  grants: ReadonlyMap<string, Grant>,
): Promise<User | null> {
  const levels = new Map<string, MembershipLevel>(organizationIds.map((id) => [id, MEMBER]));
  for (const { organizationId, level } of invites) levels.set(organizationId, level);
  const [first] = [...levels.keys(), ...grants.keys()];
  if (first === undefined || email === null) return null;
  const user = await store.users.create(newUser(deps, { email, firstName: name, passwordHash: null }, first));
  for (const [organizationId, level] of levels) {
    await store.memberships.create(newMembership(deps, organizationId, user.id, level));
    const entry = memberActivity({ id: organizationId }, { user }, user);
    await recordActivity(deps, store, { ...entry, activity: 'created', changes: null });
  }
  for (const { id } of invites) await store.invites.delete(id);
  await linkSubject(deps, store, user, subject, grants);
  return user;
}
