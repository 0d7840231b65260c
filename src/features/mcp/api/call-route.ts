/** Calls a route of the REST API within the process: the same checks, the same handler, the same answer. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { parseExact, stringifyExact } from '../../../core/json/exact-json.ts';
import type { Json, JsonObject } from '../../../core/json/json.ts';

export interface RouteCall {
  method: 'GET' | 'POST' | 'PATCH';
  url: string;
  body?: JsonObject;
}

export interface RouteAnswer {
  status: number;
  body: Json;
}

/** With the key, address and host of the request that it is for. */
export type CallRoute = (call: RouteCall) => Promise<RouteAnswer>;

export const routeCaller =
  (app: FastifyInstance, request: FastifyRequest, signal: AbortSignal): CallRoute =>
  async ({ method, url, body }) => {
    const { authorization = '', host = '' } = request.headers;
    const response = await app.inject({
      method,
      url,
      remoteAddress: request.ip,
      headers: { authorization, host, ...(body ? { 'content-type': 'application/json' } : {}) },
      ...(body ? { payload: stringifyExact(body) } : {}),
      signal,
    });
    return { status: response.statusCode, body: response.payload === '' ? null : parseExact(response.payload) };
  };
