/**
 * What every private route checks first: who the caller is, which project or organization is meant, and whether the caller
 * has access. Then the body is validated, then the handler runs.
 */
import type { FastifyRequest } from 'fastify';
import {
  type Caller,
  callerByKey,
  callerBySession,
  currentOrganizationId,
  currentProject,
  hasProject,
  levelIn,
  refuseWithoutFactor,
} from '../../access/callers.ts';
import { Failure, invalid, notFound } from '../../core/errors.ts';
import type { Organization, Project } from '../../stores/metadata/accounts.ts';
import { type Query, queryText } from '../paging.ts';
import type { RouteDeps } from './route-deps.ts';
import { requireSameOrigin } from './same-origin.ts';
import { sessionCookie } from './session-cookie.ts';

/** By a key in the header or a session cookie, before the body is read. Null: the body may have a key. */
export async function callerFromHeaders(
  deps: RouteDeps,
  request: FastifyRequest,
  { beforeFactor = false }: { beforeFactor?: boolean | undefined } = {},
): Promise<Caller | null> {
  const header = /^Bearer\s+(\S+)\s*$/i.exec(request.headers.authorization ?? '')?.[1];
  if (header !== undefined) return callerByKey(deps, header, 'Authorization header', request.ip);
  const cookie = sessionCookie(request, deps.config.publicUrl);
  const caller = cookie === undefined ? null : await callerBySession(deps, cookie);
  if (caller) requireSameOrigin(request, deps.config.publicUrl);
  if (!beforeFactor) refuseWithoutFactor(caller);
  return caller;
}

/** By a key in the body or in the query. */
export async function callerFromBody(deps: RouteDeps, request: FastifyRequest): Promise<Caller> {
  const inBody = (request.body as { personal_api_key?: unknown } | null | undefined)?.personal_api_key;
  if (typeof inBody === 'string' && inBody !== '') return callerByKey(deps, inBody, 'body', request.ip);
  const inQuery = queryText(request.query as Query, 'personal_api_key');
  if (inQuery !== undefined && inQuery !== '') return callerByKey(deps, inQuery, 'query string', request.ip);
  throw new Failure('unauthenticated', 'Authentication credentials were not provided.', { code: 'not_authenticated' });
}

/**
 * By a project key in the request, `token` or `api_key` in query or body: old clients of the paths without a project have
 * nothing else to name it. It must agree with the path, if that names a project.
 */
export async function projectByToken(deps: RouteDeps, request: FastifyRequest): Promise<Project | null> {
  const body = (request.body ?? {}) as { token?: unknown; api_key?: unknown };
  const query = request.query as Query;
  const given = [queryText(query, 'token'), queryText(query, 'api_key'), body.token, body.api_key];
  const [token, ...others] = new Set(given.filter((value) => typeof value === 'string' && value !== ''));
  if (typeof token !== 'string') return null;
  if (others.length > 0) throw otherProject();
  const project = await deps.metadata.projects.getByApiToken(token);
  if (!project) throw new Failure('unauthenticated', 'Incorrect authentication credentials.');
  return project;
}

/** Whose project it is, is not told. */
const otherProject = (): Failure =>
  invalid('token', 'The project key in the request does not belong to the project in the path.', 'invalid_project');

const INTEGER = /^\d{1,15}$/;

/** 404 also for a project of another organization: callers must not learn which projects exist. */
export async function projectFromPath(
  deps: RouteDeps,
  caller: Caller,
  id: string,
  named: Project | null,
  itself = false,
): Promise<Project> {
  if (named === null && id === '@current') return currentProject(deps.metadata, caller);
  if (named !== null && id !== '@current' && String(named.id) !== id) throw otherProject();
  const project = named ?? (INTEGER.test(id) ? await deps.metadata.projects.get(Number(id)) : null);
  if (!project || !hasProject(caller, project)) {
    throw itself ? notFound() : notFound('Project not found.');
  }
  return project;
}

/** 404 also for an organization that the caller is not a member of. */
export async function organizationFromPath(deps: RouteDeps, caller: Caller, id: string): Promise<Organization> {
  const wanted = id === '@current' ? currentOrganizationId(caller) : id.toLowerCase();
  const organization = levelIn(caller, wanted) === null ? null : await deps.metadata.organizations.get(wanted);
  if (!organization) throw notFound('Organization not found.');
  return organization;
}
