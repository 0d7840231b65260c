/**
 * Who may open a link. Everything is read from the store each time, so a link that was turned off is closed in the very
 * next request, on every node. All refusals are the same: nobody learns whether a link has ever existed.
 */
import { recordAudit } from '../../access/record-audit.ts';
import { Failure, notFound } from '../../core/errors.ts';
import { DAY_MS, MINUTE_MS } from '../../core/time/units.ts';
import type { Clock } from '../../lib/clock.ts';
import { networkOf } from '../../lib/network.ts';
import { verifyPassword } from '../../lib/secrets.ts';
import type { Project } from '../../stores/metadata/accounts.ts';
import type { MetadataStore } from '../../stores/metadata/metadata-store.ts';
import { countAttempt } from '../accounts/attempts.ts';
import type { SignedCookies } from '../accounts/signed-cookies.ts';
import { itemNameOf, requireItem } from './shares.ts';
import type { Share } from './store/share-store.ts';

export interface OpenShareDeps {
  metadata: MetadataStore;
  clock: Clock;
  cookies: Pick<SignedCookies, 'seal' | 'open'>;
}

export interface OpenedShare {
  share: Share;
  project: Project;
}

const TOKEN = /^[0-9A-Za-z]{43}$/;
const MAX_PASSWORD_ATTEMPTS = 5;
export const SHARE_COOKIE_MS = DAY_MS;

/** Throws the same `notFound` for every link that opens nothing. Whether a password is needed is not asked here. */
export async function openShare({ metadata, clock }: OpenShareDeps, token: string): Promise<OpenedShare> {
  const share = TOKEN.test(token) ? await metadata.shares.getByToken(token) : null;
  if (share === null || !isOpen(share, token, clock.now())) throw notFound();
  const project = await metadata.projects.get(share.projectId);
  if (!project) throw notFound();
  if (!(await metadata.organizations.get(project.organizationId))?.allowsSharing) throw notFound();
  await requireItem(metadata, project.id, share);
  return { share, project };
}

function isOpen({ enabled, expiresAt, token, previousUntil }: Share, given: string, now: number): boolean {
  if (!enabled || (expiresAt !== null && expiresAt <= now)) return false;
  return token === given || (previousUntil !== null && now < previousUntil);
}

/** Names the password, so that deleting it shuts out whoever entered with it. */
interface ShareCookie {
  share: string;
  password: number;
}

const PURPOSE = 'share';

/** Throws unless no password is needed, or the cookie shows that one was entered. */
export async function requireShareAccess(deps: OpenShareDeps, share: Share, cookie: string | undefined): Promise<void> {
  if (!share.passwordRequired) return;
  const opened = await deps.cookies.open<ShareCookie>(PURPOSE, cookie);
  if (opened.kind === 'valid' && opened.value.share === share.id) {
    const passwords = await deps.metadata.shares.listPasswords(share.id);
    if (passwords.some(({ id }) => id === opened.value.password)) return;
  }
  throw new Failure('unauthenticated', 'This page needs a password.', { code: 'password_required' });
}

/** The value of the cookie that opens the page for a day. */
export async function enterPassword(
  deps: OpenShareDeps,
  { share, project }: OpenedShare,
  password: string,
  address: string,
): Promise<string> {
  const name = `share ${share.id} ${networkOf(address)}`;
  await countAttempt(deps, [{ name, max: MAX_PASSWORD_ATTEMPTS, windowMs: MINUTE_MS }]);
  for (const { id, hash } of await deps.metadata.shares.listPasswords(share.id)) {
    if (!(await verifyPassword(password, hash))) continue;
    return deps.cookies.seal(PURPOSE, { share: share.id, password: id } satisfies ShareCookie, SHARE_COOKIE_MS);
  }
  await recordAudit(deps, deps.metadata, {
    organizationId: project.organizationId,
    projectId: project.id,
    userId: null,
    activity: 'password refused',
    scope: 'SharingConfiguration',
    itemId: itemNameOf(share),
    name: null,
    changes: null,
    from: networkOf(address),
  });
  throw new Failure('unauthenticated', 'The password is wrong.', { code: 'wrong_password' });
}
