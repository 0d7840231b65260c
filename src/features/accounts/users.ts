/** What a user may change about themselves. */

import { type Caller, levelIn } from '../../access/callers.ts';
import { invalid, notFound } from '../../core/errors.ts';
import { hashPassword, verifyPassword } from '../../lib/secrets.ts';
import type { User } from '../../stores/metadata/accounts.ts';
import type { MetadataStore } from '../../stores/metadata/metadata-store.ts';
import { checkedPassword } from './passwords.ts';
import { SETUP_TOKEN } from './setup-token.ts';

interface UserChanges {
  firstName?: string | undefined;
  email?: string | undefined;
  password?: string | undefined;
  currentPassword?: string | undefined;
  currentProjectId?: number | undefined;
  currentOrganizationId?: string | undefined;
}

export async function updateUser(metadata: MetadataStore, caller: Caller, wanted: UserChanges): Promise<User> {
  const passwordHash = await newPasswordHash(caller.user, wanted);
  return metadata.transaction(async (store) => {
    const changes: Partial<Omit<User, 'id' | 'uuid'>> = {};
    if (wanted.firstName !== undefined) changes.firstName = wanted.firstName;
    if (wanted.email !== undefined) changes.email = await availableEmail(store, caller.user, wanted.email);
    if (passwordHash !== null) changes.passwordHash = passwordHash;
    if (wanted.currentOrganizationId !== undefined) {
      Object.assign(changes, chooseOrganization(caller, wanted.currentOrganizationId));
    }
    if (wanted.currentProjectId !== undefined) {
      Object.assign(changes, await chooseProject(store, caller, wanted.currentProjectId));
    }
    if (Object.keys(changes).length > 0) await store.users.update(caller.user.id, changes);
    // Whoever got in with the old password must not stay in.
    if (passwordHash !== null) await store.sessions.deleteByUser(caller.user.id, caller.sessionHash);
    // The set-up link stands for the one user without a password; who has one needs it no longer.
    if (passwordHash !== null && caller.user.passwordHash === null) await store.installation.delete(SETUP_TOKEN);
    return { ...caller.user, ...changes };
  });
}

/** Whoever has a password must show it to change it: a forgotten open console must not be enough. */
async function newPasswordHash(user: User, { password, currentPassword }: UserChanges): Promise<string | null> {
  if (password === undefined) return null;
  if (user.passwordHash !== null) {
    if (currentPassword === undefined) throw invalid('current_password', 'This field is required.', 'required');
    const right = await verifyPassword(currentPassword, user.passwordHash);
    if (!right) throw invalid('current_password', 'Your current password is incorrect.', 'incorrect_password');
  }
  return hashPassword(checkedPassword(password));
}

/** The address in the form it is kept; refused when somebody else has it. */
export async function availableEmail(store: MetadataStore, user: User, wanted: string): Promise<string> {
  const email = wanted.toLowerCase();
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
