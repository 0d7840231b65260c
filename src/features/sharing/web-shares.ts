/** Links to parts of a site: several for a project, each with a name and filters that it cannot leave. */
import type { Caller } from '../../access/callers.ts';
import { changesBetween, recordActivity } from '../../access/record-activity.ts';
import { invalid, notFound } from '../../core/errors.ts';
import type { Json } from '../../core/json/json.ts';
import { hashPassword } from '../../lib/secrets.ts';
import type { Project } from '../../stores/metadata/accounts.ts';
import { readWebFilters } from '../web-analytics/rules/read-web-question.ts';
import { about, laterThan, newShare, requireSharing, type ShareDeps, type SharedItem } from './shares.ts';
import type { Share } from './store/share-store.ts';
import type { WebShare } from './store/web-share-store.ts';

const MAX_WEB_SHARES = 100;
/** Whoever gets such a link gets a page to look around in. */
const SETTINGS = { allowDates: true, allowFilters: true };

export interface SharedPart {
  part: WebShare;
  share: Share;
}

const itemOfPart = ({ id }: Pick<WebShare, 'id'>): SharedItem => ({ kind: 'web', itemId: id });

/** The oldest first. */
export async function listWebShares({ metadata }: ShareDeps, project: Project): Promise<SharedPart[]> {
  const found: SharedPart[] = [];
  for (const part of await metadata.webShares.listByProject(project.id)) {
    const share = await metadata.shares.get(project.id, 'web', part.id);
    if (share !== null) found.push({ part, share });
  }
  return found;
}

export async function getWebShare({ metadata }: ShareDeps, project: Project, id: number): Promise<SharedPart> {
  const [part, share] = [
    await metadata.webShares.get(project.id, id),
    await metadata.shares.get(project.id, 'web', id),
  ];
  if (part === null || share === null) throw notFound();
  return { part, share };
}

interface NewWebShare {
  name: string;
  filters: Json[];
  /** Undefined: none is needed. */
  password: string | undefined;
}

/** It opens at once, so it and its password are written together. */
export async function createWebShare(
  deps: ShareDeps,
  caller: Caller,
  project: Project,
  { name, filters, password }: NewWebShare,
): Promise<SharedPart> {
  await requireSharing(deps.metadata, project);
  checkFilters(filters);
  // Takes long on purpose, so it is not done in the transaction.
  const hash = password === undefined ? null : await hashPassword(password);
  return deps.metadata.transaction(async (store) => {
    if ((await store.webShares.listByProject(project.id)).length >= MAX_WEB_SHARES) {
      throw invalid('name', `A project has at most ${MAX_WEB_SHARES} links: revoke one first.`, 'limit_reached');
    }
    const made = { createdAt: deps.clock.now(), createdBy: caller.user.id };
    const part = await store.webShares.create({ projectId: project.id, name, filters, ...made });
    const item = itemOfPart(part);
    const share = {
      ...newShare(deps, caller, project, item),
      enabled: true,
      passwordRequired: hash !== null,
      settings: SETTINGS,
    };
    await store.shares.create(share);
    if (hash !== null) {
      await store.shares.createPassword({ projectId: project.id, shareId: share.id, hash, note: null, ...made });
    }
    await recordActivity(deps, store, { ...about(caller, project, item, name), activity: 'created', changes: null });
    return { part, share };
  });
}

export async function changeWebShare(
  deps: ShareDeps,
  caller: Caller,
  project: Project,
  id: number,
  changes: Partial<Pick<WebShare, 'name' | 'filters'>>,
): Promise<SharedPart> {
  if (changes.filters !== undefined) checkFilters(changes.filters);
  return deps.metadata.transaction(async (store) => {
    const { part: before, share } = await getWebShare({ ...deps, metadata: store }, project, id);
    const part = { ...before, ...changes };
    await store.webShares.update(part);
    await store.shares.update({ ...share, updatedAt: laterThan(share.updatedAt, deps.clock.now()) });
    const entry = about(caller, project, itemOfPart(part), part.name);
    const differences = changesBetween('SharingConfiguration', visible(before), visible(part));
    await recordActivity(deps, store, { ...entry, activity: 'updated', changes: differences });
    return { part, share };
  });
}

/** The link opens nothing any more. */
export async function deleteWebShare(deps: ShareDeps, caller: Caller, project: Project, id: number): Promise<void> {
  await deps.metadata.transaction(async (store) => {
    const { part, share } = await getWebShare({ ...deps, metadata: store }, project, id);
    await store.shares.delete(share.id);
    await store.webShares.delete(project.id, id);
    const entry = about(caller, project, itemOfPart(part), part.name);
    await recordActivity(deps, store, { ...entry, activity: 'deleted', changes: null });
  });
}

/** Throws unless questions could have them. */
const checkFilters = (filters: Json[]): void => void readWebFilters({ filters });

const visible = ({ name, filters }: WebShare): Record<string, Json> => ({ name, filters });
