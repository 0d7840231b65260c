/** Open sessions of a user: seen and ended by themselves, and by admins of their organizations. */
import type { Caller } from '../../access/callers.ts';
import { notFound } from '../../core/errors.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Ids } from '../../lib/ids.ts';
import type { Organization, Session, User } from '../../stores/metadata/accounts.ts';
import type { MetadataStore } from '../../stores/metadata/metadata-store.ts';
import { recordAccountActivity } from './account-activity.ts';
import { getMember, refuseLevelAboveOwn } from './members.ts';

interface OpenSessionDeps {
  metadata: MetadataStore;
  clock: Clock;
  ids: Ids;
}

export const listOpenSessions = ({ metadata, clock }: OpenSessionDeps, user: User): Promise<Session[]> =>
  metadata.sessions.listByUser(user.id, clock.now());

export async function endSession(deps: OpenSessionDeps, caller: Caller, user: User, id: string): Promise<void> {
  await deps.metadata.transaction(async (store) => {
    if (!(await store.sessions.deleteById(user.id, id))) throw notFound();
    await recordEnd(deps, store, caller, user);
  });
}

/** All but the session of the request, if it has one. */
export async function endOtherSessions(deps: OpenSessionDeps, caller: Caller): Promise<void> {
  await deps.metadata.transaction(async (store) => {
    await store.sessions.deleteByUser(caller.user.id, caller.session?.hash);
    await recordEnd(deps, store, caller, caller.user);
  });
}

/** Nobody looks after the sessions of somebody with a higher level. */
export async function memberForAdmin(
  { metadata }: OpenSessionDeps,
  caller: Caller,
  organization: Organization,
  userUuid: string,
): Promise<User> {
  const { user, membership } = await getMember(metadata, organization.id, userUuid);
  refuseLevelAboveOwn(caller, organization.id, membership.level);
  return user;
}

const recordEnd = (deps: OpenSessionDeps, store: MetadataStore, caller: Caller, user: User): Promise<void> =>
  recordAccountActivity(deps, store, user, { userId: caller.user.id, activity: 'session_ended', changes: null });
