/** The link of an invitation. Its token is in a header or in the body, so that no log of URLs keeps it. */

import type { Static } from '@sinclair/typebox';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { type Caller, callerBySession } from '../../../access/callers.ts';
import { sessionCookie } from '../../../http/api/session-cookie.ts';
import { presentUserSummary } from '../../../http/schemas/common.ts';
import { findInvite } from '../invites.ts';
import type { AccountRouteDeps } from './deps.ts';
import { presentSignUp, SignUpPreviewSchema, SignUpSchema } from './invite-schemas.ts';
import { browserOf, SIGN_IN_SCHEMA, sendSession, signInOptions } from './send-session.ts';

const URL = '/api/signup/:invite_id/';
const PREVIEW_SCHEMA = { ...SIGN_IN_SCHEMA, response: { ...SIGN_IN_SCHEMA.response, 200: SignUpPreviewSchema } };

const inviteId = (request: FastifyRequest): string => (request.params as { invite_id: string }).invite_id;

export function signUpRoutes(app: FastifyInstance, deps: AccountRouteDeps): void {
  const caller = async (request: FastifyRequest): Promise<Caller | null> => {
    const cookie = sessionCookie(request, deps.config.publicUrl);
    return cookie === undefined ? null : callerBySession(deps, cookie);
  };
  app.get(
    URL,
    {
      schema: { ...PREVIEW_SCHEMA, summary: 'What an invitation is for; its token is in the header `X-Invite-Token`' },
    },
    async (request) => {
      const token = String(request.headers['x-invite-token']);
      const { invite, organization } = await findInvite(deps, inviteId(request), token);
      const user = (await caller(request))?.user;
      return presentSignUp(invite, organization, user?.email === invite.email);
    },
  );
  app.post(
    URL,
    { ...signInOptions(deps), schema: { ...SIGN_IN_SCHEMA, summary: 'Accept an invitation', body: SignUpSchema } },
    async (request, reply) => {
      const { token, password, first_name: firstName } = request.body as Static<typeof SignUpSchema>;
      const given = { id: inviteId(request), token, password, firstName, caller: await caller(request) };
      const { user, opened } = await deps.sessions.signUp(given, browserOf(deps, request));
      return opened === null
        ? { success: true, user: presentUserSummary(user) }
        : sendSession(deps, request, reply, opened);
    },
  );
}
