/**
 * Node reads up to two megabytes of one connection, and then of the next, before anybody else gets a turn: some large
 * bodies at once would make others wait for a good part of a second. So beyond a limit, bodies wait for a later turn of
 * the event loop, a few going on at a time.
 */
import type { IncomingMessage } from 'node:http';

const BYTES_PER_TURN = 1024 * 1024;
const RESUMED_PER_TURN = 4;

export class ReadTurns {
  readonly #waiting = new Set<IncomingMessage>();
  #bytes = 0;
  #isScheduled = false;

  /** To be called for every chunk of a body that is flowing. */
  onRead(request: IncomingMessage, bytes: number): void {
    this.#bytes += bytes;
    if (this.#bytes > BYTES_PER_TURN) {
      request.pause();
      this.#waiting.add(request);
    }
    this.#schedule();
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      this.#bytes = 0;
      for (const request of [...this.#waiting].slice(0, RESUMED_PER_TURN)) {
        this.#waiting.delete(request);
        request.resume();
      }
      if (this.#waiting.size > 0) this.#schedule();
    });
  }
}
