/** Requests of a relay to its server. */
import { Agent as HttpAgent, type IncomingMessage, request as requestHttp } from 'node:http';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';
import { VERSION } from '../../version.ts';

interface UpstreamOptions {
  url: string;
  /** The secret key of the project. */
  key: string;
}

interface CallOptions {
  method?: 'GET' | 'POST';
  headers?: Readonly<Record<string, string>>;
  body?: string | Buffer;
  timeoutMs?: number;
}

interface UpstreamAnswer {
  status: number;
  text: string;
}

const DEFAULT_TIMEOUT_MS = 10_000;
const MAX_CONNECTIONS = 32;
const USER_AGENT = `cairn-relay/${VERSION}`;

export class Upstream {
  readonly key: string;
  readonly #url: string;
  readonly #agent: HttpAgent | HttpsAgent;
  readonly #request: typeof requestHttp;

  constructor({ url, key }: UpstreamOptions) {
    this.#url = url;
    this.key = key;
    const isSecure = url.startsWith('https:');
    const options = { keepAlive: true, maxSockets: MAX_CONNECTIONS };
    this.#agent = isSecure ? new HttpsAgent(options) : new HttpAgent(options);
    this.#request = isSecure ? requestHttps : requestHttp;
  }

  /** Rejects if there is no answer; an answer with an error status is one. */
  async call(path: string, options: CallOptions = {}): Promise<UpstreamAnswer> {
    const response = await this.#open(path, options, this.#agent);
    const parts: Buffer[] = [];
    for await (const part of response) parts.push(part as Buffer);
    return { status: response.statusCode ?? 0, text: Buffer.concat(parts).toString() };
  }

  post(path: string, body: unknown, options: CallOptions = {}): Promise<UpstreamAnswer> {
    const headers = { 'content-type': 'application/json', ...options.headers };
    return this.call(path, { ...options, method: 'POST', body: body as string, headers });
  }

  /** An answer that stays open, on a connection of its own. */
  stream(path: string, headers: Readonly<Record<string, string>>): Promise<IncomingMessage> {
    return this.#open(path, { headers }, false);
  }

  close(): void {
    this.#agent.destroy();
  }

  #open(path: string, options: CallOptions, agent: HttpAgent | HttpsAgent | false): Promise<IncomingMessage> {
    const { method = 'GET', headers = {}, body, timeoutMs = DEFAULT_TIMEOUT_MS } = options;
    return new Promise((resolve, reject) => {
      const call = this.#request(this.#url + path, {
        method,
        agent: agent as HttpAgent,
        headers: { authorization: `Bearer ${this.key}`, 'user-agent': USER_AGENT, ...headers },
      });
      const timer = setTimeout(() => call.destroy(new Error(`${path}: no answer within ${timeoutMs} ms`)), timeoutMs);
      call.on('error', (error) => {
        clearTimeout(timer);
        reject(error);
      });
      call.on('response', (response) => {
        // A stream is open for as long as it likes.
        if (agent === false) clearTimeout(timer);
        else response.once('close', () => clearTimeout(timer));
        resolve(response);
      });
      call.end(body);
    });
  }
}
