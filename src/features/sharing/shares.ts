/** What is shared with people who are not signed in: turned on and off, with passwords and an end. */
import type { Caller } from '../../access/callers.ts';
import { type ActivityEntry, changesBetween, recordActivity } from '../../access/record-activity.ts';
import { forbidden, invalid, notFound } from '../../core/errors.ts';
import type { Json, JsonObject } from '../../core/json/json.ts';
import { DAY_MS, MINUTE_MS } from '../../core/time/units.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Ids } from '../../lib/ids.ts';
import { hashPassword } from '../../lib/secrets.ts';
import type { Project } from '../../stores/metadata/accounts.ts';
import type { MetadataStore } from '../../stores/metadata/metadata-store.ts';
import { readShareSettings, type SharedKind } from './rules/share-settings.ts';
import type { Share, SharePassword } from './store/share-store.ts';

export interface ShareDeps {
  metadata: MetadataStore;
  clock: Clock;
  ids: Ids;
}

/** An insight, a dashboard, or the overview of the site: all of it, or a part. */
export interface SharedItem {
  kind: SharedKind;
  itemId: number;
}

export type ShareChanges = Partial<
  Pick<Share, 'enabled' | 'passwordRequired' | 'settings' | 'expiresAt' | 'allowedOrigins'>
>;

const SHARE_SCOPE = 'SharingConfiguration';
/** As an item; other numbers are parts of it. */
export const WHOLE_SITE = 0;
const MAX_PASSWORDS = 10;

/** Throws unless it exists, in this project. Its name. */
export async function requireItem(
  { insights, dashboards, webShares }: MetadataStore,
  projectId: number,
  { kind, itemId }: SharedItem,
): Promise<string> {
  switch (kind) {
    case 'web': {
      if (itemId === WHOLE_SITE) return 'Web analytics';
      const part = await webShares.get(projectId, itemId);
      if (!part) throw notFound();
      return part.name;
    }
    case 'insight': {
      const insight = await insights.get(projectId, itemId);
      if (!insight || insight.deleted) throw notFound();
      return insight.name || insight.derivedName || 'Insight';
    }
    case 'dashboard': {
      const dashboard = await dashboards.get(projectId, itemId);
      if (!dashboard || dashboard.deleted) throw notFound();
      return dashboard.name || 'Dashboard';
    }
  }
}

/** Only what is given changes. Whoever turns it on needs an organization that allows it. */
export async function changeShare(
  deps: ShareDeps,
  caller: Caller,
  project: Project,
  item: SharedItem,
  { settings, ...changes }: ShareChanges,
): Promise<Share> {
  if (changes.enabled) await requireSharing(deps.metadata, project);
  if (changes.expiresAt && changes.expiresAt <= deps.clock.now())
    throw invalid('expires_at', 'expires_at is in the past: nobody could open the link.');
  return deps.metadata.transaction(async (store) => {
    const name = await requireItem(store, project.id, item);
    const before = await getOrCreate(deps, store, caller, project, item);
    const after = {
      ...before,
      ...changes,
      settings: { ...before.settings, ...settings },
      updatedAt: laterThan(before.updatedAt, deps.clock.now()),
    };
    await store.shares.update(after);
    const differences = changesBetween(SHARE_SCOPE, visible(before), visible(after));
    await recordActivity(deps, store, {
      ...about(caller, project, after, name),
      activity: 'updated',
      changes: differences,
    });
    return after;
  });
}

/** A new token; the old one ends now, or when the grace is over. */
export async function refreshShare(
  deps: ShareDeps,
  caller: Caller,
  project: Project,
  item: SharedItem,
  graceMinutes: number,
): Promise<Share> {
  return deps.metadata.transaction(async (store) => {
    const name = await requireItem(store, project.id, item);
    const before = await getOrCreate(deps, store, caller, project, item);
    const now = deps.clock.now();
    const isKept = graceMinutes > 0;
    const after = {
      ...before,
      token: deps.ids.token(''),
      previousToken: isKept ? before.token : null,
      previousUntil: isKept ? now + graceMinutes * MINUTE_MS : null,
      updatedAt: laterThan(before.updatedAt, now),
    };
    await store.shares.update(after);
    const entry = about(caller, project, after, name);
    await recordActivity(deps, store, { ...entry, activity: 'refreshed', changes: null });
    return after;
  });
}

/** One that is generated unless it is given; it is returned once and never stored. */
export async function addPassword(
  deps: ShareDeps,
  caller: Caller,
  project: Project,
  item: SharedItem,
  given: { password: string | undefined; note: string | null },
): Promise<{ password: string; stored: SharePassword }> {
  const password = given.password ?? deps.ids.token('').slice(0, 20);
  // Takes long on purpose, so it is not done in the transaction.
  const hash = await hashPassword(password);
  return deps.metadata.transaction(async (store) => {
    const name = await requireItem(store, project.id, item);
    const share = await getOrCreate(deps, store, caller, project, item);
    if ((await store.shares.listPasswords(share.id)).length >= MAX_PASSWORDS)
      throw invalid(
        'raw_password',
        `A link has at most ${MAX_PASSWORDS} passwords: delete one first.`,
        'limit_reached',
      );
    const stored = await store.shares.createPassword({
      projectId: project.id,
      shareId: share.id,
      hash,
      note: given.note,
      createdAt: deps.clock.now(),
      createdBy: caller.user.id,
    });
    await recordActivity(deps, store, {
      ...about(caller, project, share, name),
      activity: 'password created',
      changes: null,
    });
    return { password, stored };
  });
}

/** Whoever has entered with it has to enter another one. */
export async function deletePassword(
  deps: ShareDeps,
  caller: Caller,
  project: Project,
  item: SharedItem,
  id: number,
): Promise<void> {
  await deps.metadata.transaction(async (store) => {
    const name = await requireItem(store, project.id, item);
    const share = await store.shares.get(project.id, item.kind, item.itemId);
    if (!share || !(await store.shares.deletePassword(share.id, id))) throw notFound();
    await recordActivity(deps, store, {
      ...about(caller, project, share, name),
      activity: 'password deleted',
      changes: null,
    });
  });
}

export async function requireSharing({ organizations }: MetadataStore, { organizationId }: Project): Promise<void> {
  if ((await organizations.get(organizationId))?.allowsSharing) return;
  throw forbidden('Sharing is turned off in this organization. An admin can allow it under Members and roles.');
}

async function getOrCreate(
  { clock, ids }: ShareDeps,
  store: MetadataStore,
  caller: Caller,
  project: Project,
  { kind, itemId }: SharedItem,
): Promise<Share> {
  const known = await store.shares.get(project.id, kind, itemId);
  if (known) return known;
  await store.shares.create(newShare({ clock, ids }, caller, project, { kind, itemId }));
  const created = await store.shares.get(project.id, kind, itemId);
  if (!created) throw notFound();
  return created;
}

/** One that is off. */
export function newShare(
  { clock, ids }: Pick<ShareDeps, 'clock' | 'ids'>,
  caller: Caller,
  project: Project,
  item: SharedItem,
): Share {
  const now = clock.now();
  return {
    ...item,
    id: ids.uuid(),
    projectId: project.id,
    enabled: false,
    token: ids.token(''),
    previousToken: null,
    previousUntil: null,
    passwordRequired: false,
    settings: {},
    expiresAt: null,
    allowedOrigins: [],
    createdAt: now,
    createdBy: caller.user.id,
    updatedAt: now,
  };
}

const VIEWS_MS = 30 * DAY_MS;
const dayOf = (time: number): string => new Date(time).toISOString().slice(0, 10);

type ViewDeps = Pick<ShareDeps, 'metadata' | 'clock'>;

export const countView = ({ metadata, clock }: ViewDeps, share: Share): Promise<void> =>
  metadata.shares.countView(share, dayOf(clock.now()));

/** Of the last 30 days. */
export const recentViews = ({ metadata, clock }: ViewDeps, { id }: Share): Promise<number> =>
  metadata.shares.viewsSince(id, dayOf(clock.now() - VIEWS_MS));

/** Answers are kept by it, so each change has a time of its own. */
export const laterThan = (before: number, now: number): number => Math.max(before + 1, now);

/** Not the token: whoever reads the log need not be able to open the link. */
const visible = (share: Share): Record<string, Json> => ({
  enabled: share.enabled,
  password_required: share.passwordRequired,
  settings: { ...readShareSettings(share.settings) } satisfies JsonObject,
  expires_at: share.expiresAt === null ? null : new Date(share.expiresAt).toISOString(),
  allowed_origins: share.allowedOrigins,
});

/** As the activity log names it. */
export const itemNameOf = ({ kind, itemId }: SharedItem): string =>
  kind === 'web' && itemId === WHOLE_SITE ? 'web' : `${kind} ${itemId}`;

export const about = (caller: Caller, project: Project, item: SharedItem, name: string) =>
  ({
    organizationId: project.organizationId,
    projectId: project.id,
    userId: caller.user.id,
    scope: SHARE_SCOPE,
    itemId: itemNameOf(item),
    name,
  }) satisfies Partial<ActivityEntry>;
