/**
 * `/mcp`: tools, resources and prompts for assistants, by the Model Context Protocol over streamable HTTP. There are no
 * sessions: every POST is answered by itself, so any node answers any of them. Only `subscriptions/listen` is a stream.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type Caller, callerByKey, currentProject, hasAccessStill } from '../../../access/callers.ts';
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
import { HANDSHAKE_VERSIONS, META_KEYS, PROTOCOL_VERSIONS, readEra } from '../rules/protocol.ts';
import { type CallRoute, routeCaller } from './call-route.ts';
import { callTool, findFlagId } from './call-tool.ts';
import type { McpDeps } from './deps.ts';
import { FlagSubscriptions } from './flag-subscriptions.ts';
import { type DeclaredTool, declareTools, toolsFor } from './listed-tools.ts';
import { getPrompt, listPrompts } from './prompts.ts';
import { listResources, listTemplates, readResource } from './resources.ts';
import { INSTRUCTIONS } from './tools.ts';

const MAX_BODY_BYTES = 1024 * 1024;
const MAX_CALLS_PER_MINUTE = 120;
const MAX_CLIENT_LENGTH = 100;
const FLAG_SCOPES = ['feature_flag:read'];
const SERVER_INFO = { name: 'cairn', title: 'Cairn', version: VERSION };
/** Lists depend on the scopes of the key. */
const CACHE = { ttlMs: MINUTE_MS, cacheScope: 'private' };

export function mcpRoutes(app: FastifyInstance, deps: McpDeps): void {
  const calls = new Throttle(deps.clock, MAX_CALLS_PER_MINUTE, MINUTE_MS);
  const subscriptions = new FlagSubscriptions(app, deps.flagSnapshots, deps.config.maxLiveStreams);
  let declared: readonly DeclaredTool[] | null = null;
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
      if (message.kind === 'invalid')
        return send(reply.code(400), rpcError(null, RPC_ERRORS.invalidRequest, message.detail));
      if (message.kind === 'notification') return reply.code(202).send();
      const era = readEra(message.method, message.params, request.headers);
      if (era.kind === 'refused') return send(reply.code(400), rpcError(message.id, era.code, era.detail, era.data));
      declared ??= declareTools(app);
      const caller = request.caller as Caller;
      const tools = toolsFor(declared, caller.key?.scopes ?? [], choiceOf(request));
      if (tools.length === 0)
        throw forbidden(
          'The scopes of this key, or the features asked for, open no tool. Give the key some, such as query:read.',
        );
      const isModern = era.kind === 'modern';
      const exchange = { app, deps, request, reply, caller, tools, calls, subscriptions, client: era.client };
      const answer = await answerRequest(exchange, message, isModern);
      if (answer === null) return reply;
      const isUnknown =
        isModern && isJsonObject(answer['error']) && answer['error']['code'] === RPC_ERRORS.unknownMethod;
      return send(isUnknown ? reply.code(404) : reply, isModern ? asModern(message.method, answer) : answer);
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

interface Exchange {
  app: FastifyInstance;
  deps: McpDeps;
  request: FastifyRequest;
  reply: FastifyReply;
  caller: Caller;
  tools: readonly DeclaredTool[];
  calls: Throttle;
  subscriptions: FlagSubscriptions;
  /** What the client calls itself, where the request says so. */
  client: string | null;
}

type Request = RpcMessage & { kind: 'request' };

/** Null: the answer is a stream. */
async function answerRequest(exchange: Exchange, message: Request, isModern: boolean): Promise<JsonObject | null> {
  const { id, method, params } = message;
  const { deps, caller, tools } = exchange;
  const scopes = caller.key?.scopes ?? [];
  const result = (value: JsonObject) => rpcResult(id, value);
  switch (method) {
    case 'tools/list':
      return result({ tools: tools.map(({ listed }) => listed) });
    case 'tools/call':
      return callOf(exchange, message);
    case 'prompts/list':
      return result({ prompts: listPrompts() });
    case 'prompts/get': {
      const prompt = getPrompt(params);
      return prompt === null
        ? rpcError(id, RPC_ERRORS.invalidParams, 'No such prompt, or no argument.')
        : result(prompt);
    }
    case 'resources/list': {
      const project = await currentProject(deps.metadata, caller).catch(ifNone);
      const resources = await counted(exchange, (callRoute) =>
        listResources(resourceDeps(deps), scopes, project?.id ?? null, callRoute),
      );
      return result({ resources });
    }
    case 'resources/templates/list':
      return result({ resourceTemplates: listTemplates(scopes) });
    case 'resources/read':
      return readOf(exchange, message);
    case 'initialize':
    case 'ping':
      if (!isModern) return result(method === 'ping' ? {} : greeting(params));
      break;
    case 'server/discover':
      if (isModern) return result({ ...ABOUT, supportedVersions: [...PROTOCOL_VERSIONS] });
      break;
    case 'subscriptions/listen':
      if (isModern) return listenTo(exchange, message);
      break;
  }
  return rpcError(id, RPC_ERRORS.unknownMethod, 'Unknown method.');
}

const ifNone = (error: unknown): null => {
  if (error instanceof Failure && error.kind === 'not_found') return null;
  throw error;
};

const ABOUT = {
  capabilities: { tools: {}, prompts: {}, resources: { subscribe: true } },
  instructions: INSTRUCTIONS,
};

function greeting({ protocolVersion }: JsonObject): JsonObject {
  const asked = HANDSHAKE_VERSIONS.find((version) => version === protocolVersion);
  const capabilities = { tools: {}, prompts: {}, resources: {} };
  return { ...ABOUT, capabilities, protocolVersion: asked ?? HANDSHAKE_VERSIONS[0], serverInfo: SERVER_INFO };
}

/** Every result says that it is whole and by whom; lists say how long they hold. */
function asModern(method: string, answer: JsonObject): JsonObject {
  const { result } = answer;
  if (!isJsonObject(result)) return answer;
  const { _meta } = result;
  const meta = { ...(isJsonObject(_meta) ? _meta : {}), [META_KEYS.server]: SERVER_INFO };
  const isKept = /\/list$|^server\/|^resources\/read$/.test(method);
  return { ...answer, result: { resultType: 'complete', ...(isKept ? CACHE : {}), ...result, _meta: meta } };
}

async function callOf(exchange: Exchange, { id, params }: Request): Promise<JsonObject> {
  const found = exchange.tools.find(({ tool }) => tool.name === params['name']);
  if (!found) return rpcError(id, RPC_ERRORS.invalidParams, 'There is no such tool, or the key may not use it.');
  const { arguments: given = {} } = params;
  if (!isJsonObject(given)) return rpcError(id, RPC_ERRORS.invalidParams, 'The arguments are an object.');
  const { deps, caller } = exchange;
  return rpcResult(id, await counted(exchange, (callRoute) => callTool(deps, caller, callRoute, found.tool, given)));
}

async function readOf(exchange: Exchange, { id, params: { uri } }: Request): Promise<JsonObject> {
  const { deps, caller } = exchange;
  const scopes = caller.key?.scopes ?? [];
  const found =
    typeof uri === 'string'
      ? await counted(exchange, (callRoute) => readResource(resourceDeps(deps), scopes, uri, callRoute))
      : null;
  if (found !== null) return rpcResult(id, found);
  return rpcError(id, RPC_ERRORS.invalidParams, 'There is no such resource, or the key may not read it.');
}

async function listenTo({ deps, reply, caller, subscriptions }: Exchange, { id, params }: Request): Promise<null> {
  const mayRead = async (projectId: number): Promise<boolean> => {
    const project = await deps.metadata.projects.get(projectId);
    return project !== null && hasAccessStill(deps, caller, project, FLAG_SCOPES);
  };
  await subscriptions.listen({ id, keyId: caller.key?.id ?? '', params, reply, mayRead });
  return null;
}

const resourceDeps = (deps: McpDeps) => ({
  guides: deps.guides(),
  findFlagId: (projectId: number, key: string) => findFlagId(deps, projectId, key),
  newId: () => deps.ids.token(''),
});

/** Counts for the limit of calls; what it does is by this client, for the audit log. */
async function counted<T>(
  { app, request, reply, caller, calls, client }: Exchange,
  work: (callRoute: CallRoute) => Promise<T>,
): Promise<T> {
  const keyId = caller.key?.id ?? '';
  const wait = calls.secondsUntilAllowed(keyId);
  if (wait > 0) throw throttled(wait);
  calls.record(keyId);
  const name = `mcp ${client ?? request.headers['user-agent'] ?? ''}`.trim().slice(0, MAX_CLIENT_LENGTH);
  const callRoute = routeCaller(app, request, callerSignal(reply));
  return withOrigin({ ...originOf(caller, request.ip), client: name }, () => work(callRoute));
}
