/** What `/decide/` and `/flags/` have in common: who asks, about whom, and the decision. */
import { Failure } from '../../../core/errors.ts';
import { keyOf } from '../../../core/events/extract-events.ts';
import { isDeeperThan, MAX_DEPTH } from '../../../core/json/clean-json.ts';
import { isJsonObject, type JsonObject } from '../../../core/json/json.ts';
import { parseJson } from '../../../core/json/parse-json.ts';
import { parseBody } from '../../../http/public/decode/parse-body.ts';
import { type Asked, decode, plainJson, queryValues } from '../../../http/public/read-request.ts';
import { after, type Eventually } from '../../../lib/maybe-async.ts';
import type { Project } from '../../../stores/metadata/accounts.ts';
import { type Decision, decide, definitionsOf } from '../decide/decide.ts';
import { callerRuntime } from './caller-runtime.ts';
import type { PublicDeps } from './deps.ts';
import { hasFlagsDisabled, readFlagRequest } from './flag-request.ts';

/** The two paths complain in words of their own; clients and their users search for them. */
export interface Wording {
  malformed(why: string): string;
  missingDistinctId: string;
  /** By the code of the failure; others keep their own words. */
  keys: Readonly<Record<string, string>>;
}

export interface Answered {
  project: Project;
  decision: Decision;
}

/** At once, where the body is plain and the project known. */
export function answerFlags(deps: PublicDeps, request: Asked, wording: Wording): Eventually<Answered> {
  const plain = plainJson(request);
  if (plain === undefined) return answerDecoded(deps, request, wording);
  const body = readObject(plain, wording);
  const project = deps.directory.remembered(keyOf(body));
  return project === undefined
    ? answerTo(deps, request, { body, fields: NONE }, wording)
    : answered(deps, request, project, body, wording);
}

async function answerDecoded(deps: PublicDeps, request: Asked, wording: Wording): Promise<Answered> {
  return answerTo(deps, request, await decodedBody(deps, request, wording), wording);
}

async function answerTo(deps: PublicDeps, request: Asked, asked: Body, wording: Wording): Promise<Answered> {
  return answered(deps, request, await projectFor(deps, request, asked, wording), asked.body, wording);
}

const answered = (
  deps: PublicDeps,
  request: Asked,
  project: Project,
  body: JsonObject,
  wording: Wording,
): Eventually<Answered> =>
  after(decisionFor(deps, request, project.id, body, wording), (decision) => ({ project, decision }));

function decisionFor(
  deps: PublicDeps,
  request: Asked,
  projectId: number,
  body: JsonObject,
  { missingDistinctId }: Wording,
): Eventually<Decision> {
  if (hasFlagsDisabled(body)) return withoutFlags(deps, projectId);
  const asked = readFlagRequest(body, {
    missingDistinctId: () => new Failure('invalid', missingDistinctId, { code: 'missing_distinct_id' }),
    runtime: () => callerRuntime(body['evaluation_runtime'], request.headers),
  });
  return decide(deps.decide, projectId, asked);
}

async function withoutFlags(deps: PublicDeps, projectId: number): Promise<Decision> {
  return { evaluations: [], hasErrors: false, snapshot: await definitionsOf(deps.decide, projectId) };
}

/** The body alone, for those who know the project and the question by other ways. */
export async function bodyOf(deps: PublicDeps, request: Asked, wording: Wording): Promise<JsonObject> {
  const plain = plainJson(request);
  return plain === undefined ? (await decodedBody(deps, request, wording)).body : readObject(plain, wording);
}

interface Body {
  body: JsonObject;
  fields: ReadonlyMap<string, string>;
}

const NONE: ReadonlyMap<string, string> = new Map();

async function decodedBody(deps: PublicDeps, request: Asked, wording: Wording): Promise<Body> {
  try {
    const { payload, formFields } = await decode(request, deps.config.maxBodyBytes, 'v0');
    return { body: objectIn(await parseBody(payload), payload.length), fields: formFields };
  } catch (error) {
    // Nothing at all was sent: so the key is what is missing.
    if (error instanceof Failure && error.code === 'no_data') return { body: {}, fields: NONE };
    throw reworded(error, wording);
  }
}

function readObject(plain: Buffer, wording: Wording): JsonObject {
  try {
    return objectIn(parseJson(plain.toString('utf8')), plain.length);
  } catch (error) {
    throw reworded(error, wording);
  }
}

function reworded(error: unknown, { malformed }: Wording): unknown {
  if (!(error instanceof Failure) || error.kind !== 'invalid' || error.code === MALFORMED) return error;
  const why = error.message.replace(/^Malformed request data: /, '');
  return new Failure('invalid', malformed(why), { code: MALFORMED, cause: error });
}

export const MALFORMED = 'malformed_data';

const unreadable = (why: string): Failure => new Failure('invalid', why);

/** Of a list the first counts. */
function objectIn(parsed: unknown, bytes: number): JsonObject {
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
  { directory }: PublicDeps,
  request: Asked,
  { body, fields }: Body,
  wording: Wording,
): Promise<Project> {
  const key = fields.get('api_key') || fields.get('token') || keyOf(body);
  const projectId = fields.get('project_id') ?? body['project_id'] ?? queryValues(request).get('project_id');
  try {
    return await directory.projectFor(key, projectId);
  } catch (error) {
    const words = error instanceof Failure ? wording.keys[error.code ?? ''] : undefined;
    if (words === undefined || !(error instanceof Failure)) throw error;
    const { code } = error;
    throw new Failure(error.kind, words, code === undefined ? {} : { code });
  }
}
