/** A webhook receiver: an HTTP server that records requests and gives the replies that it is set to. */
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

interface WebhookRequest {
  method: string | undefined;
  path: string | undefined;
  type: string | undefined;
  headers: IncomingHttpHeaders;
  body: string;
  /** `text` of the body. */
  text: string;
}

interface WebhookReply {
  status: number;
  headers?: Record<string, string>;
  body?: string;
  /** Replies when this resolves. */
  after?: Promise<void>;
}

/** `endless`: accepted, with a body that goes on until the connection is closed. */
export type HookAnswer = 'hang' | 'endless' | WebhookReply;

export interface Hook {
  url: string;
  requests: WebhookRequest[];
  /** The next replies, in order; 200 afterwards. */
  answers: HookAnswer[];
  /** Waits until it has received this many requests in all. */
  waitForRequests(count: number): Promise<WebhookRequest[]>;
  /** Waits long enough for an unwanted attempt; true if no more requests came. */
  staysAt(count: number): Promise<boolean>;
  close(): Promise<void>;
}

const TIMEOUT_MS = 8000;
/** Long enough for the sender to poll several times. */
const QUIET_MS = 700;

export async function startHook(): Promise<Hook> {
  const requests: WebhookRequest[] = [];
  const answers: HookAnswer[] = [];
  const server = createServer((request, response) => void handleRequest(request, response, requests, answers));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/services/T0/B0/secret`,
    requests,
    answers,
    async waitForRequests(count) {
      const end = performance.now() + TIMEOUT_MS;
      while (requests.length < count && performance.now() < end) await sleep(10);
      if (requests.length < count) throw new Error(`The webhook received ${requests.length} requests, not ${count}`);
      return requests;
    },
    async staysAt(count) {
      await sleep(QUIET_MS);
      return requests.length === count;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function handleRequest(
  request: IncomingMessage,
  response: ServerResponse,
  requests: WebhookRequest[],
  answers: HookAnswer[],
): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const body = Buffer.concat(chunks).toString('utf8');
  const { method, url: path, headers } = request;
  requests.push({
    method,
    path,
    type: headers['content-type'],
    headers,
    body,
    text: (JSON.parse(body || '{}') as WebhookRequest).text,
  });
  const answer: HookAnswer = answers.shift() ?? { status: 200, body: 'ok' };
  if (answer === 'hang') return;
  if (answer === 'endless') return void writeEndlessly(response.writeHead(200));
  await answer.after;
  response.writeHead(answer.status, answer.headers).end(answer.body);
}

function writeEndlessly(response: ServerResponse): void {
  const chunk = Buffer.alloc(65_536, 'x');
  const fill = (): void => {
    while (!response.destroyed && response.write(chunk));
  };
  response.on('drain', fill);
  fill();
}
