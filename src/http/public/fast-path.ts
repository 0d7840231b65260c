/**
 * The short way to a question's answer, past the web framework: its routing, hooks, wrappers and streams cost as much as
 * the decision itself. It takes the requests that SDKs send all day, a short JSON body with its length said beforehand,
 * and leaves everything else to the framework, where the same questions are answered in the same words.
 */
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { parse } from 'node:querystring';
import type { Logger } from '../../lib/log.ts';
import { chain } from '../../lib/maybe-async.ts';
import type { RequestTimes } from '../../lib/request-times.ts';
import { toErrorResponse } from '../errors.ts';
import { corsHeaders } from './cors.ts';
import type { FastRoute } from './fast-route.ts';
import type { PublicRouteDeps } from './public-deps.ts';
import { MAX_PLAIN_BYTES, type PublicRequest } from './read-request.ts';
import { JSON_TYPE } from './send-json.ts';

export interface FastPathDeps extends PublicRouteDeps {
  log: Logger;
  metrics: { requestTimes: Pick<RequestTimes, 'observe'> };
}

/** One request on its way through the door. */
interface FastRequest<D extends FastPathDeps> {
  route: FastRoute<D>;
  request: PublicRequest;
  response: ServerResponse;
  since: number;
}

const PLAIN_TYPE = /^(?:application\/json|text\/plain)(?:; ?charset=utf-8)?$/i;

export class FastPath<D extends FastPathDeps> {
  readonly #deps: D;
  readonly #questions: ReadonlyMap<string, FastRoute<D>>;
  readonly #longest: number;
  #isClosed = false;

  constructor(deps: D, questions: readonly FastRoute<D>[]) {
    this.#deps = deps;
    this.#longest = Math.min(MAX_PLAIN_BYTES, deps.config.maxBodyBytes);
    // With a slash at the end or without, as the framework has it.
    this.#questions = new Map(questions.flatMap((one) => [one.path, one.path.slice(0, -1)].map((path) => [path, one])));
  }

  /** Whatever does not pass here goes the usual way. */
  wrap(usual: RequestListener): RequestListener {
    return (request, response) => {
      if (!this.#take(request, response)) usual(request, response);
    };
  }

  /** A server that stops refuses what still comes in: the framework does. */
  close(): void {
    this.#isClosed = true;
  }

  #take(request: IncomingMessage, response: ServerResponse): boolean {
    const { method, url = '', headers } = request;
    if (method !== 'POST') return false;
    const mark = url.indexOf('?');
    const question = this.#questions.get(mark === -1 ? url : url.slice(0, mark));
    if (question === undefined || !this.#isOpen()) return false;
    const length = Number(headers['content-length'] ?? 0);
    if (!(length > 0 && length <= this.#longest)) return false;
    if (headers['content-encoding'] !== undefined || !PLAIN_TYPE.test(headers['content-type'] ?? '')) return false;
    const query = mark === -1 ? NO_QUERY : parse(url.slice(mark + 1));
    const since = performance.now();
    readBody(request, length, (body) => {
      const asked: PublicRequest = { id: this.#deps.ids.uuid(), method, headers, query, body };
      this.#answer({ route: question, request: asked, response, since });
    });
    return true;
  }

  /** The framework's way writes a line for each request where somebody wants to read them. */
  #isOpen(): boolean {
    return !this.#isClosed && !this.#deps.log.isLevelEnabled('debug');
  }

  #answer(visit: FastRequest<D>): void {
    const refuse = (error: unknown): void => this.#refuse(visit, error);
    try {
      const sent = chain(visit.route.answer(this.#deps, visit.request), (text) => this.#send(visit, 200, text));
      if (sent instanceof Promise) sent.catch(refuse);
    } catch (error) {
      refuse(error);
    }
  }

  #refuse(visit: FastRequest<D>, error: unknown): void {
    const { request } = visit;
    const { status, headers, body, log } = toErrorResponse(error, request.headers);
    if (log !== null) this.#deps.log[log.level]({ err: error, request_id: request.id }, log.message);
    this.#send(visit, status, JSON.stringify(body), Object.entries(headers).flat());
  }

  #send(
    { route, request, response, since }: FastRequest<D>,
    status: number,
    text: string,
    more: readonly string[] = [],
  ): void {
    const length = Buffer.byteLength(text);
    const headers = ['content-type', JSON_TYPE, 'content-length', String(length), ...more];
    if (request.headers.origin !== undefined) headers.push(...corsHeaders(request.headers).flat());
    response.writeHead(status, headers);
    // Letters of one byte each are copied as they are.
    response.end(text, length === text.length ? 'latin1' : 'utf8');
    const seconds = (performance.now() - since) / 1000;
    this.#deps.metrics.requestTimes.observe('POST', route.path, status, seconds);
  }
}

const NO_QUERY = {};

/** Nothing is heard of a body whose sender goes away before its end. */
function readBody(request: IncomingMessage, length: number, then: (body: Buffer) => void): void {
  const chunks: Buffer[] = [];
  let missing = length;
  request.on('data', (chunk: Buffer) => {
    chunks.push(chunk);
    missing -= chunk.length;
    if (missing === 0) then(chunks.length === 1 ? chunk : Buffer.concat(chunks));
  });
}
