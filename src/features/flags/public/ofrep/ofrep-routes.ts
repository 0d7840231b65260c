/**
 * `/ofrep/v1/…`: flags for OpenFeature's generic providers (OFREP). A provider on a server requests one flag at a time;
 * one in a browser polls all of them, hence the entity tag.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Failure } from '../../../../core/errors.ts';
import { stringifyExact } from '../../../../core/json/exact-json.ts';
import { isJsonObject, type JsonObject } from '../../../../core/json/json.ts';
import { httpStatusOf, sendError } from '../../../../http/errors.ts';
import { queryValues } from '../../../../http/public/read-request.ts';
import { sendJson } from '../../../../http/public/send-json.ts';
import { isNotModified } from '../../../../http/send-script.ts';
import { digest } from '../../../../lib/secrets.ts';
import type { Project } from '../../../../stores/metadata/accounts.ts';
import { decide } from '../../decide/decide.ts';
import type { Decision } from '../../decide/decision.ts';
import type { CallerRuntime } from '../../decide/flag-snapshots.ts';
import { readConfigEtag } from '../../streams/stream-messages.ts';
import { usageSource } from '../../usage/usage-source.ts';
import { type ErrorTexts, MALFORMED_DATA, placeOf, readBody } from '../answer-flags.ts';
import { callerRuntime } from '../caller-runtime.ts';
import type { FlagPublicDeps } from '../deps.ts';
import { type OfrepErrorCode, readOfrepContext } from './ofrep-context.ts';
import { type OfrepFailure, presentOfrepFlag, presentOfrepFlags } from './ofrep-response.ts';
import { OFREP_ALL_DOCUMENT, OFREP_ONE_DOCUMENT } from './ofrep-schemas.ts';

const ALL = '/ofrep/v1/evaluate/flags';
const ONE = `${ALL}/:key`;
/** After which a page in the background may close its stream. */
const INACTIVITY_DELAY_S = 120;

const ERROR_TEXTS: ErrorTexts = {
  malformed: (why) => `The body could not be read: ${why}`,
  missingDistinctId: '',
  keyErrors: {},
};

export function ofrepRoutes(app: FastifyInstance, deps: FlagPublicDeps): void {
  const options = { errorHandler: sendOfrepError, bodyLimit: deps.config.maxFlagsBodyBytes };
  app.post(ONE, { schema: OFREP_ONE_DOCUMENT, ...options }, (request, reply) => answerOne(deps, request, reply));
  app.post(ALL, { schema: OFREP_ALL_DOCUMENT, ...options }, (request, reply) => answerAll(deps, request, reply));
  for (const path of [ONE, ALL]) {
    app.options(path, { schema: { hide: true } }, async (_request, reply) =>
      reply.code(204).header('allow', 'POST, OPTIONS').send(),
    );
  }
}

async function answerOne(deps: FlagPublicDeps, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const key = keyInPath(request) ?? '';
  const answer = presentOfrepFlag((await decideFor(deps, request, new Set([key]))).decision, key);
  if (answer === null) throw new Failure('not_found', `There is no flag "${key}".`, { code: 'FLAG_NOT_FOUND' });
  if ('errorCode' in answer) reply.code(400);
  return sendJson(reply, stringifyExact(answer));
}

async function answerAll(deps: FlagPublicDeps, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const { project, decision } = await decideFor(deps, request, null);
  const flags = stringifyExact(presentOfrepFlags(decision));
  const etag = `"${digest(flags).slice(0, 32)}"`;
  reply.headers({ etag, 'cache-control': 'private, no-cache' });
  // Without this a page of another origin cannot read the tag.
  if (request.headers.origin !== undefined) reply.header('access-control-expose-headers', 'ETag');
  if (isNotModified(request, etag)) return reply.code(304).send();
  return sendJson(reply, `{"flags":${flags}${await eventStreams(deps, request, project.id)}}`);
}

/** Where changes can be heard of, as another member of the answer; none where that cannot be said now. */
async function eventStreams(
  { flagStreams, channelTokens, config }: FlagPublicDeps,
  request: FastifyRequest,
  projectId: number,
): Promise<string> {
  try {
    const { version } = await flagStreams.state(projectId);
    const requestUri = `/ofrep/v1/stream?channel=${await channelTokens.create(projectId, version)}`;
    const address =
      config.publicUrl === null ? { endpoint: { requestUri } } : { url: `${config.publicUrl}${requestUri}` };
    return `,"eventStreams":${JSON.stringify([{ type: 'sse', ...address, inactivityDelaySec: INACTIVITY_DELAY_S }])}`;
  } catch (err) {
    request.log.debug({ err }, 'the version of the flag definitions could not be read');
    return '';
  }
}

async function decideFor(
  deps: FlagPublicDeps,
  request: FastifyRequest,
  flagKeys: ReadonlySet<string> | null,
): Promise<{ project: Project; decision: Decision }> {
  const key = sentKey(request);
  const project = await deps.directory.getProject(key, queryValues(request).get('project_id'), request.ip);
  const isPublic = key === project.apiToken;
  const body = await readBody(deps, request, ERROR_TEXTS);
  await waitForVersion(deps, request, project.id, body);
  const decideRequest = readOfrepContext(body, () => runtimeOf(request, isPublic));
  const context = isJsonObject(body['context']) ? body['context'] : body;
  const place = placeOf(deps, request, project, context);
  const decision = await decide(deps.decide, project.id, { ...decideRequest, place, flagKeys });
  deps.flagUsage.record(project.id, decision, usageSource(request.headers['user-agent'], null));
  return { project, decision };
}

/** Who heard of a change must not get values of before it, whichever node answers. */
async function waitForVersion(
  { flagStreams }: FlagPublicDeps,
  request: FastifyRequest,
  projectId: number,
  body: JsonObject,
): Promise<void> {
  const version = readConfigEtag(queryValues(request).get('flagConfigEtag') ?? body['flagConfigEtag']);
  if (version === null) return;
  await flagStreams.waitFor(projectId, version).catch((err: unknown) => {
    request.log.debug({ err }, 'the version of the flag definitions could not be read');
  });
}

/** From one of the two places that OFREP allows. */
function sentKey({ headers }: FastifyRequest): string | undefined {
  const bearer = /^Bearer\s+(\S+)\s*$/i.exec(headers.authorization ?? '')?.[1];
  const plain = headers['x-api-key'];
  return bearer ?? (Array.isArray(plain) ? plain[0] : plain);
}

/** A caller with a secret or personal key is a server. */
const runtimeOf = ({ headers }: FastifyRequest, isPublic: boolean): CallerRuntime =>
  isPublic ? callerRuntime(undefined, headers) : 'server';

const keyInPath = ({ params }: FastifyRequest): string | undefined => (params as { key?: string }).key;

/** OFREP has an error format of its own, but none for authentication errors: those keep ours. */
function sendOfrepError(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const isOfrepError = error instanceof Failure && error.kind !== 'unauthenticated' && error.kind !== 'forbidden';
  if (!isOfrepError) return void sendError(error, request, reply);
  if (error.kind === 'unavailable') request.log.warn({ err: error }, 'unavailable');
  if (error.retryAfter !== undefined) reply.header('retry-after', String(error.retryAfter));
  const key = keyInPath(request);
  const body: OfrepFailure = {
    ...(key === undefined ? {} : { key }),
    errorCode: errorCodeOf(error),
    errorDetails: error.message,
  };
  void reply.code(httpStatusOf(error.kind)).send(body);
}

const CODES: ReadonlySet<string> = new Set<OfrepErrorCode>([
  'TARGETING_KEY_MISSING',
  'INVALID_CONTEXT',
  'FLAG_NOT_FOUND',
]);

function errorCodeOf({ kind, code }: Failure): OfrepErrorCode {
  if (code !== undefined && CODES.has(code)) return code as OfrepErrorCode;
  return code === MALFORMED_DATA || kind === 'malformed' ? 'PARSE_ERROR' : 'GENERAL';
}
