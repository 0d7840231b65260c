/** What users can change about themselves. */

import { type Caller, levelIn } from '../../access/callers.ts';
import { invalid, notFound } from '../../core/errors.ts';
import { hashPassword, verifyPassword } from '../../lib/secrets.ts';
import type { User } from '../../stores/metadata/accounts.ts';
import type { MetadataStore } from '../../stores/metadata/metadata-store.ts';
import { SETUP_TOKEN } from './bootstrap.ts';
import { checkedPassword } from './passwords.ts';

interface UserChanges {
  firstName?: string | undefined;
  email?: string | undefined;
  password?: string | undefined;
  currentPassword?: string | undefined;
  currentProjectId?: number | undefined;
  currentOrganizationId?: string | undefined;
}

export async function updateUser(metadata: MetadataStore, caller: Caller, given: UserChanges): Promise<User> {
  const passwordHash = await newPasswordHash(caller.user, given);
  return metadata.transaction(async (store) => {
    const changes: Partial<Omit<User, 'id' | 'uuid'>> = {};
    if (given.firstName !== undefined) changes.firstName = given.firstName;
    if (given.email !== undefined) changes.email = await availableEmail(store, caller.user, given.email);
    if (passwordHash !== null) changes.passwordHash = passwordHash;
    if (given.currentOrganizationId !== undefined) {
      Object.assign(changes, chooseOrganization(caller, given.currentOrganizationId));
    }
    if (given.currentProjectId !== undefined) {
      Object.assign(changes, await chooseProject(store, caller, given.currentProjectId));
    }
    if (Object.keys(changes).length > 0) await store.users.update(caller.user.id, changes);
    // Sessions that were opened with the old password end.
    if (passwordHash !== null) await store.sessions.deleteByUser(caller.user.id, caller.sessionHash);
    // The set-up link is for the one user without a password.
    if (passwordHash !== null && caller.user.passwordHash === null) await store.installation.delete(SETUP_TOKEN);
    return { ...caller.user, ...changes };
  });
}

/** The current password is required to change it: an open console must not be enough. */
async function newPasswordHash(user: User, { password, currentPassword }: UserChanges): Promise<string | null> {
  if (password === undefined) return null;
  if (user.passwordHash !== null) {
    if (currentPassword === undefined) throw invalid('current_password', 'This field is required.', 'required');
    const isCorrect = await verifyPassword(currentPassword, user.passwordHash);
    if (!isCorrect) throw invalid('current_password', 'Your current password is incorrect.', 'incorrect_password');
  }
  return hashPassword(checkedPassword(password));
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
  if (!project || levelIn(caller, project.organizationId) === null) throw notFound('Project not found.');
  return { currentProjectId: project.id, currentOrganizationId: project.organizationId };
}
