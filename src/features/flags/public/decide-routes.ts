/** `/decide/`: the flags of a person and the configuration of an SDK. For SDKs of 2020 to 2025. */
import type { FastifyInstance } from 'fastify';
import { addFastRoute, type FastRoute } from '../../../http/public/fast-route.ts';
import { sendJson } from '../../../http/public/send-json.ts';
import { chain } from '../../../lib/maybe-async.ts';
import { answerFlags, type ErrorTexts } from './answer-flags.ts';
import { DECIDE_MEMBERS } from './client-config.ts';
import { DECIDE_DOCUMENT } from './decide-schemas.ts';
import type { FlagPublicDeps } from './deps.ts';
import { type DecideVersion, flagMembers } from './flag-response.ts';

const PATH = '/decide/';

const ERROR_TEXTS: ErrorTexts = {
  malformed: (why) => `Malformed request data: ${why}`,
  missingDistinctId: 'Decide requires a distinct_id.',
  keyErrors: {},
};

/** The response to methods other than POST. */
const CONFIG_ONLY = `{"featureFlags":[],${DECIDE_MEMBERS}}`;

export const DECIDE_ROUTE: FastRoute<FlagPublicDeps> = {
  path: PATH,
  document: DECIDE_DOCUMENT,
  answer: (deps, request) =>
    chain(answerFlags(deps, request, ERROR_TEXTS), ({ decision, query }) => {
      const version = versionOf(query.get('v'));
      return `{${flagMembers(decision, version)},${DECIDE_MEMBERS},"requestId":"${request.id}"}`;
    }),
};

export function decideRoutes(app: FastifyInstance, deps: FlagPublicDeps): void {
  addFastRoute(app, deps, DECIDE_ROUTE);
  app.route({
    method: ['GET', 'PUT', 'PATCH', 'DELETE'],
    url: PATH,
    schema: { hide: true },
    handler: async (_request, reply) => sendJson(reply, CONFIG_ONLY),
  });
  app.options(PATH, { schema: { hide: true } }, async () => ({ status: 1 }));
}

/** 1 by default. One browser SDK sent its own version as a second `v`: what is not an integer means 2. */
function versionOf(v: string | null | undefined): DecideVersion {
  if (v === undefined || v === null) return 1;
  if (!/^[+-]?\d+$/.test(v.trim())) return 2;
  const number = Number(v);
  if (number >= 4) return 4;
  return number === 2 || number === 3 ? number : 1;
}
