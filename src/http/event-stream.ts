/**
 * Server-sent events to one client. A slow client is not waited for: events that come while its buffer is full are
 * dropped, and it is told how many.
 */
import type { ServerResponse } from 'node:http';

export type ResponseStream = Pick<ServerResponse, 'write' | 'end' | 'once' | 'on' | 'writableEnded' | 'destroyed'>;

export class EventStream {
  readonly #response: ResponseStream;
  #isFull = false;
  #dropped = 0;

  constructor(response: ResponseStream) {
    this.#response = response;
    // When the client disconnects in the middle of a write, 'close' follows.
    response.on('error', () => undefined);
  }

  /** `data` must be one line. */
  send(data: string, event?: string): void {
    if (this.#isFull) this.#dropped++;
    else this.#write(`${event === undefined ? '' : `event: ${event}\n`}data: ${data}\n\n`);
  }

  /** Ignored by clients; keeps proxies from closing the connection. */
  comment(text: string): void {
    if (!this.#isFull) this.#write(`: ${text}\n\n`);
  }

  end(): void {
    if (!this.#response.writableEnded) this.#response.end();
  }

  #write(text: string): void {
    if (this.#response.writableEnded || this.#response.destroyed || this.#response.write(text)) return;
    this.#isFull = true;
    this.#response.once('drain', () => {
      this.#isFull = false;
      const count = this.#dropped;
      this.#dropped = 0;
      if (count > 0) this.send(JSON.stringify({ count }), 'dropped');
    });
  }
}
