/**
 * Answers the hottest routes without the web framework, whose routing, hooks and streams cost as much as a flag decision.
 * It takes the requests that SDKs usually send, a short JSON body with a known length, and leaves everything else to the
 * framework, where the same routes give the same answers.
 */
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { parse } from 'node:querystring';
import type { Config } from '../../config.ts';
import type { Ids } from '../../lib/ids.ts';
import type { Logger } from '../../lib/log.ts';
import { chain } from '../../lib/maybe-async.ts';
import type { RequestTimes } from '../../lib/request-times.ts';
import { toErrorResponse } from '../errors.ts';
import { callerAddresses } from './caller-address.ts';
import { corsHeaders } from './cors.ts';
import type { FastRoute } from './fast-route.ts';
import type { PublicRouteDeps } from './public-deps.ts';
import { MAX_PLAIN_BYTES, type PublicRequest, queryValues } from './read-request.ts';
import { JSON_TYPE } from './send-json.ts';

export interface FastPathDeps extends PublicRouteDeps {
  config: PublicRouteDeps['config'] & Pick<Config, 'trustProxy'>;
  log: Logger;
  metrics: { requestTimes: Pick<RequestTimes, 'observe'> };
}

interface LimitedRoute<D extends FastPathDeps> {
  route: FastRoute<D>;
  maxBytes: number;
}

interface FastRequest<D extends FastPathDeps> extends LimitedRoute<D> {
  request: PublicRequest;
  response: ServerResponse;
  since: number;
}

/** A class, because a getter of an object literal is defined anew for each request. */
class FastPublicRequest implements PublicRequest {
  readonly method = 'POST';
  readonly headers: PublicRequest['headers'];
  readonly query: PublicRequest['query'];
  body: PublicRequest['body'];
  readonly #ids: Pick<Ids, 'uuid'>;
  readonly #request: IncomingMessage;
  readonly #addressOf: (request: IncomingMessage) => string;
  #id: string | undefined;

  constructor(
    ids: Pick<Ids, 'uuid'>,
    request: IncomingMessage,
    query: PublicRequest['query'],
    addressOf: (request: IncomingMessage) => string,
  ) {
    this.#ids = ids;
    this.headers = request.headers;
    this.query = query;
    this.body = undefined;
    this.#request = request;
    this.#addressOf = addressOf;
  }

  /** Answers about flags have it, those to events do not. */
  get id(): string {
    this.#id ??= this.#ids.uuid();
    return this.#id;
  }

  /** Rarely needed. */
  get ip(): string {
    return this.#addressOf(this.#request);
  }
}

const PLAIN_TYPE = /^(?:application\/json|text\/plain)(?:; ?charset=utf-8)?$/i;

export class FastPath<D extends FastPathDeps> {
  readonly #deps: D;
  readonly #routes: ReadonlyMap<string, LimitedRoute<D>>;
  readonly #addressOf: (request: IncomingMessage) => string;
  #isStopping = false;

  constructor(deps: D, routes: readonly FastRoute<D>[]) {
    this.#deps = deps;
    this.#addressOf = callerAddresses(deps.config.trustProxy);
    // With and without a trailing slash, as in the framework.
    this.#routes = new Map(
      routes.flatMap((route) => {
        const maxBytes = Math.min(MAX_PLAIN_BYTES, route.maxBytes?.(deps.config) ?? deps.config.maxFlagsBodyBytes);
        return [route.path, route.path.slice(0, -1)].map((path) => [path, { route, maxBytes }]);
      }),
    );
  }

  /** Requests that are not taken go to the framework. */
  wrap(framework: RequestListener): RequestListener {
    return (request, response) => {
      if (!this.#take(request, response)) framework(request, response);
    };
  }

  /** The framework refuses requests while the server stops. */
  close(): void {
    this.#isStopping = true;
  }

  #take(request: IncomingMessage, response: ServerResponse): boolean {
    const { method, url = '', headers } = request;
    if (method !== 'POST') return false;
    const queryStart = url.indexOf('?');
    const found = this.#routes.get(queryStart === -1 ? url : url.slice(0, queryStart));
    if (found === undefined || !this.#isActive()) return false;
    const { route, maxBytes } = found;
    const length = Number(headers['content-length'] ?? 0);
    if (!(length > 0 && length <= maxBytes)) return false;
    if (headers['content-encoding'] !== undefined || !PLAIN_TYPE.test(headers['content-type'] ?? '')) return false;
    const query = queryStart === -1 ? NO_QUERY : parse(url.slice(queryStart + 1));
    if (route.takes?.(queryValues({ query })) === false) return false;
    const since = performance.now();
    const publicRequest = new FastPublicRequest(this.#deps.ids, request, query, this.#addressOf);
    const fast = { route, maxBytes, request: publicRequest, response, since };
    request.once('data', (chunk: Buffer) => {
      if (chunk.length < length) return this.#receiveRest(fast, request, chunk);
      // Node's parser sets it only after this: the answer would be taken for one to a body that is still to be read.
      request.complete = true;
      this.#answerBody(fast, chunk);
    });
    return true;
  }

  /** With debug logs on, the framework logs every request. */
  #isActive(): boolean {
    return !this.#isStopping && !this.#deps.log.isLevelEnabled('debug');
  }

  /** Nearly all bodies arrive at once. */
  #receiveRest(fast: FastRequest<D>, request: IncomingMessage, begin: Buffer): void {
    this.#deps.admission.receive(request, fast.response, fast.maxBytes, begin).then(
      (body) => this.#answerBody(fast, body),
      (error: unknown) => {
        if (!fast.response.headersSent && !fast.response.destroyed) this.#refuse(fast, error);
      },
    );
  }

  #answerBody(fast: FastRequest<D>, body: Buffer): void {
    fast.request.body = body;
    this.#answer(fast);
  }

  #answer(fast: FastRequest<D>): void {
    const refuse = (error: unknown): void => this.#refuse(fast, error);
    try {
      const sent = chain(fast.route.answer(this.#deps, fast.request), (text) => this.#send(fast, 200, text));
      if (sent instanceof Promise) sent.catch(refuse);
    } catch (error) {
      refuse(error);
    }
  }

  #refuse(fast: FastRequest<D>, error: unknown): void {
    const { request } = fast;
    const { status, headers, body, log } = toErrorResponse(error, request.headers);
    if (log !== null) this.#deps.log[log.level]({ err: error, request_id: request.id }, log.message);
    this.#send(fast, status, JSON.stringify(body), Object.entries(headers).flat());
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
    // Text of one-byte characters is copied as it is.
    response.end(text, length === text.length ? 'latin1' : 'utf8');
    const seconds = (performance.now() - since) / 1000;
    this.#deps.metrics.requestTimes.observe('POST', route.path, status, seconds);
  }
}

const NO_QUERY = {};
