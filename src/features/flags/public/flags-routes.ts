/** `/flags/`: like `/decide/`, for SDKs since 2025, with a reason for each value. */
import type { FastifyInstance } from 'fastify';
import { addFastRoute, type FastRoute } from '../../../http/public/fast-route.ts';
import { sendJson } from '../../../http/public/send-json.ts';
import { chain } from '../../../lib/maybe-async.ts';
import { answerFlags, type ErrorTexts, type ProjectDecision } from './answer-flags.ts';
import { DECIDE_MEMBERS, remoteConfigMembers } from './client-config.ts';
import { FLAGS_DOCUMENT } from './decide-schemas.ts';
import type { FlagPublicDeps } from './deps.ts';
import { flagMembers } from './flag-response.ts';

const PATH = '/flags/';

const ERROR_TEXTS: ErrorTexts = {
  malformed: (why) => `Failed to decode request: ${why}`,
  missingDistinctId: 'The distinct_id field is missing from the request. Please include a valid identifier.',
  keyErrors: {
    missing_api_key: 'No API token provided. Please include a valid API token in your request.',
    invalid_api_key: 'The provided API key is invalid or has expired. Please check your API key and try again.',
  },
};

const CONFIG_ONLY = `{"flags":{},"featureFlags":{},"errorsWhileComputingFlags":false,${DECIDE_MEMBERS}}`;

export const FLAGS_ROUTE: FastRoute<FlagPublicDeps> = {
  path: PATH,
  document: FLAGS_DOCUMENT,
  answer: (deps, request) =>
    chain(answerFlags(deps, request, ERROR_TEXTS), (result) => {
      const { query } = result;
      const v = query.get('v');
      const flags = flagMembers(result.decision, isLegacy(v) ? 3 : 4);
      const rest = wantsConfig(query.get('config'), v) ? `,${configOf(result)}` : '';
      return `{${flags},"requestId":"${request.id}","evaluatedAt":${deps.clock.now()}${rest}}`;
    }),
};

export function flagsRoutes(app: FastifyInstance, deps: FlagPublicDeps): void {
  const hide = { schema: { hide: true } };
  addFastRoute(app, deps, FLAGS_ROUTE);
  app.get(PATH, hide, async (_request, reply) => sendJson(reply, CONFIG_ONLY));
  app.options(PATH, hide, async (_request, reply) =>
    reply.header('allow', 'GET, POST, OPTIONS, HEAD').code(204).send(),
  );
}

type Parameter = string | null | undefined;

/** Versions from 2 on, and what is not a number, get the newest shape. */
const isLegacy = (v: Parameter): boolean => v !== undefined && v !== null && v !== '' && Number(v) < 2;

/** Without `config` and `v` the response has everything. */
const wantsConfig = (config: Parameter, v: Parameter): boolean =>
  config === undefined || config === null ? v === undefined || v === null : config === 'true' || config === '1';

const configOf = ({ project, decision }: ProjectDecision): string =>
  remoteConfigMembers({ token: project.apiToken, hasFeatureFlags: decision.snapshot.prepared.flags.length > 0 });
