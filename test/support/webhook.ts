/** A webhook: a real HTTP server that remembers what it was told and answers as it is asked to. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

interface WebhookRequest {
  method: string | undefined;
  path: string | undefined;
  type: string | undefined;
  body: string;
  /** `text` of the body. */
  text: string;
}

interface WebhookReply {
  status: number;
  headers?: Record<string, string>;
  body?: string;
  /** It answers when this has happened. */
  after?: Promise<void>;
}

export type HookAnswer = 'hang' | WebhookReply;

export interface Hook {
  url: string;
  requests: WebhookRequest[];
  /** What it answers next, one after the other; afterwards 200. */
  answers: HookAnswer[];
  /** Waits until it was told so many things in all. */
  waitForRequests(count: number): Promise<WebhookRequest[]>;
  /** Waits long enough for an attempt that should not be made; true when it was told no more than that. */
  staysAt(count: number): Promise<boolean>;
  close(): Promise<void>;
}

const TIMEOUT_MS = 8000;
/** The sender looks at the clock several times in this. */
const QUIET_MS = 700;

export async function startHook(): Promise<Hook> {
  const told: WebhookRequest[] = [];
  const answers: HookAnswer[] = [];
  const server = createServer((request, response) => void handleRequest(request, response, told, answers));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/services/T0/B0/secret`,
    requests: told,
    answers,
    async waitForRequests(count) {
      const end = performance.now() + TIMEOUT_MS;
      while (told.length < count && performance.now() < end) await sleep(10);
      if (told.length < count) throw new Error(`The webhook was told ${told.length} things, not ${count}`);
      return told;
    },
    async staysAt(count) {
      await sleep(QUIET_MS);
      return told.length === count;
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
  told: WebhookRequest[],
  answers: HookAnswer[],
): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const body = Buffer.concat(chunks).toString('utf8');
  const { method, url: path, headers } = request;
  told.push({
    method,
    path,
    type: headers['content-type'],
    body,
    text: (JSON.parse(body || '{}') as WebhookRequest).text,
  });
  const answer: HookAnswer = answers.shift() ?? { status: 200, body: 'ok' };
  if (answer === 'hang') return;
  await answer.after;
  response.writeHead(answer.status, answer.headers).end(answer.body);
}
