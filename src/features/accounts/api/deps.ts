import type { ProjectDirectory } from '../../../access/project-directory.ts';
import type { RouteDeps } from '../../../http/api/route-deps.ts';
import type { TxtLookUp } from '../../../lib/dns.ts';
import type { Ids } from '../../../lib/ids.ts';
import type { Logger } from '../../../lib/log.ts';
import type { Mailer } from '../../../lib/mailer.ts';
import type { Factors } from '../factors/factors.ts';
import type { Passkeys } from '../factors/passkeys.ts';
import type { SingleSignOn } from '../oidc/single-sign-on.ts';
import type { SsoDomains } from '../oidc/sso-domains.ts';
import type { Sessions } from '../sessions.ts';
import type { SignInGuard } from '../sign-in-guard.ts';

export interface AccountRouteDeps extends RouteDeps {
  config: RouteDeps['config'] & { webhookAllowPrivate: boolean };
  ids: Ids;
  sessions: Sessions;
  signInGuard: SignInGuard;
  mailer: Mailer;
  factors: Factors;
  passkeys: Passkeys;
  domains: SsoDomains;
  lookUpTxt: TxtLookUp;
  /** Null: there is no provider. */
  sso: SingleSignOn | null;
  log: Logger;
  /** Invalidated after each change to a project. */
  directory: Pick<ProjectDirectory, 'invalidate'>;
  /** Removes a deleted project's events. */
  removeEvents(projectId: number): Promise<void>;
}
