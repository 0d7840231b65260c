/** A webhook: a real HTTP server that remembers what it was told and answers as it is asked to. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

export interface Told {
  method: string | undefined;
  path: string | undefined;
  type: string | undefined;
  body: string;
  /** `text` of the body. */
  text: string;
}

export interface Answered {
  status: number;
  headers?: Record<string, string>;
  body?: string;
  /** It answers when this has happened. */
  after?: Promise<void>;
}

export type HookAnswer = 'hang' | Answered;

export interface Hook {
  url: string;
  told: Told[];
  /** What it answers next, one after the other; afterwards 200. */
  answers: HookAnswer[];
  /** Waits until it was told so many things in all. */
  hears(count: number): Promise<Told[]>;
  /** Waits long enough for an attempt that should not be made; true when it was told no more than that. */
  staysAt(count: number): Promise<boolean>;
  close(): Promise<void>;
}

const PATIENCE_MS = 8000;
/** The sender looks at the clock several times in this. */
const QUIET_MS = 700;

export async function startHook(): Promise<Hook> {
  const told: Told[] = [];
  const answers: HookAnswer[] = [];
  const server = createServer((request, response) => void hear(request, response, told, answers));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/services/T0/B0/secret`,
    told,
    answers,
    async hears(count) {
      const end = performance.now() + PATIENCE_MS;
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

async function hear(
  request: IncomingMessage,
  response: ServerResponse,
  told: Told[],
  answers: HookAnswer[],
): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const body = Buffer.concat(chunks).toString('utf8');
  const { method, url: path, headers } = request;
  told.push({ method, path, type: headers['content-type'], body, text: (JSON.parse(body || '{}') as Told).text });
  const answer: HookAnswer = answers.shift() ?? { status: 200, body: 'ok' };
  if (answer === 'hang') return;
  await answer.after;
  response.writeHead(answer.status, answer.headers).end(answer.body);
}
