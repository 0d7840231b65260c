/** PostgreSQL's protocol, version 3: messages as bytes. Lengths that clients send are checked before anything is kept. */

export interface WireMessage {
  /** A letter; empty for the first message of a connection. */
  kind: string;
  body: Buffer;
}

export class ProtocolError extends Error {}

const MAX_STARTUP_BYTES = 10_000;
const MAX_MESSAGE_BYTES = 1_000_000;

/** Cuts what arrives into messages. */
export class MessageReader {
  #rest: Buffer = Buffer.alloc(0);
  #isStarted = false;

  /** Startup messages have no letter. */
  start(): void {
    this.#isStarted = true;
  }

  get hasMore(): boolean {
    return this.#rest.length > 0;
  }

  add(chunk: Buffer): void {
    this.#rest = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
  }

  /** Null until a whole one has arrived. */
  next(): WireMessage | null {
    const head = this.#isStarted ? 1 : 0;
    if (this.#rest.length < head + 4) return null;
    const length = this.#rest.readInt32BE(head);
    const max = this.#isStarted ? MAX_MESSAGE_BYTES : MAX_STARTUP_BYTES;
    if (length < 4 || length > max) throw new ProtocolError('A message has an invalid length.');
    if (this.#rest.length < head + length) return null;
    const kind = this.#rest.toString('latin1', 0, head);
    const body = this.#rest.subarray(head + 4, head + length);
    this.#rest = this.#rest.subarray(head + length);
    return { kind, body };
  }
}

/** Reads the fields of a message; too few bytes are an error of the client. */
export class FieldReader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#bytes.length;
  }

  int16(): number {
    return this.#take(2).readInt16BE(0);
  }

  int32(): number {
    return this.#take(4).readInt32BE(0);
  }

  /** Ends with a zero byte. */
  text(): string {
    const end = this.#bytes.indexOf(0, this.#at);
    if (end < 0) throw new ProtocolError('A text has no end.');
    const text = this.#bytes.toString('utf8', this.#at, end);
    this.#at = end + 1;
    return text;
  }

  bytes(length: number): Buffer {
    return this.#take(length);
  }

  list<T>(read: () => T): T[] {
    const count = this.int16();
    if (count < 0) throw new ProtocolError('A list has a negative length.');
    return Array.from({ length: count }, read);
  }

  #take(length: number): Buffer {
    if (length < 0 || this.#at + length > this.#bytes.length) throw new ProtocolError('A message is too short.');
    this.#at += length;
    return this.#bytes.subarray(this.#at - length, this.#at);
  }
}

const int16 = (value: number): Buffer => {
  const bytes = Buffer.alloc(2);
  bytes.writeInt16BE(value);
  return bytes;
};

const int32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
};

const zeroEnded = (text: string): Buffer => Buffer.from(`${text.replaceAll('\0', '')}\0`);

function message(kind: string, ...parts: readonly Buffer[]): Buffer {
  const body = Buffer.concat(parts);
  return Buffer.concat([Buffer.from(kind, 'latin1'), int32(body.length + 4), body]);
}

export interface ColumnDescription {
  name: string;
  oid: number;
  /** -1: it varies. */
  length: number;
  isBinary: boolean;
}

export const askForPassword = (): Buffer => message('R', int32(3));
export const authenticated = (): Buffer => message('R', int32(0));
export const parameterStatus = (name: string, value: string): Buffer => message('S', zeroEnded(name), zeroEnded(value));
export const backendKey = (id: number, secret: number): Buffer => message('K', int32(id), int32(secret));
export const ready = (status: string): Buffer => message('Z', Buffer.from(status, 'latin1'));
export const parseComplete = (): Buffer => message('1');
export const bindComplete = (): Buffer => message('2');
export const closeComplete = (): Buffer => message('3');
export const noRowsDescription = (): Buffer => message('n');
export const emptyStatement = (): Buffer => message('I');
export const portalSuspended = (): Buffer => message('s');
export const commandComplete = (tag: string): Buffer => message('C', zeroEnded(tag));
export const parameterTypes = (oids: readonly number[]): Buffer =>
  message('t', int16(oids.length), ...oids.map((oid) => int32(oid)));

export const rowDescription = (columns: readonly ColumnDescription[]): Buffer =>
  message(
    'T',
    int16(columns.length),
    ...columns.map(({ name, oid, length, isBinary }) =>
      Buffer.concat([
        zeroEnded(name),
        int32(0),
        int16(0),
        int32(oid),
        int16(length),
        int32(-1),
        int16(isBinary ? 1 : 0),
      ]),
    ),
  );

/** Null is a value of its own. */
export const dataRow = (values: readonly (Buffer | null)[]): Buffer =>
  message(
    'D',
    int16(values.length),
    ...values.map((value) => (value === null ? int32(-1) : Buffer.concat([int32(value.length), value]))),
  );

interface ErrorFields {
  code: string;
  text: string;
  isFatal?: boolean;
  /** Counts characters from 1. */
  position?: number | undefined;
}

const fields = (severity: string, { code, text, position }: ErrorFields): Buffer =>
  Buffer.concat([
    zeroEnded(`S${severity}`),
    zeroEnded(`V${severity}`),
    zeroEnded(`C${code}`),
    zeroEnded(`M${text}`),
    ...(position === undefined ? [] : [zeroEnded(`P${position}`)]),
    Buffer.from([0]),
  ]);

export const errorResponse = (error: ErrorFields): Buffer =>
  message('E', fields(error.isFatal === true ? 'FATAL' : 'ERROR', error));
export const notice = (text: string): Buffer => message('N', fields('NOTICE', { code: '00000', text }));
