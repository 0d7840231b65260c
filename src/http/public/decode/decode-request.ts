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
  /** How many times its size it may decompress to, all layers together. */
  maxRatio: number;
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

/** However well they are compressed, so many bytes are no danger; test data of one repeated event is compressed very well. */
const ALWAYS_ALLOWED_BYTES = 1024 * 1024;

const maxDecompressedBytes = ({ maxBytes, maxRatio, rawBody, query }: EncodedRequest): number => {
  const sent = Math.max(rawBody.length, query.get('data')?.length ?? 0);
  return Math.min(Math.floor(2.5 * maxBytes), Math.max(ALWAYS_ALLOWED_BYTES, maxRatio * sent));
};

export const NO_FIELDS: ReadonlyMap<string, string> = new Map();

export async function decodeRequest(request: EncodedRequest): Promise<DecodedRequest> {
  if (request.rawBody.length > request.maxBytes) throw payloadTooLarge();
  const { data, fields, encoding, isUnpacked } = await findPayload(request);
  if (data === undefined || data.length === 0) throw noData();
  const name = request.query.get('compression') || fields.get('compression') || encoding || '';
  const unpacked = await decompressNamed({ data, isUnpacked }, name.toLowerCase(), request);
  const payload = repairUtf8(await unwrapText(unpacked, request));
  if (payload.length === 0) throw noData();
  return { payload, formFields: fields };
}

interface FoundPayload {
  data: Buffer | undefined;
  fields: ReadonlyMap<string, string>;
  /** `Content-Encoding` of `data`, if it still applies. */
  encoding: string | undefined;
  isUnpacked: boolean;
}

/** No SDK compresses twice; whoever does wants a few bytes to become many. */
interface Layer {
  data: Buffer;
  isUnpacked: boolean;
}

async function unpack({ data, isUnpacked }: Layer, compression: Compression, request: EncodedRequest): Promise<Layer> {
  if (isUnpacked) throw malformed('Failed to decompress data. It is compressed more than once.');
  return { data: await decompress(data, compression, maxDecompressedBytes(request)), isUnpacked: true };
}

async function findPayload(request: EncodedRequest): Promise<FoundPayload> {
  const { contentType = '', contentEncoding: encoding, rawBody } = request;
  if (request.method === 'GET') {
    return {
      data: Buffer.from(request.query.get('data') ?? '', 'utf8'),
      fields: NO_FIELDS,
      encoding: undefined,
      isUnpacked: false,
    };
  }
  const formType = formTypeOf(contentType);
  if (formType === undefined) return { data: rawBody, fields: NO_FIELDS, encoding, isUnpacked: false };
  const sent = { data: rawBody, isUnpacked: false };
  const form = isGzip(rawBody) ? await unpack(sent, 'gzip', request) : sent;
  const { isUnpacked } = form;
  return { ...(await readForm(formType, contentType, form.data)), encoding: undefined, isUnpacked };
}

async function decompressNamed(layer: Layer, name: string, request: EncodedRequest): Promise<Layer> {
  const { data } = layer;
  if (isGzip(data)) return unpack(layer, 'gzip', request);
  switch (name) {
    case 'gzip':
    case 'gzip-js':
      requireJsonOrBase64(data);
      return layer;
    case 'lz64':
    case 'lz-string':
      return { data: decompressLz(data, maxDecompressedBytes(request)), isUnpacked: true };
    default:
      return request.protocol === 'v1' ? decompressV1(layer, name, request) : layer;
  }
}

/** Proxies decompress bodies and leave the header, so JSON and base64 pass; anything else is damaged gzip. */
function requireJsonOrBase64(data: Buffer): void {
  if (data.length === 9 && data.toString('latin1') === 'undefined') {
    throw malformed("data being loaded from the request body for decompression is the literal string 'undefined'");
  }
  const isJson = data[0] === 0x7b || data[0] === 0x5b;
  if (isJson || unwrapBase64(data) !== undefined) return;
  throw malformed('Failed to decompress data. Not a gzipped file');
}

async function decompressV1(layer: Layer, name: string, request: EncodedRequest): Promise<Layer> {
  const compression = name === '' || name === 'identity' ? undefined : V1_COMPRESSIONS.get(name);
  if (compression !== undefined) return unpack(layer, compression, request);
  if (name === '' || name === 'identity') return layer;
  throw new Failure('unsupported_media_type', `Content-Encoding '${name}' is not supported.`);
}

const V1_COMPRESSIONS: ReadonlyMap<string, Compression> = new Map([
  ['deflate', 'deflate'],
  ['br', 'br'],
  ['zstd', 'zstd'],
]);

/** Base64 is not announced reliably, and may contain gzip. */
async function unwrapText({ data, isUnpacked }: Layer, request: EncodedRequest): Promise<Buffer> {
  const inner = unwrapBase64(data);
  if (inner === undefined) return data;
  return isGzip(inner) ? (await unpack({ data: inner, isUnpacked }, 'gzip', request)).data : inner;
}
