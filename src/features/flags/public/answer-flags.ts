/** What `/decide/` and `/flags/` share: reads the request, finds the project and decides its flags. */
import { COOKIELESS_ID } from '../../../core/cookieless/cookieless-id.ts';
import { Failure } from '../../../core/errors.ts';
import { saysTrue } from '../../../core/events/enrich-properties.ts';
import { projectKeyOf } from '../../../core/events/extract-events.ts';
import { isDeeperThan, MAX_DEPTH } from '../../../core/json/clean-json.ts';
import { isJsonObject, type JsonObject } from '../../../core/json/json.ts';
import { parseJsonBytes } from '../../../core/json/parse-json.ts';
import { NO_FIELDS, type QueryValues } from '../../../http/public/decode/decode-request.ts';
import { parseSmallBody } from '../../../http/public/decode/parse-body.ts';
import {
  type PublicRequest,
  queryValues,
  type ReadRequest,
  readPublicRequest,
} from '../../../http/public/read-request.ts';
import { chain, type MaybePromise } from '../../../lib/maybe-async.ts';
import type { Project } from '../../../stores/metadata/accounts.ts';
import { decide, getSnapshot } from '../decide/decide.ts';
import type { DecideRequest } from '../decide/decide-request.ts';
import type { Decision } from '../decide/decision.ts';
import { usageSource } from '../usage/usage-source.ts';
import { callerRuntime } from './caller-runtime.ts';
import type { FlagPublicDeps } from './deps.ts';
import { hasFlagsDisabled, readFlagRequest } from './flag-request.ts';

/** The two paths have error messages of their own, which clients and their users search for. */
export interface ErrorTexts {
  malformed(why: string): string;
  missingDistinctId: string;
  /** By the code of the error; other errors keep their message. */
  keyErrors: Readonly<Record<string, string>>;
}

export interface ProjectDecision {
  project: Project;
  decision: Decision;
  query: QueryValues;
}

/** Synchronous if the body is plain JSON, the project is cached and the decision needs no waiting. */
export function answerFlags(
  deps: FlagPublicDeps,
  request: PublicRequest,
  errorTexts: ErrorTexts,
): MaybePromise<ProjectDecision> {
  const read = readPublicRequest(request, limitsOf(deps));
  if (read instanceof Promise) return answerDecoded(deps, request, read, errorTexts);
  const body = readObject(read.payload, errorTexts);
  const project = deps.directory.cached(projectKeyOf(body));
  return project === undefined
    ? answerBody(deps, request, { body, fields: NO_FIELDS, query: read.query }, errorTexts)
    : decideForProject(deps, request, project, { body, query: read.query }, errorTexts);
}

const limitsOf = ({ config }: FlagPublicDeps) => ({
  maxBytes: config.maxFlagsBodyBytes,
  maxRatio: config.maxUnpackingRatio,
});

async function answerDecoded(
  deps: FlagPublicDeps,
  request: PublicRequest,
  read: Promise<ReadRequest>,
  errorTexts: ErrorTexts,
): Promise<ProjectDecision> {
  return answerBody(deps, request, await parsedBody(request, read, errorTexts), errorTexts);
}

async function answerBody(
  deps: FlagPublicDeps,
  request: PublicRequest,
  parsed: ParsedBody,
  errorTexts: ErrorTexts,
): Promise<ProjectDecision> {
  return decideForProject(deps, request, await projectFor(deps, request.ip, parsed, errorTexts), parsed, errorTexts);
}

const decideForProject = (
  deps: FlagPublicDeps,
  request: PublicRequest,
  project: Project,
  { body, query }: Pick<ParsedBody, 'body' | 'query'>,
  errorTexts: ErrorTexts,
): MaybePromise<ProjectDecision> =>
  chain(decisionFor(deps, request, project, body, errorTexts), (decision) => {
    deps.flagUsage.record(project.id, decision, usageSource(request.headers['user-agent'], query.get('ver')));
    return { project, decision, query };
  });

function decisionFor(
  deps: FlagPublicDeps,
  request: PublicRequest,
  project: Project,
  body: JsonObject,
  { missingDistinctId }: ErrorTexts,
): MaybePromise<Decision> {
  if (hasFlagsDisabled(body)) return withoutFlags(deps, project.id);
  const flagRequest = readFlagRequest(body, {
    missingDistinctId: () => new Failure('invalid', missingDistinctId, { code: 'missing_distinct_id' }),
    runtime: () => callerRuntime(body['evaluation_runtime'], request.headers),
    place: placeOf(deps, request, project, body),
  });
  return flagRequest.distinctId === COOKIELESS_ID
    ? decideForCookieless(deps, request, project, body, flagRequest)
    : decide(deps.decide, project.id, flagRequest);
}

/** For the id that the visitor's events have; where that cannot be said, for a new one. */
async function decideForCookieless(
  deps: FlagPublicDeps,
  { ip, headers }: PublicRequest,
  project: Project,
  { timezone = null }: JsonObject,
  request: DecideRequest,
): Promise<Decision> {
  const { origin: host, 'user-agent': userAgent } = headers;
  const sighting = { address: ip, userAgent, host, extra: undefined, time: deps.clock.now(), timezone };
  const distinctId = (await deps.cookieless.distinctId(project, sighting)) ?? deps.ids.uuid();
  return decide(deps.decide, project.id, { ...request, distinctId });
}

/**
 * Where the request comes from; null: it does not count, since a server says that this is not where its user is. The
 * address is found only if a flag asks for the place: that takes longer than reading the rest of the request.
 */
export const placeOf = (
  { geoip }: FlagPublicDeps,
  request: PublicRequest,
  { webAnalytics }: Project,
  { geoip_disable: isOff }: JsonObject,
): DecideRequest['place'] => (webAnalytics.geoip && !saysTrue(isOff) ? () => geoip.placeOf(request.ip) : null);

async function withoutFlags(deps: FlagPublicDeps, projectId: number): Promise<Decision> {
  return { evaluations: [], hasErrors: false, snapshot: await getSnapshot(deps.decide, projectId) };
}

/** The body alone, for routes that take project and flag from elsewhere. */
export async function readBody(
  deps: FlagPublicDeps,
  request: PublicRequest,
  errorTexts: ErrorTexts,
): Promise<JsonObject> {
  const read = readPublicRequest(request, limitsOf(deps));
  return read instanceof Promise
    ? (await parsedBody(request, read, errorTexts)).body
    : readObject(read.payload, errorTexts);
}

interface ParsedBody {
  body: JsonObject;
  fields: ReadonlyMap<string, string>;
  query: QueryValues;
}

async function parsedBody(
  request: PublicRequest,
  read: Promise<ReadRequest>,
  errorTexts: ErrorTexts,
): Promise<ParsedBody> {
  try {
    const { payload, formFields, query } = await read;
    return { body: firstObject(parseSmallBody(payload), payload.length), fields: formFields, query };
  } catch (error) {
    // An empty body is reported as a missing key.
    if (error instanceof Failure && error.code === 'no_data')
      return { body: {}, fields: NO_FIELDS, query: queryValues(request) };
    throw withErrorText(error, errorTexts);
  }
}

/** A short body is parsed quickly, whatever it contains. */
const SHORT_BODY_BYTES = 8 * 1024;

const parsePlain = (body: Buffer): unknown =>
  body.length <= SHORT_BODY_BYTES ? parseJsonBytes(body) : parseSmallBody(body);

function readObject(plain: Buffer, errorTexts: ErrorTexts): JsonObject {
  try {
    return firstObject(parsePlain(plain), plain.length);
  } catch (error) {
    throw withErrorText(error, errorTexts);
  }
}

function withErrorText(error: unknown, { malformed }: ErrorTexts): unknown {
  if (!(error instanceof Failure) || error.kind !== 'invalid' || error.code === MALFORMED_DATA) return error;
  const why = error.message.replace(/^Malformed request data: /, '');
  return new Failure('invalid', malformed(why), { code: MALFORMED_DATA, cause: error });
}

export const MALFORMED_DATA = 'malformed_data';

const unreadable = (why: string): Failure => new Failure('invalid', why);

/** Of a list the first item. */
function firstObject(parsed: unknown, bytes: number): JsonObject {
  // Each level takes at least two bytes, so short bodies need no check.
  if (bytes > 2 * MAX_DEPTH && isDeeperThan(parsed, MAX_DEPTH)) {
    throw unreadable(`nested more than ${MAX_DEPTH} levels deep`);
  }
  const first = Array.isArray(parsed) ? parsed[0] : parsed;
  if (first === null || first === undefined) return {};
  if (!isJsonObject(first)) throw unreadable('the body must be a JSON object');
  return first;
}

async function projectFor(
  { directory }: FlagPublicDeps,
  address: string,
  { body, fields, query }: ParsedBody,
  errorTexts: ErrorTexts,
): Promise<Project> {
  const key = fields.get('api_key') || fields.get('token') || projectKeyOf(body);
  const projectId = fields.get('project_id') ?? body['project_id'] ?? query.get('project_id');
  try {
    return await directory.getProject(key, projectId, address);
  } catch (error) {
    const text = error instanceof Failure ? errorTexts.keyErrors[error.code ?? ''] : undefined;
    if (text === undefined || !(error instanceof Failure)) throw error;
    const { code } = error;
    throw new Failure(error.kind, text, code === undefined ? {} : { code });
  }
}
