/** The caller of a private route: a user, found by a personal key or a console session, with their memberships. */
import { Failure, forbidden, notFound } from '../core/errors.ts';
import { ALL_SCOPES, missingScope, needsFullKey, requireScopes } from '../core/scopes.ts';
import { MINUTE_MS } from '../core/time/units.ts';
import type { Clock } from '../lib/clock.ts';
import { digest } from '../lib/secrets.ts';
import {
  ADMIN,
  type Membership,
  type MembershipLevel,
  OWNER,
  type PersonalKey,
  type Project,
  type Session,
  type User,
} from '../stores/metadata/accounts.ts';
import type { MetadataStore } from '../stores/metadata/metadata-store.ts';
import type { Page, Paged } from '../stores/metadata/page.ts';
import type { KeyGuard } from './key-guard.ts';
import type { KeyUse } from './key-use.ts';

export interface Caller {
  user: User;
  memberships: readonly Membership[];
  /** How they authenticated. Sessions need protection against cross-site requests, keys do not. */
  via: 'personal_key' | 'session';
  session?: Session;
  /** The session has no second factor, and an organization of the user requires one. */
  lacksFactor?: boolean;
  /** The personal key and what it is limited to. */
  key?: CallerKey;
}

/** A key may do what its scopes, its projects and organizations, and its owner's rights allow: all three. */
interface CallerKey {
  id: string;
  hash: string;
  label: string;
  scopes: readonly string[];
  /** All scopes, everywhere and forever. */
  isUnlimited: boolean;
  /** Null: all projects of its organizations. */
  projectIds: readonly number[] | null;
  /** Null: all organizations of its owner. The caller's memberships are those in these organizations. */
  organizationIds: readonly string[] | null;
}

export interface CallerDeps {
  metadata: MetadataStore;
  clock: Clock;
  keyUse: KeyUse;
}

/** Where the personal key was in the request; the error message says so. */
type KeyLocation = 'Authorization header' | 'body' | 'query string';

/** `last_seen_at` of sessions need not be more precise. */
const LAST_SEEN_UPDATE_INTERVAL_MS = 10 * MINUTE_MS;

export async function callerByKey(
  deps: CallerDeps & { keys: KeyGuard },
  key: string,
  place: KeyLocation,
  address: string,
): Promise<Caller> {
  const found = await deps.keys.lookUp(key, address, () => findCallerByKey(deps, key, address));
  if (found) return found;
  throw new Failure('unauthenticated', `Personal API key found in request ${place} is invalid.`);
}

export const findCallerByKey = (deps: CallerDeps, key: string, address: string): Promise<Caller | null> =>
  callerByKeyHash(deps, digest(key), address);

/** The limits of a key are in the row that is read anyway. */
async function callerByKeyHash(
  { metadata, clock, keyUse }: CallerDeps,
  hash: string,
  address: string | null,
): Promise<Caller | null> {
  const stored = await metadata.personalKeys.getByHash(hash);
  if (!stored || isExpired(stored, clock.now())) return null;
  const user = await metadata.users.get(stored.userId);
  if (!user?.isActive || (await keyUse.isStopped(user))) return null;
  if (address !== null) keyUse.record(stored, address);
  const key = limitsOf(stored);
  const memberships = await metadata.memberships.listByUser(user.id);
  return { user, memberships: memberships.filter((one) => coversOrganization(key, one)), via: 'personal_key', key };
}

const isExpired = ({ expiresAt }: Pick<PersonalKey, 'expiresAt'>, now: number): boolean =>
  expiresAt !== null && expiresAt <= now;

const limitsOf = ({ id, hash, label, scopes, projectIds, organizationIds, expiresAt }: PersonalKey): CallerKey => ({
  id,
  hash,
  label,
  scopes,
  isUnlimited:
    scopes.includes(ALL_SCOPES) && projectIds.length === 0 && organizationIds.length === 0 && expiresAt === null,
  projectIds: projectIds.length === 0 ? null : projectIds,
  organizationIds: organizationIds.length === 0 ? null : organizationIds,
});

const coversOrganization = ({ organizationIds }: CallerKey, { organizationId }: Membership): boolean =>
  organizationIds === null || organizationIds.includes(organizationId);

/** False for everything outside of the caller's organizations and of the key's projects. */
export const hasProject = (caller: Caller, { id, organizationId }: Pick<Project, 'id' | 'organizationId'>): boolean =>
  levelIn(caller, organizationId) !== null && (caller.key?.projectIds?.includes(id) ?? true);

/** Throws unless the caller's key has these scopes. Sessions may do what their user may. */
export function requireKeyScopes({ key }: Caller, required: readonly string[]): void {
  if (!key) return;
  // With a key that is limited in any way, one without the limit could be made.
  if (required.includes(ALL_SCOPES) && !key.isUnlimited) throw needsFullKey();
  requireScopes(key.scopes, required);
}

/** For what changes who may do what, where a part of a request does. */
export const requireFullKey = (caller: Caller): void => requireKeyScopes(caller, [ALL_SCOPES]);

export const callerBySession = (deps: CallerDeps, cookie: string): Promise<Caller | null> =>
  callerBySessionHash(deps, digest(cookie));

async function callerBySessionHash({ metadata, clock }: CallerDeps, hash: string): Promise<Caller | null> {
  const session = await metadata.sessions.getByHash(hash);
  const now = clock.now();
  if (!session || session.expiresAt <= now) return null;
  const user = await metadata.users.get(session.userId);
  if (!user?.isActive) return null;
  if (now - session.lastSeenAt >= LAST_SEEN_UPDATE_INTERVAL_MS) await metadata.sessions.setLastSeen(hash, now);
  return {
    user,
    memberships: await metadata.memberships.listByUser(user.id),
    via: 'session',
    session,
    lacksFactor: !session.hasFactor && (await metadata.organizations.requireFactorOf(user.id)),
  };
}

/** Whether the key or session still has access to the project, for responses that stay open. */
export async function hasAccessStill(
  deps: CallerDeps,
  { session, key }: Caller,
  project: Project,
  required: readonly string[],
): Promise<boolean> {
  const current =
    session !== undefined
      ? await callerBySessionHash(deps, session.hash)
      : await callerByKeyHash(deps, key?.hash ?? '', null);
  if (current === null || !hasProject(current, project)) return false;
  return missingScope(current.key?.scopes ?? [ALL_SCOPES], required) === null;
}

/** Where an organization requires a second factor, a session without one is good for setting one up, and nothing else. */
export function refuseWithoutFactor(caller: Caller | null): void {
  if (caller?.lacksFactor !== true) return;
  throw new Failure('forbidden', 'Your organization requires a second factor. Set one up to continue.', {
    code: '2fa_setup_required',
  });
}

/** For what a key must not do, whatever its rights: somebody who found one could otherwise keep its owner out. */
export function requireSession(caller: Caller): void {
  if (caller.via === 'session') return;
  throw new Failure('forbidden', 'This needs a session of the console: it cannot be done with a key.', {
    code: 'session_required',
  });
}

export function levelIn(caller: Caller, organizationId: string): MembershipLevel | null {
  return caller.memberships.find((membership) => membership.organizationId === organizationId)?.level ?? null;
}

export const isAdmin = (caller: Caller, organizationId: string): boolean =>
  (levelIn(caller, organizationId) ?? 0) >= ADMIN;

export function requireLevel(caller: Caller, organizationId: string, level: MembershipLevel): void {
  if ((levelIn(caller, organizationId) ?? 0) >= level) return;
  throw forbidden(
    level >= OWNER ? 'Your organization access level is insufficient.' : 'You need to have admin level or higher.',
  );
}

/** For `@current` in the path: the organization that was chosen last, else the first. */
export function currentOrganizationId(caller: Caller): string {
  const { currentOrganizationId: chosen } = caller.user;
  if (chosen !== null && levelIn(caller, chosen) !== null) return chosen;
  const first = caller.memberships[0];
  if (!first) throw notFound('Organization not found.');
  return first.organizationId;
}

/** For `@current` in the path: the project that was chosen last, else the oldest. */
export async function currentProject(metadata: MetadataStore, caller: Caller): Promise<Project> {
  const { currentProjectId: chosen } = caller.user;
  const project = chosen === null ? null : await metadata.projects.get(chosen);
  if (project && hasProject(caller, project)) return project;
  const [oldest] = (await listProjects(metadata, caller, { limit: 1, offset: 0 })).items;
  if (!oldest) throw notFound('Project not found.');
  return oldest;
}

/** Those of the current organization; with a key that is limited to projects, those. */
async function listProjects(metadata: MetadataStore, caller: Caller, page: Page): Promise<Paged<Project>> {
  const { projectIds = null } = caller.key ?? {};
  if (projectIds === null) return metadata.projects.list([currentOrganizationId(caller)], page);
  const organizationIds = caller.memberships.map(({ organizationId }) => organizationId);
  return metadata.projects.list(organizationIds, page, projectIds);
}
