/**
 * Server-sent events to one reader. A reader who is slower than what there is to tell is not waited for: what comes
 * while its buffer is full is passed over, and it is told how much that was.
 */
import type { ServerResponse } from 'node:http';

export type ResponseStream = Pick<ServerResponse, 'write' | 'end' | 'once' | 'on' | 'writableEnded' | 'destroyed'>;

export class EventStream {
  readonly #wire: ResponseStream;
  #isFull = false;
  #missed = 0;

  constructor(wire: ResponseStream) {
    this.#wire = wire;
    // A reader that vanishes in the middle of a write is no news: 'close' follows.
    wire.on('error', () => undefined);
  }

  /** `data` must be one line. */
  send(data: string, event?: string): void {
    if (this.#isFull) this.#missed++;
    else this.#write(`${event === undefined ? '' : `event: ${event}\n`}data: ${data}\n\n`);
  }

  /** A line that readers pass over, but that keeps proxies from thinking that nobody is there. */
  comment(text: string): void {
    if (!this.#isFull) this.#write(`: ${text}\n\n`);
  }

  end(): void {
    if (!this.#wire.writableEnded) this.#wire.end();
  }

  #write(text: string): void {
    if (this.#wire.writableEnded || this.#wire.destroyed || this.#wire.write(text)) return;
    this.#isFull = true;
    this.#wire.once('drain', () => {
      this.#isFull = false;
      const count = this.#missed;
      this.#missed = 0;
      if (count > 0) this.send(JSON.stringify({ count }), 'dropped');
    });
  }
}
