/** Named secret keys of a project: one for each server that evaluates flags itself, so that one can be replaced alone. */
import { type Caller, requireLevel } from '../../access/callers.ts';
import { recordActivity } from '../../access/record-activity.ts';
import { invalid, notFound } from '../../core/errors.ts';
import { digest } from '../../lib/secrets.ts';
import { ADMIN, type Project, type ProjectSecretKey } from '../../stores/metadata/accounts.ts';
import type { MetadataStore } from '../../stores/metadata/metadata-store.ts';
import type { ProjectDeps } from './projects.ts';

const MAX_KEYS = 20;
const PREFIX = 'phs_';

const storedValue = (value: string): Pick<ProjectSecretKey, 'hash' | 'mask'> => ({
  hash: digest(value),
  mask: `${PREFIX}...${value.slice(-4)}`,
});

/** The value is only returned here. */
export async function createSecretKey(
  deps: ProjectDeps,
  caller: Caller,
  project: Project,
  label: string,
): Promise<{ key: ProjectSecretKey; value: string }> {
  requireLevel(caller, project.organizationId, ADMIN);
  const value = deps.ids.token(PREFIX);
  const key: ProjectSecretKey = {
    id: deps.ids.uuid(),
    projectId: project.id,
    label,
    ...storedValue(value),
    createdAt: deps.clock.now(),
    createdBy: caller.user.id,
    rolledAt: null,
  };
  await deps.metadata.transaction(async (store) => {
    if ((await store.secretKeys.listByProject(project.id)).length >= MAX_KEYS)
      throw invalid('label', `The project has ${MAX_KEYS} secret keys already. Delete one that is no longer used.`);
    await store.secretKeys.create(key);
    await record(deps, store, caller, project, key, 'created');
  });
  return { key, value };
}

/** A new value; the old one stops working immediately. */
export async function rollSecretKey(
  deps: ProjectDeps,
  caller: Caller,
  project: Project,
  id: string,
): Promise<{ key: ProjectSecretKey; value: string }> {
  const value = deps.ids.token(PREFIX);
  const changes = { ...storedValue(value), rolledAt: deps.clock.now() };
  const before = await changeKey(deps, caller, project, id, 'rolled', (store) => store.secretKeys.update(id, changes));
  return { key: { ...before, ...changes }, value };
}

export async function deleteSecretKey(deps: ProjectDeps, caller: Caller, project: Project, id: string): Promise<void> {
  await changeKey(deps, caller, project, id, 'deleted', (store) => store.secretKeys.delete(id));
}

async function changeKey(
  deps: ProjectDeps,
  caller: Caller,
  project: Project,
  id: string,
  activity: 'rolled' | 'deleted',
  change: (store: MetadataStore) => Promise<void>,
): Promise<ProjectSecretKey> {
  requireLevel(caller, project.organizationId, ADMIN);
  const key = await deps.metadata.transaction(async (store) => {
    const found = (await store.secretKeys.listByProject(project.id)).find((one) => one.id === id);
    if (found === undefined) throw notFound();
    await change(store);
    await record(deps, store, caller, project, found, activity);
    return found;
  });
  // Public requests find projects by key in a cache.
  deps.directory.invalidate();
  return key;
}

const record = (
  deps: ProjectDeps,
  store: MetadataStore,
  caller: Caller,
  project: Project,
  { id, label }: ProjectSecretKey,
  activity: string,
): Promise<void> =>
  recordActivity(deps, store, {
    organizationId: project.organizationId,
    projectId: project.id,
    userId: caller.user.id,
    scope: 'ProjectSecretKey',
    itemId: id,
    name: label,
    activity,
    changes: null,
  });
