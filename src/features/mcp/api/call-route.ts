/** Calls a route of the REST API within the process: the same checks, the same handler, the same answer. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Failure } from '../../../core/errors.ts';
import { parseExact, stringifyExact } from '../../../core/json/exact-json.ts';
import type { Json, JsonObject } from '../../../core/json/json.ts';
import { timeoutSignal } from '../../../lib/timeout-signal.ts';

export interface RouteCall {
  method: 'GET' | 'POST' | 'PATCH';
  url: string;
  body?: JsonObject;
  headers?: Readonly<Record<string, string>>;
}

export interface RouteAnswer {
  status: number;
  body: Json;
}

/** With the key, address and host of the request that it is for. */
export type CallRoute = (call: RouteCall) => Promise<RouteAnswer>;

const MAX_CALL_MS = 30_000;

const tookTooLong = (maxMs: number): Failure =>
  new Failure('unavailable', `It took longer than ${maxMs / 1000} seconds. Ask for less: a shorter period, a filter.`);

export const routeCaller =
  (app: FastifyInstance, request: FastifyRequest, signal: AbortSignal, maxMs = MAX_CALL_MS): CallRoute =>
  async ({ method, url, body, headers }) => {
    const { authorization = '', host = '' } = request.headers;
    const late = timeoutSignal(maxMs);
    const inject = app.inject({
      method,
      url,
      remoteAddress: request.ip,
      headers: { ...headers, authorization, host, ...(body ? { 'content-type': 'application/json' } : {}) },
      ...(body ? { payload: stringifyExact(body) } : {}),
      signal: AbortSignal.any([signal, late]),
    });
    const response = await inject.catch((error: unknown) => {
      if (late.aborted) throw tookTooLong(maxMs);
      throw error;
    });
    return { status: response.statusCode, body: response.payload === '' ? null : parseExact(response.payload) };
  };
