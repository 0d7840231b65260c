/** `/flags/`: the same as `/decide/` for SDKs since 2025, with the reason for each value. */
import type { FastifyInstance } from 'fastify';
import { answerQuickly, type Question } from '../../../http/public/fast-route.ts';
import { queryValues } from '../../../http/public/read-request.ts';
import { sendJson } from '../../../http/public/send-json.ts';
import { after } from '../../../lib/maybe-async.ts';
import { type Answered, answerFlags, type Wording } from './answer-flags.ts';
import { DECIDE_MEMBERS, remoteConfigMembers } from './client-config.ts';
import { FLAGS_DOCUMENT } from './decide-schemas.ts';
import type { PublicDeps } from './deps.ts';
import { flagMembers } from './flag-response.ts';

const PATH = '/flags/';

const WORDING: Wording = {
  malformed: (why) => `Failed to decode request: ${why}`,
  missingDistinctId: 'The distinct_id field is missing from the request. Please include a valid identifier.',
  keys: {
    missing_api_key: 'No API token provided. Please include a valid API token in your request.',
    invalid_api_key: 'The provided API key is invalid or has expired. Please check your API key and try again.',
  },
};

const WITHOUT_FLAGS = `{"flags":{},"featureFlags":{},"errorsWhileComputingFlags":false,${DECIDE_MEMBERS}}`;

export const FLAGS: Question<PublicDeps> = {
  path: PATH,
  document: FLAGS_DOCUMENT,
  answer: (deps, asked) =>
    after(answerFlags(deps, asked, WORDING), (answered) => {
      const query = queryValues(asked);
      const v = query.get('v');
      const flags = flagMembers(answered.decision, isLegacy(v) ? 3 : 4);
      const rest = isAskedFor(query.get('config'), v) ? `,${configOf(answered)}` : '';
      return `{${flags},"requestId":"${asked.id}","evaluatedAt":${deps.clock.now()}${rest}}`;
    }),
};

export function flagsRoutes(app: FastifyInstance, deps: PublicDeps): void {
  const hide = { schema: { hide: true } };
  answerQuickly(app, deps, FLAGS);
  app.get(PATH, hide, async (_request, reply) => sendJson(reply, WITHOUT_FLAGS));
  app.options(PATH, hide, async (_request, reply) =>
    reply.header('allow', 'GET, POST, OPTIONS, HEAD').code(204).send(),
  );
}

type Parameter = string | null | undefined;

/** What is no number asks for the newest shape, as does anything from 2 on. */
const isLegacy = (v: Parameter): boolean => v !== undefined && v !== null && v !== '' && Number(v) < 2;

/** Whoever says neither wants everything. */
const isAskedFor = (config: Parameter, v: Parameter): boolean =>
  config === undefined || config === null ? v === undefined || v === null : config === 'true' || config === '1';

const configOf = ({ project, decision }: Answered): string =>
  remoteConfigMembers({ token: project.apiToken, hasFeatureFlags: decision.snapshot.prepared.flags.length > 0 });
