/**
 * One signed request to an S3-compatible store. Redirects are not followed, and private addresses are refused unless the
 * operator allows them, as for webhooks. Of an answer only the status, the entity tag and a short text are read.
 */
import { createHash } from 'node:crypto';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { AwsV4Signer } from 'aws4fetch';
import { MINUTE_MS } from '../../../core/time/units.ts';
import { isPrivateUrl } from '../../../lib/network.ts';
import { timeoutSignal } from '../../../lib/timeout-signal.ts';
import { lookupPublicAddress, PrivateAddressError } from '../../webhooks/post-to-webhook.ts';
import type { S3Destination } from '../rules/export-destination.ts';
import { ExportFailure } from './export-target.ts';

export interface S3Deps {
  /** With credentials in plain text. */
  destination: S3Destination;
  isPrivateAllowed: boolean;
  signal: AbortSignal;
  now(): number;
}

interface S3Request {
  method: 'PUT' | 'POST' | 'DELETE';
  key: string;
  query?: Readonly<Record<string, string>>;
  body?: Buffer;
}

interface S3Answer {
  status: number;
  etag: string;
  text: string;
}

const TIMEOUT_MS = 2 * MINUTE_MS;
const MAX_ANSWER_BYTES = 64 * 1024;
const RETRYABLE_STATUSES = new Set([408, 425, 429]);
/** What a store says where the same request may succeed later. */
const RETRYABLE_CODES = new Set(['RequestTimeout', 'RequestTimeTooSkewed', 'SlowDown', 'OperationAborted']);

export async function requestS3(deps: S3Deps, { method, key, query = {}, body }: S3Request): Promise<S3Answer> {
  const url = urlOf(deps.destination, key, query);
  if (!deps.isPrivateAllowed && isPrivateUrl(url.href)) throw privateAddress();
  const { accessKeyId, secretAccessKey, region } = deps.destination;
  const signer = new AwsV4Signer({
    method,
    url: url.href,
    // Signed, so that nothing on the way can change what is stored.
    headers: {
      'x-amz-content-sha256': createHash('sha256')
        .update(body ?? '')
        .digest('hex'),
    },
    accessKeyId,
    secretAccessKey,
    service: 's3',
    region,
    datetime: new Date(deps.now()).toISOString().replace(/[:-]|\.\d{3}/g, ''),
  });
  const signed = await signer.sign();
  const answer = await send(deps, signed.method, signed.url, Object.fromEntries(signed.headers), body);
  if (answer.status >= 200 && answer.status < 300) return answer;
  throw failureOf(answer);
}

const privateAddress = (): ExportFailure =>
  new ExportFailure('its address is in a private network; EXPORT_ALLOW_PRIVATE=true would allow it', { isFinal: true });

/** `https://bucket.host/key` or `https://host/bucket/key`. */
function urlOf({ endpoint, region, bucket, isVirtualStyle }: S3Destination, key: string, query: object): URL {
  const url = new URL(endpoint ?? `https://s3.${region}.amazonaws.com`);
  const path = key.split('/').map(encodeStep).join('/');
  if (isVirtualStyle) url.hostname = `${bucket}.${url.hostname}`;
  url.pathname = isVirtualStyle ? `/${path}` : `/${encodeStep(bucket)}/${path}`;
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  return url;
}

const encodeStep = (step: string): string =>
  encodeURIComponent(step).replace(/[!'()*]/g, (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`);

/** Not `fetch`, which resolves the name itself: the address that was checked must be the one that is connected to. */
function send(
  { signal, isPrivateAllowed }: S3Deps,
  method: string,
  url: URL,
  headers: Record<string, string>,
  body: Buffer | undefined,
): Promise<S3Answer> {
  const request = url.protocol === 'https:' ? httpsRequest : httpRequest;
  return new Promise((resolve, reject) => {
    const outgoing = request(url, {
      method,
      agent: false,
      headers: { ...headers, 'content-length': body?.length ?? 0, 'user-agent': 'Cairn' },
      signal: AbortSignal.any([signal, timeoutSignal(TIMEOUT_MS)]),
      ...(isPrivateAllowed ? {} : { lookup: lookupPublicAddress }),
    });
    outgoing.on('error', (error) => reject(connectionFailure(error)));
    outgoing.on('response', (response) => {
      readAnswer(response).then(resolve, (error: unknown) => reject(connectionFailure(error)));
    });
    outgoing.end(body);
  });
}

async function readAnswer(response: IncomingMessage): Promise<S3Answer> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of response) {
    pieces.push(piece as Buffer);
    bytes += (piece as Buffer).length;
    if (bytes > MAX_ANSWER_BYTES) break;
  }
  const text = Buffer.concat(pieces).toString('utf8');
  return { status: response.statusCode ?? 0, etag: String(response.headers.etag ?? ''), text };
}

/** Never the message of the error, which may contain the address. */
function connectionFailure(error: unknown): ExportFailure {
  const cause = error instanceof Error ? (error.cause ?? error) : error;
  if (cause instanceof PrivateAddressError) return privateAddress();
  const code = (cause as { code?: unknown }).code;
  const name = cause instanceof Error ? cause.name : 'unknown';
  return new ExportFailure(`the store cannot be reached: ${typeof code === 'string' ? code : name}`);
}

/** The code of the answer says more than the status; the rest of it is not shown. */
function failureOf({ status, text }: S3Answer): ExportFailure {
  const code = /<Code>([A-Za-z.]{1,60})<\/Code>/.exec(text)?.[1];
  const isRetryable =
    status >= 500 || RETRYABLE_STATUSES.has(status) || (status >= 400 && RETRYABLE_CODES.has(code ?? ''));
  return new ExportFailure(`the store answered ${status}${code === undefined ? '' : ` ${code}`}`, {
    isFinal: !isRetryable,
  });
}
