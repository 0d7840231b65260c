/** A proxy that loses requests or responses. */
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export type Fault = 'request lost' | 'answer lost';

export interface FaultyProxy {
  url: string;
  /** The next request with this in its URL fails; all others pass. */
  failNext(part: string, fault: Fault): void;
  close(): Promise<void>;
}

export async function startFaultyProxy(target: string): Promise<FaultyProxy> {
  const { hostname, port, pathname } = new URL(target);
  let armed: { part: string; fault: Fault } | null = null;

  function pass(asked: IncomingMessage, answer: ServerResponse, body: Buffer): void {
    const path = decodeURIComponent((asked.url ?? '').replaceAll('+', ' '));
    const fault = armed !== null && path.includes(armed.part) ? armed.fault : null;
    if (fault !== null) armed = null;
    if (fault === 'request lost') return void asked.socket.destroy();
    const onward = request(
      { hostname, port, path: asked.url, method: asked.method, headers: asked.headers },
      (given) => {
        if (fault === 'answer lost') {
          given.resume();
          given.on('end', () => asked.socket.destroy());
          return;
        }
        answer.writeHead(given.statusCode ?? 502, given.headers);
        given.pipe(answer);
      },
    );
    onward.on('error', () => asked.socket.destroy());
    onward.end(body);
  }

  const server = createServer({ maxHeaderSize: 1 << 25 }, (asked, answer) => {
    const chunks: Buffer[] = [];
    asked.on('data', (chunk: Buffer) => chunks.push(chunk));
    asked.on('end', () => pass(asked, answer, Buffer.concat(chunks)));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}${pathname}`,
    failNext(part, fault) {
      armed = { part, fault };
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
