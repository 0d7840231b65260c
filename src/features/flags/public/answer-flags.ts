/** What `/decide/` and `/flags/` have in common: who asks, about whom, and the decision. */
import { Failure } from '../../../core/errors.ts';
import { projectKeyOf } from '../../../core/events/extract-events.ts';
import { isDeeperThan, MAX_DEPTH } from '../../../core/json/clean-json.ts';
import { isJsonObject, type JsonObject } from '../../../core/json/json.ts';
import { parseJson } from '../../../core/json/parse-json.ts';
import { parseBody } from '../../../http/public/decode/parse-body.ts';
import { decode, type PublicRequest, plainJson, queryValues } from '../../../http/public/read-request.ts';
import { chain, type MaybePromise } from '../../../lib/maybe-async.ts';
import type { Project } from '../../../stores/metadata/accounts.ts';
import { type Decision, decide, getSnapshot } from '../decide/decide.ts';
import { callerRuntime } from './caller-runtime.ts';
import type { FlagPublicDeps } from './deps.ts';
import { hasFlagsDisabled, readFlagRequest } from './flag-request.ts';

/** The two paths complain in words of their own; clients and their users search for them. */
export interface ErrorTexts {
  malformed(why: string): string;
  missingDistinctId: string;
  /** By the code of the failure; others keep their own words. */
  keyErrors: Readonly<Record<string, string>>;
}

export interface ProjectDecision {
  project: Project;
  decision: Decision;
}

/** At once, where the body is plain and the project known. */
export function answerFlags(
  deps: FlagPublicDeps,
  request: PublicRequest,
  wording: ErrorTexts,
): MaybePromise<ProjectDecision> {
  const plain = plainJson(request);
  if (plain === undefined) return answerDecoded(deps, request, wording);
  const body = readObject(plain, wording);
  const project = deps.directory.cached(projectKeyOf(body));
  return project === undefined
    ? answerBody(deps, request, { body, fields: NO_FIELDS }, wording)
    : decideForProject(deps, request, project, body, wording);
}

async function answerDecoded(
  deps: FlagPublicDeps,
  request: PublicRequest,
  wording: ErrorTexts,
): Promise<ProjectDecision> {
  return answerBody(deps, request, await decodedBody(deps, request, wording), wording);
}

async function answerBody(
  deps: FlagPublicDeps,
  request: PublicRequest,
  asked: DecodedBody,
  wording: ErrorTexts,
): Promise<ProjectDecision> {
  return decideForProject(deps, request, await projectFor(deps, request, asked, wording), asked.body, wording);
}

const decideForProject = (
  deps: FlagPublicDeps,
  request: PublicRequest,
  project: Project,
  body: JsonObject,
  wording: ErrorTexts,
): MaybePromise<ProjectDecision> =>
  chain(decisionFor(deps, request, project.id, body, wording), (decision) => ({ project, decision }));

function decisionFor(
  deps: FlagPublicDeps,
  request: PublicRequest,
  projectId: number,
  body: JsonObject,
  { missingDistinctId }: ErrorTexts,
): MaybePromise<Decision> {
  if (hasFlagsDisabled(body)) return withoutFlags(deps, projectId);
  const asked = readFlagRequest(body, {
    missingDistinctId: () => new Failure('invalid', missingDistinctId, { code: 'missing_distinct_id' }),
    runtime: () => callerRuntime(body['evaluation_runtime'], request.headers),
  });
  return decide(deps.decide, projectId, asked);
}

async function withoutFlags(deps: FlagPublicDeps, projectId: number): Promise<Decision> {
  return { evaluations: [], hasErrors: false, snapshot: await getSnapshot(deps.decide, projectId) };
}

/** The body alone, for those who know the project and the question by other ways. */
export async function readBody(deps: FlagPublicDeps, request: PublicRequest, wording: ErrorTexts): Promise<JsonObject> {
  const plain = plainJson(request);
  return plain === undefined ? (await decodedBody(deps, request, wording)).body : readObject(plain, wording);
}

interface DecodedBody {
  body: JsonObject;
  fields: ReadonlyMap<string, string>;
}

const NO_FIELDS: ReadonlyMap<string, string> = new Map();

async function decodedBody(deps: FlagPublicDeps, request: PublicRequest, wording: ErrorTexts): Promise<DecodedBody> {
  try {
    const { payload, formFields } = await decode(request, deps.config.maxBodyBytes, 'v0');
    return { body: firstObject(await parseBody(payload), payload.length), fields: formFields };
  } catch (error) {
    // Nothing at all was sent: so the key is what is missing.
    if (error instanceof Failure && error.code === 'no_data') return { body: {}, fields: NO_FIELDS };
    throw withErrorText(error, wording);
  }
}

function readObject(plain: Buffer, wording: ErrorTexts): JsonObject {
  try {
    return firstObject(parseJson(plain.toString('utf8')), plain.length);
  } catch (error) {
    throw withErrorText(error, wording);
  }
}

function withErrorText(error: unknown, { malformed }: ErrorTexts): unknown {
  if (!(error instanceof Failure) || error.kind !== 'invalid' || error.code === MALFORMED_DATA) return error;
  const why = error.message.replace(/^Malformed request data: /, '');
  return new Failure('invalid', malformed(why), { code: MALFORMED_DATA, cause: error });
}

export const MALFORMED_DATA = 'malformed_data';

const unreadable = (why: string): Failure => new Failure('invalid', why);

/** Of a list the first counts. */
function firstObject(parsed: unknown, bytes: number): JsonObject {
  // Nesting takes at least two bytes a level.
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
  request: PublicRequest,
  { body, fields }: DecodedBody,
  wording: ErrorTexts,
): Promise<Project> {
  const key = fields.get('api_key') || fields.get('token') || projectKeyOf(body);
  const projectId = fields.get('project_id') ?? body['project_id'] ?? queryValues(request).get('project_id');
  try {
    return await directory.getProject(key, projectId);
  } catch (error) {
    const words = error instanceof Failure ? wording.keyErrors[error.code ?? ''] : undefined;
    if (words === undefined || !(error instanceof Failure)) throw error;
    const { code } = error;
    throw new Failure(error.kind, words, code === undefined ? {} : { code });
  }
}
