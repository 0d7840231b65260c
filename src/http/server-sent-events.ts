import type { FastifyRequest } from 'fastify';

/** Headers of a response with server-sent events. */
export const STREAM_HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache, no-transform',
  // A connection kept open for other requests would delay the stop of the server.
  connection: 'close',
  // Proxies such as nginx would buffer the stream.
  'x-accel-buffering': 'no',
};

/** The number of the last event that a client has got; null: none, or none of ours. */
export function lastEventId({ headers }: Pick<FastifyRequest, 'headers'>): number | null {
  const sent = headers['last-event-id'];
  return typeof sent === 'string' && /^\d{1,15}$/.test(sent) ? Number(sent) : null;
}
