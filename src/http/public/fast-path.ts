/**
 * The short way to a question's answer, past the web framework: its routing, hooks, wrappers and streams cost as much as
 * the decision itself. It takes the requests that SDKs send all day, a short JSON body with its length said beforehand,
 * and leaves everything else to the framework, where the same questions are answered in the same words.
 */
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { parse } from 'node:querystring';
import type { Logger } from '../../lib/log.ts';
import { after } from '../../lib/maybe-async.ts';
import type { RequestTimes } from '../../lib/request-times.ts';
import { explain } from '../errors.ts';
import { corsHeaders } from './cors.ts';
import type { Question } from './fast-route.ts';
import type { PublicDeps } from './public-deps.ts';
import { type Asked, SHORT } from './read-request.ts';
import { JSON_TYPE } from './send-json.ts';

export interface QuickDoorDeps extends PublicDeps {
  log: Logger;
  metrics: { requestTimes: Pick<RequestTimes, 'observe'> };
}

/** One request on its way through the door. */
interface Visit<D extends QuickDoorDeps> {
  question: Question<D>;
  asked: Asked;
  response: ServerResponse;
  since: number;
}

const PLAIN = /^(?:application\/json|text\/plain)(?:; ?charset=utf-8)?$/i;

export class QuickDoor<D extends QuickDoorDeps> {
  readonly #deps: D;
  readonly #questions: ReadonlyMap<string, Question<D>>;
  readonly #longest: number;
  #isClosed = false;

  constructor(deps: D, questions: readonly Question<D>[]) {
    this.#deps = deps;
    this.#longest = Math.min(SHORT, deps.config.maxBodyBytes);
    // With a slash at the end or without, as the framework has it.
    this.#questions = new Map(questions.flatMap((one) => [one.path, one.path.slice(0, -1)].map((path) => [path, one])));
  }

  /** Whatever does not pass here goes the usual way. */
  before(usual: RequestListener): RequestListener {
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
    if (headers['content-encoding'] !== undefined || !PLAIN.test(headers['content-type'] ?? '')) return false;
    const query = mark === -1 ? NO_QUERY : parse(url.slice(mark + 1));
    const since = performance.now();
    readWhole(request, length, (body) => {
      const asked: Asked = { id: this.#deps.ids.uuid(), method, headers, query, body };
      this.#answer({ question, asked, response, since });
    });
    return true;
  }

  /** The framework's way writes a line for each request where somebody wants to read them. */
  #isOpen(): boolean {
    return !this.#isClosed && !this.#deps.log.isLevelEnabled('debug');
  }

  #answer(visit: Visit<D>): void {
    const refuse = (error: unknown): void => this.#refuse(visit, error);
    try {
      const sent = after(visit.question.answer(this.#deps, visit.asked), (text) => this.#send(visit, 200, text));
      if (sent instanceof Promise) sent.catch(refuse);
    } catch (error) {
      refuse(error);
    }
  }

  #refuse(visit: Visit<D>, error: unknown): void {
    const { asked } = visit;
    const { status, headers, body, log } = explain(error, asked.headers);
    if (log !== null) this.#deps.log[log.level]({ err: error, request_id: asked.id }, log.message);
    this.#send(visit, status, JSON.stringify(body), Object.entries(headers).flat());
  }

  #send(
    { question, asked, response, since }: Visit<D>,
    status: number,
    text: string,
    more: readonly string[] = [],
  ): void {
    const length = Buffer.byteLength(text);
    const headers = ['content-type', JSON_TYPE, 'content-length', String(length), ...more];
    if (asked.headers.origin !== undefined) headers.push(...corsHeaders(asked.headers).flat());
    response.writeHead(status, headers);
    // Letters of one byte each are copied as they are.
    response.end(text, length === text.length ? 'latin1' : 'utf8');
    const seconds = (performance.now() - since) / 1000;
    this.#deps.metrics.requestTimes.observe('POST', question.path, status, seconds);
  }
}

const NO_QUERY = {};

/** Nothing is heard of a body whose sender goes away before its end. */
function readWhole(request: IncomingMessage, length: number, then: (body: Buffer) => void): void {
  const chunks: Buffer[] = [];
  let missing = length;
  request.on('data', (chunk: Buffer) => {
    chunks.push(chunk);
    missing -= chunk.length;
    if (missing === 0) then(chunks.length === 1 ? chunk : Buffer.concat(chunks));
  });
}
