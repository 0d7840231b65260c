/** Values of answers and of parameters as PostgreSQL's clients read and write them. */
import type { SqlScalar } from '../rules/prepare-text.ts';
import { ProtocolError } from './messages.ts';

const BOOL = 16;
const INT8 = 20;
const INT2 = 21;
const INT4 = 23;
const FLOAT4 = 700;
const FLOAT8 = 701;
const DATE = 1082;
const TIMESTAMPTZ = 1184;
const UUID = 2950;
/** PostgreSQL counts from 2000. */
const EPOCH_MS = Date.UTC(2000, 0, 1);
const DAY_MS = 86_400_000;

/** `value` as JSON has it. */
export function encodeValue(value: unknown, oid: number, isBinary: boolean): Buffer | null {
  if (value === null || value === undefined) return null;
  const text = toText(value, oid);
  return isBinary ? toBinary(text, oid) : Buffer.from(text);
}

function toText(value: unknown, oid: number): string {
  if (typeof value === 'boolean') return oid === BOOL ? (value ? 't' : 'f') : String(value);
  if (typeof value === 'object') return JSON.stringify(value);
  const text = String(value).replaceAll('\0', '');
  return oid === TIMESTAMPTZ ? text.replace('T', ' ').replace('Z', '+00') : text;
}

function toBinary(text: string, oid: number): Buffer {
  switch (oid) {
    case BOOL:
      return Buffer.from([text === 't' ? 1 : 0]);
    case INT4:
      return write(4, (bytes) => bytes.writeInt32BE(Number(text)));
    case INT8:
      return write(8, (bytes) => bytes.writeBigInt64BE(BigInt.asIntN(64, BigInt(text))));
    case FLOAT8:
      return write(8, (bytes) => bytes.writeDoubleBE(Number(text)));
    case DATE:
      return write(4, (bytes) => bytes.writeInt32BE(Math.floor((Date.parse(text) - EPOCH_MS) / DAY_MS)));
    case TIMESTAMPTZ:
      return write(8, (bytes) => bytes.writeBigInt64BE(microseconds(text)));
    case UUID:
      return Buffer.from(text.replaceAll('-', ''), 'hex');
    default:
      return Buffer.from(text);
  }
}

function write(length: number, fill: (bytes: Buffer) => void): Buffer {
  const bytes = Buffer.alloc(length);
  fill(bytes);
  return bytes;
}

/** Since 2000; a time has up to six digits after the point. */
function microseconds(text: string): bigint {
  const digits = (/\.(\d{1,6})/.exec(text)?.[1] ?? '').padEnd(6, '0');
  const seconds = Date.parse(text.replace(/\.\d+/, '').replace(' ', 'T').replace('+00', 'Z'));
  return BigInt(seconds - EPOCH_MS) * 1000n + BigInt(digits);
}

/** Null for a null. An oid of 0: the client leaves it to the server. */
export function decodeParameter(bytes: Buffer | null, oid: number, isBinary: boolean): SqlScalar {
  if (bytes === null) return null;
  const value = isBinary ? fromBinary(bytes, oid) : bytes.toString('utf8');
  if (typeof value !== 'string') return value;
  if ([INT2, INT4, INT8, FLOAT4, FLOAT8].includes(oid)) {
    const number = Number(value);
    return Number.isFinite(number) ? number : value;
  }
  return oid === BOOL ? /^(?:t|true|1|on|yes)$/i.test(value) : value;
}

const LENGTHS: Readonly<Record<number, number>> = {
  [BOOL]: 1,
  [INT2]: 2,
  [INT4]: 4,
  [INT8]: 8,
  [FLOAT4]: 4,
  [FLOAT8]: 8,
};

function fromBinary(bytes: Buffer, oid: number): SqlScalar {
  const length = LENGTHS[oid];
  if (length !== undefined && bytes.length !== length) throw new ProtocolError('A parameter has a wrong length.');
  switch (oid) {
    case BOOL:
      return bytes[0] === 1;
    case INT2:
      return bytes.readInt16BE(0);
    case INT4:
      return bytes.readInt32BE(0);
    case INT8:
      return Number(bytes.readBigInt64BE(0));
    case FLOAT4:
      return bytes.readFloatBE(0);
    case FLOAT8:
      return bytes.readDoubleBE(0);
    case UUID:
      return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
    case DATE:
    case TIMESTAMPTZ:
    case 1114:
      throw new ProtocolError('Times in binary are not supported; send them as text.');
    default:
      return bytes.toString('utf8');
  }
}
