/** Capture as SDKs have always spoken it: one event or a batch, in any encoding, with the key wherever it may be. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Failure } from '../../../core/errors.ts';
import { type ExtractedEvents, extractEvents, projectKeyOf } from '../../../core/events/extract-events.ts';
import { isJsonObject } from '../../../core/json/json.ts';
import type { QueryValues } from '../../../http/public/decode/decode-request.ts';
import type { ParsedEvents } from '../../../http/public/decode/parse-body.ts';
import type { FastRoute } from '../../../http/public/fast-route.ts';
import { type PublicRequest, queryValues, type ReadRequest } from '../../../http/public/read-request.ts';
import { chain, type MaybePromise } from '../../../lib/maybe-async.ts';
import { accept, type Sender } from './accept.ts';
import { CAPTURE_DOCUMENTS } from './capture-schemas.ts';
import type { CaptureDeps, SentEvents } from './deps.ts';
import { sentAtOf } from './sent-at.ts';

const PATHS = ['/capture/', '/batch/', '/e/', '/track/', '/engage/', '/s/', '/i/v0/e/'];
const OK = { status: 1 };
const OK_TEXT = JSON.stringify(OK);
/**
 * The memory of bodies that wait for the disk is limited (`Admission`), but not on the fast path: there, bodies are of one
 * event or a few.
 */
const MAX_FAST_BYTES = 16 * 1024;

const documentOf = (path: string): object => CAPTURE_DOCUMENTS[path] ?? { hide: true };

const wantsNoContent = (query: QueryValues): boolean => query.get('beacon') === '1';

export const CAPTURE_FAST_ROUTES: readonly FastRoute<CaptureDeps>[] = PATHS.map((path) => ({
  path,
  document: documentOf(path),
  maxBytes: ({ maxBodyBytes }) => Math.min(MAX_FAST_BYTES, maxBodyBytes),
  takes: (query) => !wantsNoContent(query),
  answer: (deps, request) => chain(capture(deps, request, isEngage(path)), () => OK_TEXT),
}));

export function captureRoutes(app: FastifyInstance, deps: CaptureDeps): void {
  for (const url of PATHS) {
    const handler = async (request: FastifyRequest, reply: FastifyReply) => {
      await capture(deps, request, isEngage(url));
      return wantsNoContent(queryValues(request)) ? reply.code(204).send() : OK;
    };
    app.get(url, { schema: { hide: true } }, handler);
    app.post(url, { schema: documentOf(url) }, handler);
    app.options(url, { schema: { hide: true } }, async () => OK);
  }
}

const isEngage = (path: string): boolean => path === '/engage/';

const capture = (deps: CaptureDeps, request: PublicRequest, engage: boolean): MaybePromise<SentEvents> =>
  accept(deps, request, {
    encodings: 'v0',
    read: (decoded, parse) =>
      chain(parse(decoded.payload), (parsed) => readBody(decoded, parsed, request.method === 'GET', engage)),
  });

function readBody(request: ReadRequest, { body, payload }: ParsedEvents, isGet: boolean, engage: boolean) {
  const { query, formFields } = request;
  const extracted = tryToExtract(body);
  const { key, projectId } = senderOf(request, extracted, isGet);
  // A wrong key is reported first, but without one there is nothing to check.
  if (extracted instanceof Refused && !key) throw extracted.failure;
  return {
    key,
    projectId,
    readEvents: (): SentEvents => {
      if (extracted instanceof Refused) throw extracted.failure;
      const sentAt = sentAtOf({ query, body: extracted.sentAt, form: formFields.get('sent_at') });
      const { events, isSingle, historicalMigration: historical } = extracted;
      return { events, payload, sentAt, engage: engage && isSingle, historical };
    },
  };
}

/** A body without usable events, and whose it is. */
class Refused {
  readonly failure: Failure;
  readonly key: unknown;
  readonly projectId: unknown;

  constructor(failure: Failure, body: unknown) {
    this.failure = failure;
    this.key = isJsonObject(body) ? projectKeyOf(body) : undefined;
    this.projectId = isJsonObject(body) ? body['project_id'] : undefined;
  }
}

function tryToExtract(body: unknown): ExtractedEvents | Refused {
  try {
    return extractEvents(body);
  } catch (error) {
    if (error instanceof Failure) return new Refused(error, body);
    throw error;
  }
}

/** The key is in the query of a GET, in a form or in the payload; a personal key comes with a project. */
function senderOf({ query, formFields }: ReadRequest, extracted: ExtractedEvents | Refused, isGet: boolean): Sender {
  const inQuery = isGet ? query.get('token') || query.get('api_key') : undefined;
  const key = inQuery || formFields.get('api_key') || formFields.get('token') || extracted.key;
  return { key, projectId: formFields.get('project_id') ?? extracted.projectId ?? query.get('project_id') };
}
