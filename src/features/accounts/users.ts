/** What users can change about themselves. */

import { type Caller, hasProject, levelIn } from '../../access/callers.ts';
import { changesBetween } from '../../access/record-activity.ts';
import { invalid, notFound } from '../../core/errors.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Ids } from '../../lib/ids.ts';
import { hashPassword, verifyPassword } from '../../lib/secrets.ts';
import type { User } from '../../stores/metadata/accounts.ts';
import type { MetadataStore } from '../../stores/metadata/metadata-store.ts';
import { recordAccountActivity, secretChange } from './account-activity.ts';
import { SETUP_TOKEN } from './bootstrap.ts';
import { domainOf } from './oidc/rules/email-domain.ts';
import type { SsoDomains } from './oidc/sso-domains.ts';
import { checkedPassword } from './passwords.ts';

interface UserDeps {
  metadata: MetadataStore;
  clock: Clock;
  ids: Ids;
  domains: SsoDomains;
}

interface UserChanges {
  firstName?: string | undefined;
  email?: string | undefined;
  password?: string | undefined;
  currentPassword?: string | undefined;
  currentProjectId?: number | undefined;
  currentOrganizationId?: string | undefined;
}

export async function updateUser(deps: UserDeps, caller: Caller, given: UserChanges): Promise<User> {
  const { user } = caller;
  const email = given.email?.toLowerCase();
  const isMoving = email !== undefined && email !== user.email;
  if (given.password !== undefined || isMoving) {
    // An address elsewhere, or a password, must not be the way around the provider.
    await deps.domains.refuseUserIfEnforced(user);
    await requirePassword(user, given.currentPassword);
  }
  const passwordHash =
    given.password === undefined ? null : await hashPassword(checkedPassword(given.password, email ?? user.email));
  return deps.metadata.transaction(async (store) => {
    const changes: Partial<Omit<User, 'id' | 'uuid'>> = {};
    if (given.firstName !== undefined) changes.firstName = given.firstName;
    if (isMoving) changes.email = await newAddress(deps, store, user, email);
    if (passwordHash !== null) changes.passwordHash = passwordHash;
    if (given.currentOrganizationId !== undefined) {
      Object.assign(changes, chooseOrganization(caller, given.currentOrganizationId));
    }
    if (given.currentProjectId !== undefined) {
      Object.assign(changes, await chooseProject(store, caller, given.currentProjectId));
    }
    if (Object.keys(changes).length > 0) await store.users.update(user.id, changes);
    await secureAccount(deps, store, caller, changes);
    return { ...user, ...changes };
  });
}

/** What follows from a new password or address: other sessions end, and the activity log says so. */
async function secureAccount(
  deps: UserDeps,
  store: MetadataStore,
  { user, session }: Caller,
  { passwordHash, email }: Partial<User>,
): Promise<void> {
  if (passwordHash === undefined && email === undefined) return;
  await store.sessions.deleteByUser(user.id, session?.hash);
  // The set-up link is for the one user without a password.
  if (passwordHash !== undefined && user.passwordHash === null) await store.installation.delete(SETUP_TOKEN);
  const changes = [
    ...(passwordHash === undefined ? [] : [secretChange('password')]),
    ...(email === undefined ? [] : changesBetween('User', { email: user.email }, { email })),
  ];
  await recordAccountActivity(deps, store, user, { activity: 'updated', changes });
}

/** The current password is required to change it or the address: an open console must not be enough. */
export async function requirePassword(user: User, currentPassword: string | undefined): Promise<void> {
  if (user.passwordHash === null) return;
  if (currentPassword === undefined) throw invalid('current_password', 'This field is required.', 'required');
  const isCorrect = await verifyPassword(currentPassword, user.passwordHash);
  if (!isCorrect) throw invalid('current_password', 'Your current password is incorrect.', 'incorrect_password');
}

/**
 * Organizations on one server must not learn who else has an account, and "already taken" would tell. With a single
 * organization there is nothing to learn; with several, only the operator can change an address.
 */
async function newAddress(deps: UserDeps, store: MetadataStore, user: User, email: string): Promise<string> {
  // Whoever has the address at the provider would be linked to this account.
  const proved = deps.domains.hasProvider ? await deps.domains.provedBy(store, domainOf(email) ?? '') : [];
  if (proved.length > 0) {
    throw invalid(
      'email',
      `Addresses of this domain are given by its organization: ask the operator of the server to change yours, with cairn users set-email ${user.email} NEW`,
      'operator_required',
    );
  }
  if ((await store.organizations.count()) > 1) {
    throw invalid(
      'email',
      `This server has several organizations: ask its operator to change your address, with cairn users set-email ${user.email} NEW`,
      'operator_required',
    );
  }
  return availableEmail(store, user, email);
}

/** The email address in lower case; throws if another account has it. */
export async function availableEmail(store: MetadataStore, user: User, given: string): Promise<string> {
  const email = given.toLowerCase();
  const other = await store.users.getByEmail(email);
  if (other && other.id !== user.id)
    throw invalid('email', 'There is already an account with this email address.', 'unique');
  return email;
}

function chooseOrganization(caller: Caller, id: string): Partial<User> {
  if (levelIn(caller, id) === null) throw notFound('Organization not found.');
  return { currentOrganizationId: id, currentProjectId: null };
}

async function chooseProject(store: MetadataStore, caller: Caller, id: number): Promise<Partial<User>> {
  const project = await store.projects.get(id);
  if (!project || !hasProject(caller, project)) throw notFound('Project not found.');
  return { currentProjectId: project.id, currentOrganizationId: project.organizationId };
}
