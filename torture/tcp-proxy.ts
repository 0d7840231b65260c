/** A TCP proxy that can be closed, to simulate an unreachable server. */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

export class TcpProxy {
  readonly #target: URL;
  readonly #sockets = new Set<Socket>();
  #server: Server | null = null;
  #port = 0;

  private constructor(target: URL) {
    this.#target = target;
  }

  static async to(url: string): Promise<TcpProxy> {
    const proxy = new TcpProxy(new URL(url));
    await proxy.open();
    return proxy;
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  async open(): Promise<void> {
    const server = createServer((incoming) => this.#join(incoming));
    server.listen(this.#port, '127.0.0.1');
    await once(server, 'listening');
    this.#port = (server.address() as AddressInfo).port;
    this.#server = server;
  }

  close(): void {
    this.#server?.close();
    this.#server = null;
    for (const socket of this.#sockets) socket.destroy();
    this.#sockets.clear();
  }

  end(): void {
    this.close();
  }

  #join(incoming: Socket): void {
    const outgoing = connect(Number(this.#target.port), this.#target.hostname);
    for (const [one, other] of [
      [incoming, outgoing],
      [outgoing, incoming],
    ] as const) {
      this.#sockets.add(one);
      one.on('error', () => other.destroy());
      one.on('close', () => {
        this.#sockets.delete(one);
        other.destroy();
      });
    }
    incoming.pipe(outgoing);
    outgoing.pipe(incoming);
  }
}
