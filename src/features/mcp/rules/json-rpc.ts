/** JSON-RPC 2.0, as far as MCP uses it: one request or notification per HTTP request, no batches. */
import { isJsonObject, type Json, type JsonObject } from '../../../core/json/json.ts';

type RpcId = string | number;

export type RpcMessage =
  | { kind: 'request'; id: RpcId; method: string; params: JsonObject }
  | { kind: 'notification' }
  | { kind: 'invalid'; detail: string };

export const RPC_ERRORS = {
  parse: -32_700,
  invalidRequest: -32_600,
  unknownMethod: -32_601,
  invalidParams: -32_602,
  headerMismatch: -32_020,
  unknownVersion: -32_022,
} as const;

export function readMessage(body: Json | undefined): RpcMessage {
  if (Array.isArray(body)) return { kind: 'invalid', detail: 'Batches are not supported: send one request at a time.' };
  if (!isJsonObject(body) || body['jsonrpc'] !== '2.0' || typeof body['method'] !== 'string')
    return { kind: 'invalid', detail: 'This is no JSON-RPC 2.0 request.' };
  const { id, method, params = {} } = body;
  if (id === undefined) return { kind: 'notification' };
  if (typeof id !== 'string' && typeof id !== 'number')
    return { kind: 'invalid', detail: 'The id of a request is text or a number.' };
  if (!isJsonObject(params)) return { kind: 'invalid', detail: 'The params of a request are an object.' };
  return { kind: 'request', id, method, params };
}

export const rpcResult = (id: RpcId, result: JsonObject): JsonObject => ({ jsonrpc: '2.0', id, result });

export const rpcError = (id: RpcId | null, code: number, message: string, data?: Json): JsonObject => ({
  jsonrpc: '2.0',
  id,
  error: { code, message, ...(data === undefined ? {} : { data }) },
});
