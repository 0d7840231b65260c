/**
 * A load generator that uses little CPU, since it shares the machine with the server: bodies are built beforehand,
 * sockets are plain, and only the IDs inside a body are overwritten before each send.
 */
import { connect, type Socket } from 'node:net';

/** A body of which some parts are overwritten before each send. */
export interface Template {
  bytes: Buffer;
  events: number;
  refresh(bytes: Buffer): void;
}

interface LoadOptions {
  url: string;
  path: string;
  headers?: Readonly<Record<string, string>>;
  connections: number;
  templates: readonly Template[];
  /** Stops after this many requests or ms, whichever comes first. */
  maxRequests?: number;
  maxMs?: number;
  /** Maximum requests per second; default: no limit. */
  perSecond?: number;
}

export interface LoadResult {
  requests: number;
  events: number;
  seconds: number;
  failures: number;
  /** Response times, ms. */
  p50: number;
  p99: number;
}

export async function runLoad(options: LoadOptions): Promise<LoadResult> {
  const { connections, templates, maxRequests = Infinity, maxMs = Infinity, perSecond = Infinity } = options;
  const requests = templates.map((template) => withRequestHead(options, template));
  const times: number[] = [];
  let sent = 0;
  let events = 0;
  let failures = 0;
  const start = performance.now();
  const shouldContinue = (): boolean => sent < maxRequests && performance.now() - start < maxMs;

  const one = async (socket: Client): Promise<void> => {
    while (shouldContinue()) {
      const index = sent++ % requests.length;
      const dueIn = start + (sent / perSecond) * 1000 - performance.now();
      if (dueIn > 1) await new Promise((resolve) => setTimeout(resolve, dueIn));
      const request = requests[index];
      if (!request) return;
      request.template.refresh(request.body);
      const before = performance.now();
      const status = await socket.send(request.bytes);
      times.push(performance.now() - before);
      if (status === 200) events += request.template.events;
      else failures++;
    }
  };
  const sockets = await Promise.all(Array.from({ length: connections }, () => Client.open(options.url)));
  await Promise.all(sockets.map(one));
  const seconds = (performance.now() - start) / 1000;
  for (const socket of sockets) socket.close();
  times.sort((a, b) => a - b);
  const at = (share: number): number => times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0;
  return { requests: times.length, events, seconds, failures, p50: at(0.5), p99: at(0.99) };
}

function withRequestHead({ url, path, headers = {} }: LoadOptions, template: Template) {
  const head = [
    `POST ${path} HTTP/1.1`,
    `Host: ${new URL(url).host}`,
    'Content-Type: application/json',
    `Content-Length: ${template.bytes.length}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    '',
    '',
  ].join('\r\n');
  const bytes = Buffer.concat([Buffer.from(head), template.bytes]);
  return { template, bytes, body: bytes.subarray(head.length) };
}

/** A keep-alive connection with one request at a time. */
class Client {
  readonly #socket: Socket;
  #answer: ((status: number) => void) | null = null;
  #received = '';

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.setNoDelay(true);
    socket.on('data', (chunk) => this.#read(chunk.toString('latin1')));
    socket.on('error', () => this.#answer?.(0));
    socket.on('close', () => this.#answer?.(0));
  }

  static open(url: string): Promise<Client> {
    const { hostname, port } = new URL(url);
    return new Promise((resolve, reject) => {
      const socket = connect(Number(port), hostname, () => resolve(new Client(socket)));
      socket.once('error', reject);
    });
  }

  send(bytes: Buffer): Promise<number> {
    return new Promise((resolve) => {
      this.#answer = resolve;
      // The buffer is overwritten for the next send, which may be before the kernel has taken this one.
      this.#socket.write(Buffer.from(bytes));
    });
  }

  close(): void {
    this.#socket.destroy();
  }

  #read(text: string): void {
    this.#received += text;
    const headEnd = this.#received.indexOf('\r\n\r\n');
    if (headEnd === -1) return;
    const length = Number(/content-length: (\d+)/i.exec(this.#received)?.[1] ?? 0);
    if (this.#received.length < headEnd + 4 + length) return;
    const status = Number(this.#received.slice(9, 12));
    this.#received = '';
    const answer = this.#answer;
    this.#answer = null;
    answer?.(status);
  }
}
