/** One open stream. There may be ten thousands of them, so it holds little besides its socket. */
import type { Socket } from 'node:net';
import type { StreamKind, StreamMessages } from './stream-messages.ts';

/** What a stream was opened with. It is checked again while the stream is open. */
export interface StreamCredential {
  /** The same for streams of the same key. */
  id: string;
  isValid(): Promise<boolean>;
}

export interface StreamRequest {
  projectId: number;
  kind: StreamKind;
  credential: StreamCredential;
  /** Of the client's address. */
  network: string;
  /** What the client has heard last; null: nothing. */
  version: number | null;
  /** When it ends in any case. */
  endsAt: number;
}

export class FlagStream {
  readonly socket: Socket;
  readonly request: StreamRequest;
  readonly turn: number;
  /** Of the last message; null: none yet. */
  #version: number | null;
  #isGreeted: boolean;
  /** Since when its client has not read what was sent, by `performance.now()`; 0: it has. */
  #fullSince = 0;

  constructor(socket: Socket, request: StreamRequest, turn: number) {
    this.socket = socket;
    this.request = request;
    this.turn = turn;
    this.#version = request.version;
    // Providers of OpenFeature have just asked for the values, and would ask again.
    this.#isGreeted = request.kind === 'ofrep';
  }

  /** Not if its client is too slow: it gets the newest version when it has read what it has. */
  tell(messages: StreamMessages, now: number): void {
    const { version } = messages.state;
    if ((version === this.#version && this.#isGreeted) || !this.isWritable) return;
    const message = messages.get(this.request.kind, this.#version, this.turn);
    this.#version = version;
    this.#isGreeted = true;
    this.write(message, now);
  }

  write(message: Buffer, now: number): void {
    if (!this.socket.write(message)) this.#fullSince = now;
  }

  onDrain(): void {
    this.#fullSince = 0;
  }

  get isWritable(): boolean {
    return this.#fullSince === 0 && this.socket.writable;
  }

  isStuck(now: number, maxMs: number): boolean {
    return this.#fullSince !== 0 && now - this.#fullSince > maxMs;
  }
}
