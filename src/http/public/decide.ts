/** `/decide/`: which flags are on for somebody, and what else an SDK must know to begin. Asked by SDKs of 2020 to 2025. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { after, type Eventually } from '../../lib/eventually.ts';
import { DECIDE_DOCUMENT } from '../schemas/decide.ts';
import { answerFlags, type Wording } from './asked-flags.ts';
import { DECIDE_MEMBERS } from './client-config.ts';
import type { PublicDeps } from './deps.ts';
import { type DecideVersion, flagMembers } from './flag-answers.ts';
import { quickRoute, sendQuickly } from './quick-route.ts';
import { queryValues } from './read-request.ts';
import { sendJson } from './send-json.ts';

const PATH = '/decide/';

const WORDING: Wording = {
  malformed: (why) => `Malformed request data: ${why}`,
  missingDistinctId: 'Decide requires a distinct_id.',
  keys: {},
};

/** What other methods than POST get: the configuration, and nobody's flags. */
const WITHOUT_FLAGS = `{"featureFlags":[],${DECIDE_MEMBERS}}`;

export function decideRoutes(app: FastifyInstance, deps: PublicDeps): void {
  const quick = quickRoute(deps, DECIDE_DOCUMENT);
  app.post(PATH, quick, (request, reply) => answer(deps, request, reply));
  app.route({
    method: ['GET', 'PUT', 'PATCH', 'DELETE'],
    url: PATH,
    schema: { hide: true },
    handler: async (_request, reply) => sendJson(reply, WITHOUT_FLAGS),
  });
  app.options(PATH, { schema: { hide: true } }, async () => ({ status: 1 }));
}

const answer = (deps: PublicDeps, request: FastifyRequest, reply: FastifyReply): Eventually<void> =>
  after(answerFlags(deps, request, WORDING), ({ decision }) => {
    const version = versionOf(queryValues(request).get('v'));
    sendQuickly(
      deps,
      PATH,
      request,
      reply,
      `{${flagMembers(decision, version)},${DECIDE_MEMBERS},"requestId":"${request.id}"}`,
    );
  });

/** Without one it is 1. One browser SDK sent its own version as a second `v`: what is no integer means 2. */
function versionOf(v: string | null | undefined): DecideVersion {
  if (v === undefined || v === null) return 1;
  if (!/^[+-]?\d+$/.test(v.trim())) return 2;
  const number = Number(v);
  if (number >= 4) return 4;
  return number === 2 || number === 3 ? number : 1;
}
