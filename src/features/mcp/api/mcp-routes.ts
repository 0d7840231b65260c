/**
 * `/mcp`: the tools for assistants, by the Model Context Protocol over streamable HTTP. There are no sessions and no
 * streams: every POST is answered by itself, so any node answers any of them.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type Caller, callerByKey } from '../../../access/callers.ts';
import { originOf, withOrigin } from '../../../access/request-origin.ts';
import { Failure, forbidden } from '../../../core/errors.ts';
import { stringifyExact } from '../../../core/json/exact-json.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../core/json/json.ts';
import { MINUTE_MS } from '../../../core/time/units.ts';
import { callerSignal } from '../../../http/api/caller-signal.ts';
import { sendError } from '../../../http/errors.ts';
import { type Query, queryText } from '../../../http/paging.ts';
import { Throttle, throttled } from '../../../lib/throttle.ts';
import { VERSION } from '../../../version.ts';
import { RPC_ERRORS, type RpcMessage, readMessage, rpcError, rpcResult } from '../rules/json-rpc.ts';
import { routeCaller } from './call-route.ts';
import { callTool } from './call-tool.ts';
import type { McpDeps } from './deps.ts';
import { presentTool, scopesOfTools, toolsFor } from './listed-tools.ts';
import { INSTRUCTIONS, type Tool } from './tools.ts';

const MAX_BODY_BYTES = 1024 * 1024;
const MAX_CALLS_PER_MINUTE = 120;
const MAX_CLIENT_LENGTH = 100;
/** Newest first. */
const PROTOCOL_VERSIONS = ['2025-11-25', '2025-06-18', '2025-03-26'] as const;

export function mcpRoutes(app: FastifyInstance, deps: McpDeps): void {
  const calls = new Throttle(deps.clock, MAX_CALLS_PER_MINUTE, MINUTE_MS);
  let needs: ReadonlyMap<Tool, readonly string[]> | null = null;
  app.post('/mcp', {
    schema: { hide: true },
    bodyLimit: MAX_BODY_BYTES,
    onRequest: async (request) => {
      requireOrigin(request, deps.config.publicUrl);
      request.caller = await callerOf(deps, request);
    },
    errorHandler: (error, request, reply) =>
      error instanceof Failure && error.kind === 'malformed'
        ? send(reply.code(400), rpcError(null, RPC_ERRORS.parse, error.message))
        : sendError(error, request, reply),
    handler: async (request, reply) => {
      const message = readMessage(request.body as Json);
      const refusal = refuse(message, request);
      if (refusal !== null) return send(reply.code(400), refusal);
      if (message.kind !== 'request') return reply.code(202).send();
      needs ??= scopesOfTools(app);
      const caller = request.caller as Caller;
      const tools = toolsFor(needs, caller.key?.scopes ?? [], choiceOf(request));
      if (tools.length === 0)
        throw forbidden(
          'The scopes of this key, or the features asked for, open no tool. Give the key some, such as query:read.',
        );
      return send(reply, await answer(app, deps, { request, reply, caller, tools, calls }, message));
    },
  });
}

const send = (reply: FastifyReply, message: JsonObject): FastifyReply =>
  reply.type('application/json; charset=utf-8').send(stringifyExact(message));

/** Programs send none. A page of another site must not use a server in the reader's network. */
function requireOrigin({ headers: { origin } }: FastifyRequest, publicUrl: string | null): void {
  if (origin === undefined || (publicUrl !== null && origin === new URL(publicUrl).origin)) return;
  throw forbidden('Pages of other sites cannot use this endpoint.');
}

/** By a key in the header only: cookies would let any page of the browser in. */
async function callerOf(deps: McpDeps, request: FastifyRequest): Promise<Caller> {
  const key = /^Bearer\s+(\S+)\s*$/i.exec(request.headers.authorization ?? '')?.[1];
  if (key !== undefined) return callerByKey(deps, key, 'Authorization header', request.ip);
  throw new Failure('unauthenticated', 'Send a personal API key: Authorization: Bearer phx_…', {
    code: 'not_authenticated',
  });
}

function choiceOf({ query, headers }: FastifyRequest) {
  const asked = (name: string): string | undefined =>
    queryText(query as Query, name) || headers[`x-cairn-${name}`]?.toString();
  return { isReadOnly: asked('readonly') === 'true', features: asked('features')?.split(',') ?? null };
}

function refuse(message: RpcMessage, { headers }: FastifyRequest): JsonObject | null {
  if (message.kind === 'invalid') return rpcError(null, RPC_ERRORS.invalidRequest, message.detail);
  const version = headers['mcp-protocol-version'];
  if (version === undefined || (PROTOCOL_VERSIONS as readonly unknown[]).includes(version)) return null;
  return rpcError(null, RPC_ERRORS.unknownVersion, 'Unknown protocol version.', { supported: [...PROTOCOL_VERSIONS] });
}

interface Exchange {
  request: FastifyRequest;
  reply: FastifyReply;
  caller: Caller;
  tools: readonly Tool[];
  calls: Throttle;
}

async function answer(
  app: FastifyInstance,
  deps: McpDeps,
  exchange: Exchange,
  { id, method, params }: RpcMessage & { kind: 'request' },
): Promise<JsonObject> {
  switch (method) {
    case 'initialize':
      return rpcResult(id, greeting(params));
    case 'ping':
      return rpcResult(id, {});
    case 'tools/list':
      return rpcResult(id, { tools: exchange.tools.map(presentTool) });
    case 'tools/call': {
      const tool = exchange.tools.find(({ name }) => name === params['name']);
      if (!tool) return rpcError(id, RPC_ERRORS.invalidParams, 'There is no such tool, or the key may not use it.');
      const { arguments: given = {} } = params;
      if (!isJsonObject(given)) return rpcError(id, RPC_ERRORS.invalidParams, 'The arguments are an object.');
      return rpcResult(id, await runTool(app, deps, exchange, tool, given));
    }
    default:
      return rpcError(id, RPC_ERRORS.unknownMethod, 'Unknown method.');
  }
}

function greeting({ protocolVersion }: JsonObject): JsonObject {
  const asked = PROTOCOL_VERSIONS.find((version) => version === protocolVersion);
  return {
    protocolVersion: asked ?? PROTOCOL_VERSIONS[0],
    capabilities: { tools: {} },
    serverInfo: { name: 'cairn', title: 'Cairn', version: VERSION },
    instructions: INSTRUCTIONS,
  };
}

async function runTool(
  app: FastifyInstance,
  deps: McpDeps,
  { request, reply, caller, calls }: Exchange,
  tool: Tool,
  given: JsonObject,
): Promise<JsonObject> {
  const keyId = caller.key?.id ?? '';
  const wait = calls.secondsUntilAllowed(keyId);
  if (wait > 0) throw throttled(wait);
  calls.record(keyId);
  const client = `mcp ${request.headers['user-agent'] ?? ''}`.trim().slice(0, MAX_CLIENT_LENGTH);
  const callRoute = routeCaller(app, request, callerSignal(reply));
  return withOrigin({ ...originOf(caller, request.ip), client }, () => callTool(deps, caller, callRoute, tool, given));
}
