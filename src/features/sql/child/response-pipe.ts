/**
 * Responses of the process that runs statements: two lengths, the response as JSON, and the bytes of its rows. The server
 * gets them in pieces and does not parse the rows, so that a large answer does not hold up other requests.
 */
import type { ChildReady, SqlResponse } from './protocol.ts';

/** After standard input, output and errors, and the channel of Node. */
export const RESPONSE_FD = 4;
const LENGTHS_BYTES = 8;
/** Of everything but the rows. A statement has 100 kB at most. */
const MAX_HEAD_BYTES = 16_000_000;

export function packResponse(response: SqlResponse | ChildReady): Buffer {
  const [said, rows] = withoutRows(response);
  const head = Buffer.from(JSON.stringify(said));
  const lengths = Buffer.alloc(LENGTHS_BYTES);
  lengths.writeUInt32LE(head.length, 0);
  lengths.writeUInt32LE(rows.length, 4);
  return Buffer.concat([lengths, head, rows]);
}

const NONE = Buffer.alloc(0);

function withoutRows(response: SqlResponse | ChildReady): [object, Buffer] {
  if (!('answer' in response)) return [response, NONE];
  const { rows, ...answer } = response.answer;
  return [{ ...response, answer }, rows];
}

/** Puts one response together. */
export class ResponseReader {
  readonly #maxBytes: number;
  #pieces: Buffer[] = [];
  #bytes = 0;
  #expected = LENGTHS_BYTES;

  /** `maxBytes`: of the rows. */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** The response once all of it is there, else null. */
  add(piece: Buffer): SqlResponse | ChildReady | null {
    this.#pieces.push(piece);
    this.#bytes += piece.length;
    if (this.#bytes < this.#expected) return null;
    const all = Buffer.concat(this.#pieces);
    const headBytes = all.readUInt32LE(0);
    const rowsBytes = all.readUInt32LE(4);
    if (headBytes > MAX_HEAD_BYTES || rowsBytes > this.#maxBytes) throw new Error('The response is too large.');
    const headEnd = LENGTHS_BYTES + headBytes;
    this.#expected = headEnd + rowsBytes;
    if (this.#bytes < this.#expected) {
      this.#pieces = [all];
      return null;
    }
    const response = JSON.parse(all.toString('utf8', LENGTHS_BYTES, headEnd)) as SqlResponse | ChildReady;
    if ('answer' in response) response.answer.rows = all.subarray(headEnd, this.#expected);
    return response;
  }
}
