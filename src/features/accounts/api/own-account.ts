/** What routes about one's own account check. */
import { type Caller, requireSession } from '../../../access/callers.ts';
import { Failure, forbidden } from '../../../core/errors.ts';
import { MINUTE_MS } from '../../../core/time/units.ts';
import type { RouteContext } from '../../../http/api/route.ts';
import { requirePassword } from '../users.ts';
import type { AccountRouteDeps } from './deps.ts';

const FRESH_MS = 10 * MINUTE_MS;

export function requireSelf(caller: Caller, id: string | undefined): void {
  if (id !== '@me' && id !== caller.user.uuid) throw forbidden();
}

/**
 * Factors are added by whoever has just signed in, or knows the password: a console that was left open must not be enough
 * to keep its user out.
 */
export async function requireFreshSession(
  deps: AccountRouteDeps,
  { caller, request }: Pick<RouteContext<unknown>, 'caller' | 'request'>,
  password?: string,
): Promise<void> {
  requireSession(caller);
  if (deps.clock.now() - (caller.session?.createdAt ?? 0) < FRESH_MS) return;
  if (password === undefined || caller.user.passwordHash === null) {
    throw new Failure('forbidden', 'Sign in again to do this: your session is older than ten minutes.', {
      code: 'reauthentication_required',
    });
  }
  const attempt = { account: caller.user.email.toLowerCase(), address: request.ip, deviceToken: undefined };
  await deps.signInGuard.recordAttempt(attempt);
  await requirePassword(caller.user, password);
}
