import { Failure } from '../../../core/errors.ts';
import { noData } from '../../../core/events/extract-events.ts';
import { malformed, payloadTooLarge } from './decode-failures.ts';
import { type Compression, decompress, decompressLz, isGzip } from './decompress.ts';
import { formTypeOf, readForm } from './read-form.ts';
import { repairUtf8 } from './repair-utf8.ts';
import { unwrapBase64 } from './unwrap-base64.ts';

/**
 * From the bytes of a request to the JSON text in it. SDKs of many generations encode their events in many ways, often with
 * missing or wrong headers; so the bytes are trusted more than the headers.
 */
export interface EncodedRequest {
  method: string;
  contentType: string | undefined;
  contentEncoding: string | undefined;
  query: QueryValues;
  rawBody: Buffer;
  /** Of the body as sent. Decompressed it may be two and a half times as large. */
  maxBytes: number;
  /** V1 supports more encodings. */
  protocol?: 'v0' | 'v1';
}

/** A `URLSearchParams` or a `Map`. */
export interface QueryValues {
  get(name: string): string | null | undefined;
}

export interface DecodedRequest {
  /** JSON text in UTF-8, not empty; not yet parsed. */
  payload: Buffer;
  formFields: ReadonlyMap<string, string>;
}

const maxDecompressedBytes = (maxBytes: number): number => Math.floor(2.5 * maxBytes);
export const NO_FIELDS: ReadonlyMap<string, string> = new Map();

export async function decodeRequest(request: EncodedRequest): Promise<DecodedRequest> {
  if (request.rawBody.length > request.maxBytes) throw payloadTooLarge();
  const { data, fields, encoding } = await findPayload(request);
  if (data === undefined || data.length === 0) throw noData();
  const name = request.query.get('compression') || fields.get('compression') || encoding || '';
  const decompressed = await decompressNamed(data, name.toLowerCase(), request);
  const payload = repairUtf8(await unwrapText(decompressed, request));
  if (payload.length === 0) throw noData();
  return { payload, formFields: fields };
}

interface FoundPayload {
  data: Buffer | undefined;
  fields: ReadonlyMap<string, string>;
  /** `Content-Encoding` of `data`, if it still applies. */
  encoding: string | undefined;
}

async function findPayload(request: EncodedRequest): Promise<FoundPayload> {
  const { contentType = '', contentEncoding: encoding, rawBody } = request;
  if (request.method === 'GET' || request.method === 'HEAD') {
    return { data: Buffer.from(request.query.get('data') ?? '', 'utf8'), fields: NO_FIELDS, encoding: undefined };
  }
  const formType = formTypeOf(contentType);
  if (formType === undefined) return { data: rawBody, fields: NO_FIELDS, encoding };
  const form = isGzip(rawBody) ? await decompress(rawBody, 'gzip', maxDecompressedBytes(request.maxBytes)) : rawBody;
  return { ...(await readForm(formType, contentType, form)), encoding: undefined };
}

async function decompressNamed(data: Buffer, name: string, request: EncodedRequest): Promise<Buffer> {
  const limit = maxDecompressedBytes(request.maxBytes);
  if (isGzip(data)) return await decompress(data, 'gzip', limit);
  switch (name) {
    case 'gzip':
    case 'gzip-js':
      return requireJsonOrBase64(data);
    case 'lz64':
    case 'lz-string':
      return decompressLz(data, limit);
    default:
      return request.protocol === 'v1' ? await decompressV1(data, name, limit) : data;
  }
}

/** Proxies decompress bodies and leave the header, so JSON and base64 pass; anything else is damaged gzip. */
function requireJsonOrBase64(data: Buffer): Buffer {
  if (data.length === 9 && data.toString('latin1') === 'undefined') {
    throw malformed("data being loaded from the request body for decompression is the literal string 'undefined'");
  }
  const isJson = data[0] === 0x7b || data[0] === 0x5b;
  if (isJson || unwrapBase64(data) !== undefined) return data;
  throw malformed('Failed to decompress data. Not a gzipped file');
}

async function decompressV1(data: Buffer, name: string, limit: number): Promise<Buffer> {
  const compression = name === '' || name === 'identity' ? undefined : V1_COMPRESSIONS.get(name);
  if (compression !== undefined) return await decompress(data, compression, limit);
  if (name === '' || name === 'identity') return data;
  throw new Failure('unsupported_media_type', `Content-Encoding '${name}' is not supported.`);
}

const V1_COMPRESSIONS: ReadonlyMap<string, Compression> = new Map([
  ['deflate', 'deflate'],
  ['br', 'br'],
  ['zstd', 'zstd'],
]);

/** Base64 is not announced reliably, and may contain gzip. */
async function unwrapText(data: Buffer, request: EncodedRequest): Promise<Buffer> {
  const inner = unwrapBase64(data);
  if (inner === undefined) return data;
  return isGzip(inner) ? await decompress(inner, 'gzip', maxDecompressedBytes(request.maxBytes)) : inner;
}
