/** The first start: an organization, a user, project 1 and the keys to both, so that there is something to use at once. */
import type { Clock } from '../../lib/clock.ts';
import type { Ids } from '../../lib/ids.ts';
import { digest, hashPassword } from '../../lib/secrets.ts';
import { OWNER } from '../../stores/metadata/accounts.ts';
import type { MetadataStore } from '../../stores/metadata/metadata-store.ts';
import { newProject } from './projects.ts';
import { SETUP_TOKEN } from './setup-token.ts';

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

/** What is printed once, because it is kept nowhere. */
export interface FirstStart {
  projectId: number;
  projectKey: string;
  personalKey: string;
  /** Null when the first user came with a password. */
  setupToken: string | null;
}

/** Stands in until the set-up link is used. The domain is reserved: nobody can own it. */
const PLACEHOLDER_EMAIL = 'owner@cairn.invalid';

/** Null when this is not the first start. */
export async function bootstrap(deps: BootstrapDeps, options: BootstrapOptions): Promise<FirstStart | null> {
  const passwordHash = options.admin ? await hashPassword(options.admin.password) : null;
  const { clock, ids } = deps;
  return deps.metadata.transaction(async (store) => {
    if ((await store.users.listAll()).length > 0) return null;
    const now = clock.now();
    const organization = {
      id: ids.uuid(),
      name: 'My organization',
      slug: 'my-organization',
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
    });
    const membership = {
      id: ids.uuid(),
      organizationId: organization.id,
      userId: user.id,
      level: OWNER,
      joinedAt: now,
      updatedAt: now,
    } as const;
    await store.memberships.create(membership);
    const personalKey = options.personalKey ?? ids.token('phx_');
    const key = {
      id: ids.uuid(),
      userId: user.id,
      label: 'First start',
      hash: digest(personalKey),
      createdAt: now,
      lastUsedAt: null,
    };
    await store.personalKeys.create(key);
    const setupToken = options.admin ? null : ids.token('');
    if (setupToken !== null) await store.installation.set(SETUP_TOKEN, digest(setupToken));
    return { projectId: project.id, projectKey, personalKey, setupToken };
  });
}
