/** On the first start, creates an organization, a user, project 1 and their keys. */
import type { Clock } from '../../lib/clock.ts';
import type { Ids } from '../../lib/ids.ts';
import { digest, hashPassword } from '../../lib/secrets.ts';
import { OWNER } from '../../stores/metadata/accounts.ts';
import type { MetadataStore } from '../../stores/metadata/metadata-store.ts';
import { checkedPassword } from './passwords.ts';
import { newPersonalKey, storedValue } from './personal-keys.ts';
import { newProject } from './projects.ts';

interface BootstrapDeps {
  metadata: MetadataStore;
  clock: Clock;
  ids: Ids;
}

interface BootstrapOptions {
  projectKey: string | null;
  personalKey: string | null;
  admin: { email: string; password: string } | null;
}

/** Printed once, because only digests are stored. */
export interface FirstStart {
  projectId: number;
  /** Null if it was supplied: whoever did so knows it, and it does not belong in a log. */
  projectKey: string | null;
  personalKey: string | null;
  /** Null if the first user has a password. */
  setupToken: string | null;
}

/** Name under which the digest of an unused set-up link is stored. */
export const SETUP_TOKEN = 'setup_token';

/** Used until the set-up link is used. Nobody can own the reserved domain. */
const PLACEHOLDER_EMAIL = 'owner@cairn.invalid';

/** Null if this is not the first start. */
export async function bootstrap(deps: BootstrapDeps, options: BootstrapOptions): Promise<FirstStart | null> {
  const hasUsers = async (store: MetadataStore): Promise<boolean> => (await store.users.listAll()).length > 0;
  if (await hasUsers(deps.metadata)) return null;
  const passwordHash = options.admin ? await hashPassword(firstPassword(options.admin)) : null;
  const { clock, ids } = deps;
  return deps.metadata.transaction(async (store) => {
    if (await hasUsers(store)) return null;
    const now = clock.now();
    const organization = {
      id: ids.uuid(),
      name: 'My organization',
      slug: 'my-organization',
      requiresFactor: false,
      allowsSharing: true,
      createdAt: now,
      updatedAt: now,
    };
    await store.organizations.create(organization);
    const projectKey = options.projectKey ?? ids.token('phc_');
    const project = await store.projects.create(
      newProject({ clock, ids }, organization.id, 'Default project', projectKey),
    );
    const user = await store.users.create({
      uuid: ids.uuid(),
      distinctId: ids.token(''),
      email: options.admin?.email ?? PLACEHOLDER_EMAIL,
      firstName: 'Owner',
      passwordHash,
      isActive: true,
      currentOrganizationId: organization.id,
      currentProjectId: project.id,
      joinedAt: now,
      lastSignedInAt: null,
      isBreakGlass: false,
    });
    const membership = {
      id: ids.uuid(),
      organizationId: organization.id,
      userId: user.id,
      level: OWNER,
      ownLevel: OWNER,
      joinedAt: now,
      updatedAt: now,
    } as const;
    await store.memberships.create(membership);
    const personalKey = options.personalKey ?? ids.token('phx_');
    const key = { ...newPersonalKey({ clock, ids }, user, { label: 'First start' }), ...storedValue(personalKey) };
    await store.personalKeys.create(key);
    const setupToken = options.admin ? null : ids.token('');
    if (setupToken !== null) await store.installation.set(SETUP_TOKEN, digest(setupToken));
    return {
      projectId: project.id,
      projectKey: options.projectKey === null ? projectKey : null,
      personalKey: options.personalKey === null ? personalKey : null,
      setupToken,
    };
  });
}

function firstPassword({ email, password }: { email: string; password: string }): string {
  try {
    return checkedPassword(password, email);
  } catch (cause) {
    throw new Error(`INIT_ADMIN_PASSWORD cannot be used. ${(cause as Error).message}`, { cause });
  }
}
