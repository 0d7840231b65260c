/**
 * What a request body must pass before anything in it is parsed. Every route goes through here: bodies are received with
 * `receive`, and those whose decoding takes long wait for their turn in `decode`.
 *
 * - Each route has a size limit. What is larger is refused while it arrives, see `discard-rest.ts`.
 * - All bodies that arrive or are being processed share a limited amount of memory, see `body-memory.ts`.
 * - About a megabyte is read before others get a turn, see `read-turns.ts`.
 * - A few megabytes are decoded at a time, see `byte-queue.ts`; requests with small bodies do not wait.
 * - What is packed may be packed once and may not grow without bounds, see `http/public/decode`.
 * - JSON and forms are measured before they are parsed, see `core/json/measure-json.ts` and `forms.ts`.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Counter, Gauge, type Registry } from 'prom-client';
import { Failure } from '../../core/errors.ts';
import type { RefusalReason } from '../../core/events/refused-event.ts';
import type { MaybePromise } from '../../lib/maybe-async.ts';
import { BodyBytes } from './body-bytes.ts';
import { type Body, BodyMemory } from './body-memory.ts';
import { ByteQueue } from './byte-queue.ts';
import { ReadTurns } from './read-turns.ts';

interface AdmissionLimits {
  maxBodyBytes: number;
  bodyMemoryMb: number;
}

type CountedReason = RefusalReason | 'body_too_large' | 'no_memory';

const MB = 1024 * 1024;
/** About ten milliseconds of work. */
const DECODED_AT_ONCE_BYTES = MB;
/** Decoding less than this takes less than a millisecond. */
const SMALL_BODY_BYTES = 64 * 1024;
/** What events usually unpack to, compared with what was sent. */
const USUAL_RATIO = 10;

export class Admission {
  readonly #memory: BodyMemory;
  readonly #queue = new ByteQueue(DECODED_AT_ONCE_BYTES);
  /** Of bodies that are received, and of those that are discarded. */
  readonly turns = new ReadTurns();
  readonly #refusals: Counter<'reason'>;

  constructor({ maxBodyBytes, bodyMemoryMb }: AdmissionLimits, registry: Registry) {
    // One body that is held back must leave room for another.
    const memory = new BodyMemory(Math.max(bodyMemoryMb * MB, 2 * maxBodyBytes));
    this.#memory = memory;
    this.#refusals = new Counter({
      name: 'cairn_refused_total',
      help: 'Requests and events refused because of a limit, by reason',
      labelNames: ['reason'],
      registers: [registry],
    });
    new Gauge({
      name: 'cairn_body_memory_bytes',
      help: 'Memory of request bodies that arrive or are being processed',
      registers: [registry],
      collect() {
        this.set(memory.bytes);
      },
    });
  }

  countRefusal(reason: CountedReason): void {
    this.#refusals.inc({ reason });
  }

  /** The whole body; its memory counts until the response is sent. `begin`: what was read of it already. */
  async receive(request: IncomingMessage, response: ServerResponse, maxBytes: number, begin?: Buffer): Promise<Buffer> {
    const announced = Number(request.headers['content-length'] ?? 0);
    if (announced > maxBytes) throw this.#tooLarge(maxBytes);
    const body = this.#memory.open();
    response.once('close', () => body.release());
    const bytes = new BodyBytes(announced);
    try {
      await this.#collect(request, body, begin, (chunk) => {
        bytes.add(chunk);
        if (body.bytes > maxBytes) throw this.#tooLarge(maxBytes);
      });
      body.keep();
      return bytes.take();
    } catch (error) {
      body.release();
      throw error;
    } finally {
      // The listeners live as long as the connection, and would keep the bytes.
      bytes.clear();
    }
  }

  /** Runs work on a body: a small one at once. Large ones take turns; a pause between two lets others be answered. */
  decode<T>(bytes: number, isPacked: boolean, work: () => MaybePromise<T>): MaybePromise<T> {
    if (bytes <= SMALL_BODY_BYTES && !isPacked) return work();
    return this.#queue.run(isPacked ? USUAL_RATIO * bytes : bytes, work);
  }

  #collect(
    request: IncomingMessage,
    body: Body,
    begin: Buffer | undefined,
    take: (chunk: Buffer) => void,
  ): Promise<void> {
    return new Promise((resolve, reject) => {
      const fail = (error: unknown): void => {
        request.off('data', onData).off('close', onClose);
        reject(error);
      };
      const onData = (chunk: Buffer): void => {
        try {
          if (!body.add(chunk.length)) throw this.#noMemory();
          take(chunk);
          this.turns.onRead(request, chunk.length);
        } catch (error) {
          fail(error);
        }
      };
      const onClose = (): void => fail(closedEarly());
      body.onEvicted = () => fail(this.#noMemory());
      request.on('data', onData).once('close', onClose);
      request.once('end', () => {
        request.off('close', onClose);
        resolve();
      });
      if (begin !== undefined) onData(begin);
    });
  }

  #tooLarge(maxBytes: number): Failure {
    this.countRefusal('body_too_large');
    return new Failure('too_large', `The request body is larger than ${maxBytes} bytes. Send less at once.`);
  }

  #noMemory(): Failure {
    this.countRefusal('no_memory');
    return new Failure('unavailable', 'The server is busy with other large requests; try again in a moment.', {
      retryAfter: 2,
    });
  }
}

const closedEarly = (): Failure => new Failure('malformed', 'The connection was closed before the body was complete.');
