/**
 * How a private route is declared: one object with its schemas, its access rule and a short handler. The OpenAPI document
 * is generated from the same declarations.
 */
import type { Static, TSchema } from '@sinclair/typebox';
import type { FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods } from 'fastify';
import { type Caller, requireKeyScopes, requireLevel } from '../../access/callers.ts';
import { originOf, withOrigin } from '../../access/request-origin.ts';
import { type Resource, requireEditor } from '../../access/resources.ts';
import { forbidden } from '../../core/errors.ts';
import { type RouteScope, requiredScopes } from '../../core/scopes.ts';
import type { MembershipLevel, Organization, Project } from '../../stores/metadata/accounts.ts';
import { type Query, requestUrl } from '../paging.ts';
import {
  callerFromBody,
  callerFromHeaders,
  organizationFromPath,
  projectByToken,
  projectFromPath,
} from './authenticate.ts';
import type { RouteDeps } from './route-deps.ts';

export interface RouteContext<Body> {
  caller: Caller;
  body: Body;
  query: Query;
  params: Readonly<Record<string, string>>;
  /** The URL of this request as the caller sees it; links are built from it. */
  url: URL;
  request: FastifyRequest;
  reply: FastifyReply;
}

interface RouteDeclaration<B extends TSchema, C> {
  method: HTTPMethods;
  url: string;
  /**
   * The name of the collection before projects were part of the path: with `person`, the same route is also at
   * /api/person/…, for the project of the request's project key, else the caller's current one.
   */
  legacy?: string;
  /** Not in the OpenAPI document, such as a method that is only there to explain why it is refused. */
  hidden?: boolean;
  summary: string;
  tag: string;
  /** What a personal key needs: kinds of objects, which it reads or writes by the method. */
  scope: RouteScope;
  /** The handler keeps to what a key is limited to; other routes refuse one if it is not their path that says where. */
  limitsItself?: boolean;
  body?: B;
  /** Query parameters for the OpenAPI document: name → description. They are read leniently. */
  query?: Readonly<Record<string, string>>;
  /** Of the body, where it is an upload; otherwise `MAX_API_BODY_BYTES`. */
  maxBodyBytes?: number;
  /** Minimum level in the organization; any member when absent. */
  level?: MembershipLevel;
  /** What it changes of the project: members for whom one of these is read-only are refused. */
  edits?: readonly Resource[];
  /** True: a query with a body. All other requests but GET change the project, so its cached results are dropped. */
  readOnly?: boolean;
  /** Also for a session without the second factor that an organization requires: to set one up. */
  beforeFactor?: boolean;
  /** The route is about the project itself, rather than something in it: clients know the messages of both. */
  itself?: boolean;
  /** On success; 200 when absent. 204 has no body. */
  status?: 200 | 201 | 204;
  response?: TSchema;
  handler(context: C): Promise<unknown>;
}

declare module 'fastify' {
  interface FastifyRequest {
    caller: Caller | null;
    project: Project | null;
    organization: Organization | null;
  }
}

/** A route for any signed-in caller. */
export function userRoute<B extends TSchema>(
  app: FastifyInstance,
  deps: RouteDeps,
  declaration: RouteDeclaration<B, RouteContext<Static<B>>>,
): void {
  declare(app, deps, declaration, (context) => declaration.handler(context as RouteContext<Static<B>>));
}

/** A route below `:project_id`, for members of the project's organization. */
export function projectRoute<B extends TSchema>(
  app: FastifyInstance,
  deps: RouteDeps,
  declaration: RouteDeclaration<B, RouteContext<Static<B>> & { project: Project }>,
): void {
  const run = (context: RouteContext<unknown>): Promise<unknown> => {
    const project = present(context.request.project);
    return declaration.handler({ ...(context as RouteContext<Static<B>>), project });
  };
  declare(app, deps, declaration, run);
  const { legacy, url } = declaration;
  if (legacy !== undefined) declare(app, deps, { ...declaration, url: legacyUrl(url, legacy), isLegacy: true }, run);
}

/** /api/projects/:project_id/persons.csv → /api/person.csv */
const legacyUrl = (url: string, name: string): string =>
  url.replace(/^\/api\/projects\/:project_id\/[a-z_]+/, `/api/${name}`);

/** A route below `:organization_id`, for its members. */
export function organizationRoute<B extends TSchema>(
  app: FastifyInstance,
  deps: RouteDeps,
  declaration: RouteDeclaration<B, RouteContext<Static<B>> & { organization: Organization }>,
): void {
  declare(app, deps, declaration, (context) => {
    const organization = present(context.request.organization);
    return declaration.handler({ ...(context as RouteContext<Static<B>>), organization });
  });
}

type Declared<B extends TSchema, C> = RouteDeclaration<B, C> & { isLegacy?: boolean };

function declare<B extends TSchema, C>(
  app: FastifyInstance,
  deps: RouteDeps,
  declaration: Declared<B, C>,
  run: (context: RouteContext<unknown>) => Promise<unknown>,
): void {
  const { method, url, status = 200, maxBodyBytes } = declaration;
  const scopes = scopesOf(declaration);
  app.route({
    method,
    url,
    ...(maxBodyBytes === undefined ? {} : { bodyLimit: maxBodyBytes }),
    schema: document(declaration),
    onRequest: async (request, reply) => {
      request.caller = await callerFromHeaders(deps, request, { beforeFactor: declaration.beforeFactor });
      countRequest(deps, request, reply);
    },
    preValidation: async (request, reply) => {
      if (request.caller === null) {
        request.caller = await callerFromBody(deps, request);
        countRequest(deps, request, reply);
      }
      await authorize(deps, request, request.caller, declaration, scopes);
    },
    handler: async (request, reply) => {
      const caller = present(request.caller);
      const context = {
        caller,
        body: request.body,
        query: request.query as Query,
        params: request.params as Record<string, string>,
        url: requestUrl(request, deps.config.publicUrl),
        request,
        reply,
      };
      const answer = await withOrigin(originOf(caller, request.ip), () => run(context));
      if (declaration.readOnly !== true && request.method !== 'GET' && request.project !== null) {
        deps.results.invalidate(request.project.id);
      }
      // A handler that has sent the answer itself, such as a stream, returns the reply.
      if (reply.sent || answer === reply) return reply;
      return reply.code(status).send(status === 204 ? undefined : answer);
    },
  });
}

function countRequest({ keyRate }: RouteDeps, { caller }: FastifyRequest, reply: FastifyReply): void {
  if (caller?.key) keyRate.count(caller.key.id, reply);
}

/** Whoever declares a route in plain JavaScript, or by a cast, notices at the start of the server. */
function scopesOf({ method, url, scope, readOnly }: Pick<Declared<TSchema, never>, (typeof SCOPE_FIELDS)[number]>) {
  if (scope === undefined) throw new Error(`The route ${String(method)} ${url} declares no scope.`);
  return requiredScopes(scope, method === 'GET' || readOnly === true ? 'read' : 'write');
}
const SCOPE_FIELDS = ['method', 'url', 'scope', 'readOnly'] as const;

type AccessRules = Pick<Declared<TSchema, never>, 'level' | 'edits' | 'itself' | 'isLegacy' | 'limitsItself'>;

async function authorize(
  deps: RouteDeps,
  request: FastifyRequest,
  caller: Caller,
  { level, edits, itself, isLegacy, limitsItself }: AccessRules,
  scopes: readonly string[],
): Promise<void> {
  requireKeyScopes(caller, scopes);
  const { project_id, organization_id } = request.params as Record<string, string>;
  const projectId = isLegacy ? '@current' : project_id;
  if (projectId !== undefined) {
    const named = await projectByToken(deps, request);
    request.project = await projectFromPath(deps, caller, projectId, named, itself);
  } else if (limitsItself !== true) refuseLimitedKey(caller, organization_id !== undefined);
  if (organization_id !== undefined) request.organization = await organizationFromPath(deps, caller, organization_id);
  const organizationId = request.organization?.id ?? request.project?.organizationId;
  if (organizationId === undefined) return;
  if (level !== undefined) requireLevel(caller, organizationId, level);
  if (edits !== undefined) await requireEditor(deps.metadata, caller, organizationId, edits);
}

/** PostHog's texts. */
function refuseLimitedKey({ key }: Caller, isOrganization: boolean): void {
  if (key?.organizationIds && !isOrganization)
    throw forbidden('API keys with scoped organizations are only supported on organization-based endpoints.');
  if (!key?.projectIds) return;
  throw forbidden('API keys with scoped projects are only supported on project-based endpoints.');
}

function present<T>(value: T | null): T {
  if (value === null) throw new Error('The route has no project or organization in its path');
  return value;
}

/**
 * For the OpenAPI document; the schema of the body is also used to validate it. That of the response is not given to the
 * framework, which would keep an array with a place for each number up to the status (`withResponse` of openapi.ts).
 */
function document<B extends TSchema, C>(declaration: Declared<B, C>): Record<string, unknown> {
  const { url, summary, tag, body, query = {}, status = 200, response, level, edits } = declaration;
  const { hidden = false, isLegacy = false } = declaration;
  const params = [...url.matchAll(/:(\w+)/g)].map(([, name]) => [name, { type: 'string' }]);
  const parameters = Object.entries(query).map(([name, description]) => [name, { type: 'string', description }]);
  return {
    summary,
    tags: [tag],
    ...(hidden ? { hide: true } : {}),
    ...(isLegacy ? { deprecated: true } : {}),
    security: [{ personalKey: [] }, { session: [] }],
    'x-required-scope': scopesOf(declaration),
    // Also read by the test that tries every route without access.
    ...(level === undefined ? {} : { 'x-least-level': level }),
    ...(edits === undefined ? {} : { 'x-edits': edits }),
    ...(params.length > 0 ? { params: { type: 'object', properties: Object.fromEntries(params) } } : {}),
    ...(parameters.length > 0 ? { querystring: { type: 'object', properties: Object.fromEntries(parameters) } } : {}),
    ...(body ? { body } : {}),
    answer: { status, response },
  };
}
