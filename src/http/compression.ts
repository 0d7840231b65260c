/**
 * Compressed answers of the private API. Only there: answers to SDKs are a few hundred bytes and many. Streams (live
 * events, CSV) pass as they are, because a compressor would hold back what they send.
 */
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { FastifyInstance, FastifyRequest } from 'fastify';

/** Less fits into one packet anyway. */
const MIN_BYTES = 1_400;
/** A tenth of JSON is left at any level; this one takes half the time of the default. */
const LEVEL = 4;

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Answers of this route are sent as they are: SDKs read them. */
    isUncompressed?: boolean;
  }
}

/** Runs in a thread of Node's pool, not in that of the requests. */
const compress = promisify(gzip);

export function acceptsEncoding(request: FastifyRequest, encoding: string): boolean {
  const offered = String(request.headers['accept-encoding'] ?? '');
  return offered.split(',').some((entry) => {
    const [name = '', quality = ''] = entry.split(';');
    return name.trim() === encoding && !/^\s*q=0(\.0*)?\s*$/.test(quality);
  });
}

export const gzipText = (text: string): Promise<Buffer> => compress(text, { level: LEVEL });

export function compressAnswers(app: FastifyInstance): void {
  app.addHook('onSend', async (request, reply, payload) => {
    if (typeof payload !== 'string' || payload.length < MIN_BYTES) return payload;
    if (request.routeOptions.config.isUncompressed) return payload;
    reply.header('vary', 'Accept-Encoding');
    if (!acceptsEncoding(request, 'gzip')) return payload;
    reply.header('content-encoding', 'gzip').removeHeader('content-length');
    return gzipText(payload);
  });
}
