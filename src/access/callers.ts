/** The caller of a private route: a user, found by a personal key or a console session, with their memberships. */
import { Failure, forbidden, notFound } from '../core/errors.ts';
import { HOUR_MS, MINUTE_MS } from '../core/time/units.ts';
import type { Clock } from '../lib/clock.ts';
import { digest } from '../lib/secrets.ts';
import {
  ADMIN,
  type Membership,
  type MembershipLevel,
  OWNER,
  type Project,
  type Session,
  type User,
} from '../stores/metadata/accounts.ts';
import type { MetadataStore } from '../stores/metadata/metadata-store.ts';
import type { KeyGuard } from './key-guard.ts';

export interface Caller {
  user: User;
  memberships: readonly Membership[];
  /** How they authenticated. Sessions need protection against cross-site requests, keys do not. */
  via: 'personal_key' | 'session';
  session?: Session;
  /** Digest of the personal key. */
  keyHash?: string;
}

export interface CallerDeps {
  metadata: MetadataStore;
  clock: Clock;
}

/** Where the personal key was in the request; the error message says so. */
type KeyLocation = 'Authorization header' | 'body' | 'query string';

/** `last_used_at` shows people which keys are unused; once an hour is precise enough. */
const LAST_USED_UPDATE_INTERVAL_MS = HOUR_MS;
/** Likewise `last_seen_at` of sessions. */
const LAST_SEEN_UPDATE_INTERVAL_MS = 10 * MINUTE_MS;

export async function callerByKey(
  deps: CallerDeps & { keys: KeyGuard },
  key: string,
  place: KeyLocation,
  address: string,
): Promise<Caller> {
  const found = await deps.keys.lookUp(key, address, () => findCallerByKey(deps, key));
  if (found) return found;
  throw new Failure('unauthenticated', `Personal API key found in request ${place} is invalid.`);
}

export const findCallerByKey = (deps: CallerDeps, key: string): Promise<Caller | null> =>
  callerByKeyHash(deps, digest(key));

async function callerByKeyHash({ metadata, clock }: CallerDeps, hash: string): Promise<Caller | null> {
  const stored = await metadata.personalKeys.getByHash(hash);
  const user = stored && (await metadata.users.get(stored.userId));
  if (!stored || !user?.isActive) return null;
  const now = clock.now();
  if (now - (stored.lastUsedAt ?? 0) >= LAST_USED_UPDATE_INTERVAL_MS)
    await metadata.personalKeys.setLastUsed(stored.id, now);
  return {
    user,
    memberships: await metadata.memberships.listByUser(user.id),
    via: 'personal_key',
    keyHash: stored.hash,
  };
}

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
  };
}

/** Whether the key or session is still valid and its user still a member, for responses that stay open. */
export async function hasAccessStill(deps: CallerDeps, caller: Caller, organizationId: string): Promise<boolean> {
  const { session, keyHash } = caller;
  const current =
    session !== undefined ? await callerBySessionHash(deps, session.hash) : await callerByKeyHash(deps, keyHash ?? '');
  return current !== null && levelIn(current, organizationId) !== null;
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
  if (project && levelIn(caller, project.organizationId) !== null) return project;
  const organizationIds = [currentOrganizationId(caller)];
  const [oldest] = (await metadata.projects.list(organizationIds, { limit: 1, offset: 0 })).items;
  if (!oldest) throw notFound('Project not found.');
  return oldest;
}
