/** `/decide/`: which flags are on for somebody, and what else an SDK must know to begin. Asked by SDKs of 2020 to 2025. */
import type { FastifyInstance } from 'fastify';
import { answerQuickly, type Question } from '../../../http/public/fast-route.ts';
import { queryValues } from '../../../http/public/read-request.ts';
import { sendJson } from '../../../http/public/send-json.ts';
import { after } from '../../../lib/maybe-async.ts';
import { answerFlags, type Wording } from './answer-flags.ts';
import { DECIDE_MEMBERS } from './client-config.ts';
import { DECIDE_DOCUMENT } from './decide-schemas.ts';
import type { PublicDeps } from './deps.ts';
import { type DecideVersion, flagMembers } from './flag-response.ts';

const PATH = '/decide/';

const WORDING: Wording = {
  malformed: (why) => `Malformed request data: ${why}`,
  missingDistinctId: 'Decide requires a distinct_id.',
  keys: {},
};

/** What other methods than POST get: the configuration, and nobody's flags. */
const WITHOUT_FLAGS = `{"featureFlags":[],${DECIDE_MEMBERS}}`;

export const DECIDE: Question<PublicDeps> = {
  path: PATH,
  document: DECIDE_DOCUMENT,
  answer: (deps, asked) =>
    after(answerFlags(deps, asked, WORDING), ({ decision }) => {
      const version = versionOf(queryValues(asked).get('v'));
      return `{${flagMembers(decision, version)},${DECIDE_MEMBERS},"requestId":"${asked.id}"}`;
    }),
};

export function decideRoutes(app: FastifyInstance, deps: PublicDeps): void {
  answerQuickly(app, deps, DECIDE);
  app.route({
    method: ['GET', 'PUT', 'PATCH', 'DELETE'],
    url: PATH,
    schema: { hide: true },
    handler: async (_request, reply) => sendJson(reply, WITHOUT_FLAGS),
  });
  app.options(PATH, { schema: { hide: true } }, async () => ({ status: 1 }));
}

/** Without one it is 1. One browser SDK sent its own version as a second `v`: what is no integer means 2. */
function versionOf(v: string | null | undefined): DecideVersion {
  if (v === undefined || v === null) return 1;
  if (!/^[+-]?\d+$/.test(v.trim())) return 2;
  const number = Number(v);
  if (number >= 4) return 4;
  return number === 2 || number === 3 ? number : 1;
}
