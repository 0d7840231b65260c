/** Second factors of one's own account: the authenticator app and recovery codes. Paths and shapes are PostHog's. */

import type { FastifyInstance } from 'fastify';
import { type Caller, requireSession } from '../../../access/callers.ts';
import { FULL_KEY } from '../../../core/scopes.ts';
import { type RouteContext, userRoute } from '../../../http/api/route.ts';
import type { AccountRouteDeps } from './deps.ts';
import {
  CodeSchema,
  FactorChangedSchema,
  FactorStatusSchema,
  NewCodesSchema,
  ReauthenticationSchema,
  TotpSetupSchema,
} from './factor-schemas.ts';
import { requireFreshSession, requireSelf } from './own-account.ts';

const tag = 'second factors';
export function twoFactorRoutes(app: FastifyInstance, deps: AccountRouteDeps): void {
  const own = (caller: Caller, params: Readonly<Record<string, string>>): void => {
    requireSelf(caller, params['id']);
    requireSession(caller);
  };
  setupRoutes(app, deps);
  userRoute(app, deps, {
    method: 'GET',
    url: '/api/users/:id/two_factor_status/',
    summary: 'Which second factors you have',
    tag,
    scope: FULL_KEY,
    beforeFactor: true,
    response: FactorStatusSchema,
    handler: async ({ caller, params }) => {
      own(caller, params);
      const { hasTotp, passkeys, recoveryCodesLeft } = await deps.factors.status(caller.user);
      return {
        is_enabled: hasTotp || passkeys.length > 0,
        method: hasTotp ? 'TOTP' : null,
        backup_codes: [],
        backup_codes_left: recoveryCodesLeft,
        has_passkeys: passkeys.length > 0,
        passkeys_enabled_for_2fa: true,
      };
    },
  });
  userRoute(app, deps, {
    method: 'POST',
    url: '/api/users/:id/two_factor_backup_codes/',
    summary: 'Make new recovery codes, with a code; the old ones stop working',
    tag,
    scope: FULL_KEY,
    body: CodeSchema,
    response: NewCodesSchema,
    handler: async ({ caller, params, body, request }) => {
      own(caller, params);
      return { success: true, backup_codes: await deps.factors.replaceRecoveryCodes(caller, body.token, request.ip) };
    },
  });
  userRoute(app, deps, {
    method: 'POST',
    url: '/api/users/:id/two_factor_disable/',
    summary: 'Turn off your authenticator app, with a code',
    tag,
    scope: FULL_KEY,
    body: CodeSchema,
    response: FactorChangedSchema,
    handler: async ({ caller, params, body, request }) => {
      own(caller, params);
      await deps.factors.turnOffTotp(caller, body.token, request.ip);
      return { success: true };
    },
  });
}

/** Each also under its former name. */
function setupRoutes(app: FastifyInstance, deps: AccountRouteDeps): void {
  for (const name of ['two_factor_start_setup', 'start_2fa_setup']) {
    const start = async (context: RouteContext<unknown>, password?: string) => {
      requireSelf(context.caller, context.params['id']);
      await requireFreshSession(deps, context, password);
      const { secret, url } = await deps.factors.startTotp(context.caller.user);
      return { success: true, secret, otpauth_url: url };
    };
    const shared = {
      url: `/api/users/:id/${name}/`,
      tag,
      scope: FULL_KEY,
      beforeFactor: true,
      response: TotpSetupSchema,
    } as const;
    userRoute(app, deps, {
      ...shared,
      method: 'GET',
      summary: 'Begin to set up an authenticator app, within ten minutes of signing in',
      handler: (context) => start(context),
    });
    userRoute(app, deps, {
      ...shared,
      method: 'POST',
      summary: 'Begin to set up an authenticator app, with the password',
      body: ReauthenticationSchema,
      handler: (context) => start(context, context.body.current_password),
    });
  }
  for (const name of ['two_factor_validate', 'validate_2fa']) {
    userRoute(app, deps, {
      method: 'POST',
      url: `/api/users/:id/${name}/`,
      summary: 'Finish setting up an authenticator app with a code of it; recovery codes are in this response only',
      tag,
      scope: FULL_KEY,
      beforeFactor: true,
      body: CodeSchema,
      response: NewCodesSchema,
      handler: async ({ caller, params, body, request }) => {
        requireSelf(caller, params['id']);
        requireSession(caller);
        return { success: true, backup_codes: await deps.factors.confirmTotp(caller, body.token, request.ip) };
      },
    });
  }
}
