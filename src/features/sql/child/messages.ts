/**
 * Messages between the server and a process that runs statements, over a socket. A request is a length and JSON; a response
 * is two lengths, JSON, and the bytes of its rows. The server gets those in pieces and does not parse them, so that a large
 * answer does not hold up other requests.
 */
import type { ChildReady, SqlRequest, SqlResponse } from './protocol.ts';

const LENGTH_BYTES = 4;
/** Of everything but the rows. A statement has 64 kB at most. */
const MAX_HEAD_BYTES = 16_000_000;

export function packRequest(request: SqlRequest): Buffer {
  const json = Buffer.from(JSON.stringify(request));
  return Buffer.concat([lengths(json.length), json]);
}

export function packResponse(response: SqlResponse | ChildReady): Buffer {
  const [said, rows] = withoutRows(response);
  const head = Buffer.from(JSON.stringify(said));
  return Buffer.concat([lengths(head.length, rows.length), head, rows]);
}

function lengths(...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(LENGTH_BYTES * values.length);
  for (const [at, value] of values.entries()) bytes.writeUInt32LE(value, at * LENGTH_BYTES);
  return bytes;
}

const NONE = Buffer.alloc(0);

function withoutRows(response: SqlResponse | ChildReady): [object, Buffer] {
  if (!('answer' in response)) return [response, NONE];
  const { rows, ...answer } = response.answer;
  return [{ ...response, answer }, rows];
}

/** Puts one request together; the next one comes once it is answered. */
export class RequestReader {
  #received: Buffer = NONE;

  /** The request once all of it is there, else null. */
  add(piece: Buffer): SqlRequest | null {
    this.#received = this.#received.length === 0 ? piece : Buffer.concat([this.#received, piece]);
    if (this.#received.length < LENGTH_BYTES) return null;
    const end = LENGTH_BYTES + this.#received.readUInt32LE(0);
    if (this.#received.length < end) return null;
    const request = JSON.parse(this.#received.toString('utf8', LENGTH_BYTES, end)) as SqlRequest;
    this.#received = this.#received.subarray(end);
    return request;
  }
}

/** Puts one response together. Its rows are copied as they arrive: all at once, a large answer would take a moment. */
export class ResponseReader {
  readonly #maxBytes: number;
  #head: Buffer = NONE;
  #response: SqlResponse | ChildReady | null = null;
  #rows: Buffer = NONE;
  #rowsBytes = 0;

  /** `maxBytes`: of the rows. */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** The response once all of it is there, else null. */
  add(piece: Buffer): SqlResponse | ChildReady | null {
    const rest = this.#response === null ? this.#readHead(piece) : piece;
    if (this.#response === null) return null;
    this.#rowsBytes += rest.copy(this.#rows, this.#rowsBytes);
    return this.#rowsBytes < this.#rows.length ? null : this.#response;
  }

  /** Returns what comes after it. */
  #readHead(piece: Buffer): Buffer {
    this.#head = Buffer.concat([this.#head, piece]);
    const start = 2 * LENGTH_BYTES;
    if (this.#head.length < start) return NONE;
    const end = start + this.#head.readUInt32LE(0);
    const rowsBytes = this.#head.readUInt32LE(LENGTH_BYTES);
    if (end > MAX_HEAD_BYTES || rowsBytes > this.#maxBytes) throw new Error('The response is too large.');
    if (this.#head.length < end) return NONE;
    const response = JSON.parse(this.#head.toString('utf8', start, end)) as SqlResponse | ChildReady;
    this.#rows = Buffer.allocUnsafe(rowsBytes);
    if ('answer' in response) response.answer.rows = this.#rows;
    this.#response = response;
    return this.#head.subarray(end);
  }
}
