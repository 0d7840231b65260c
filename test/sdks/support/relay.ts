/**
 * A proxy between an SDK and the server. It records every exchange, can strip a path prefix, as reverse proxies against
 * ad blockers do, and can drop a response, as bad connections do.
 */
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gunzipSync } from 'node:zlib';

interface Exchange {
  method: string;
  /** As the server sees it, with its query. */
  path: string;
  headers: IncomingMessage['headers'];
  body: Buffer;
  /** The body as JSON text, whatever it was wrapped in. */
  text: string;
  status: number;
  answer: string;
  /** The server has answered, but the SDK did not get the response. */
  dropped: boolean;
}

export interface Relay {
  /** The address for the SDK, prefix included. */
  url: string;
  exchanges: Exchange[];
  /** `POST /e/` for each request, in order. */
  requestLines(): string[];
  /** Error responses: `401 POST /batch/: why`. */
  failures(): string[];
  /** The next request with this event reaches the server, but the connection is closed without a response. */
  dropAnswerTo(event: string): void;
  close(): Promise<void>;
}

export async function startRelay(target: string, { prefix = '' } = {}): Promise<Relay> {
  const exchanges: Exchange[] = [];
  const toDrop: string[] = [];
  const pass = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { method = 'GET', url = '/', headers } = incoming;
    if (!url.startsWith(`${prefix}/`)) return void response.writeHead(404).end('This proxy has no such path');
    const path = url.slice(prefix.length);
    const body = await bytesOf(incoming);
    const answer = await forward(target, { method, path, headers, body });
    const answered = await bytesOf(answer);
    const status = answer.statusCode ?? 0;
    const text = unwrapped(body);
    const at = toDrop.findIndex((event) => text.includes(`"${event}"`));
    const dropped = at >= 0;
    if (dropped) toDrop.splice(at, 1);
    exchanges.push({
      method,
      path,
      headers,
      body,
      text,
      status,
      answer: answered.toString('utf8'),
      dropped: dropped,
    });
    if (dropped) incoming.socket.destroy();
    else response.writeHead(status, answer.headers).end(answered);
  };
  const server = createServer((incoming, response) => void pass(incoming, response).catch(() => response.destroy()));
  server.keepAliveTimeout = 60_000;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}${prefix}`,
    exchanges,
    requestLines: () => exchanges.map(({ method, path }) => `${method} ${pathOnly(path)}`),
    failures: () =>
      exchanges
        .filter(({ status }) => status >= 400)
        .map(({ status, method, path, answer }) => `${status} ${method} ${path}: ${answer}`),
    dropAnswerTo: (event) => void toDrop.push(event),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

const pathOnly = (path: string): string => path.split('?', 1)[0] ?? '';

function forward(target: string, sent: Pick<Exchange, 'method' | 'path' | 'headers' | 'body'>) {
  return new Promise<IncomingMessage>((resolve, reject) => {
    // The body goes on in one piece, with its length.
    const { 'transfer-encoding': _chunked, ...given } = sent.headers;
    const headers = { ...given, 'content-length': String(sent.body.length) };
    const outgoing = request(new URL(sent.path, target), { method: sent.method, headers, agent: false }, resolve);
    outgoing.on('error', reject);
    outgoing.end(sent.body);
  });
}

/** Gzip by its first bytes, forms by their beginning. */
function unwrapped(body: Buffer): string {
  const plain = body[0] === 0x1f && body[1] === 0x8b ? gunzipSync(body) : body;
  const text = plain.toString('utf8');
  const data = text.startsWith('data=') ? new URLSearchParams(text).get('data') : null;
  return data === null ? text : Buffer.from(data, 'base64').toString('utf8');
}

async function bytesOf(message: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of message) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}
