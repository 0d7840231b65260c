/** A new password by a link. These routes need no authentication. */

import type { Static } from '@sinclair/typebox';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { completeReset, findReset, requestReset } from '../password-resets.ts';
import type { AccountRouteDeps } from './deps.ts';
import { browserOf, doneSchema, signInOptions } from './send-session.ts';
import { NewPasswordSchema, ResetRequestSchema } from './session-schemas.ts';

const userUuid = (request: FastifyRequest): string => (request.params as { user_uuid: string }).user_uuid;

export function passwordResetRoutes(app: FastifyInstance, deps: AccountRouteDeps): void {
  const options = signInOptions(deps);
  const asked = doneSchema('The same for every address. Where mail is set up, an account with it gets a link.');
  app.post(
    '/api/reset/',
    { ...options, schema: { ...asked, summary: 'Ask for a link to choose a new password', body: ResetRequestSchema } },
    async (request, reply) => {
      await requestReset(deps, (request.body as Static<typeof ResetRequestSchema>).email, request.ip);
      return reply.code(204).send();
    },
  );
  const url = '/api/reset/:user_uuid/';
  const summary = 'Whether a link for a new password is valid; its token is in the header `X-Reset-Token`';
  app.get(url, { schema: { ...doneSchema('It is.'), summary } }, async (request, reply) => {
    await findReset(deps, userUuid(request), String(request.headers['x-reset-token']));
    return reply.code(204).send();
  });
  app.post(
    url,
    {
      ...options,
      schema: {
        ...doneSchema('Changed. All sessions have ended.'),
        summary: 'Choose a new password',
        body: NewPasswordSchema,
      },
    },
    async (request, reply) => {
      await deps.signInGuard.recordAttempt({ ...browserOf(deps, request), account: `reset ${userUuid(request)}` });
      const given = request.body as Static<typeof NewPasswordSchema>;
      await completeReset(deps, { userUuid: userUuid(request), ...given });
      return reply.code(204).send();
    },
  );
}
