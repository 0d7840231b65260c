/**
 * Who may read the flag definitions of a project: a caller with a personal key or a session, or whoever has the project's
 * secret key, so that a server that polls does not need the key of a person.
 */
import type { FastifyRequest } from 'fastify';
import { type Caller, hasAccessStill, requireKeyScopes } from '../../../access/callers.ts';
import { Failure, forbidden } from '../../../core/errors.ts';
import { requiredScopes } from '../../../core/scopes.ts';
import { callerFromBody, callerFromHeaders, projectByToken, projectFromPath } from '../../../http/api/authenticate.ts';
import { digest } from '../../../lib/secrets.ts';
import type { Project } from '../../../stores/metadata/accounts.ts';
import type { StreamCredential } from '../streams/flag-stream.ts';
import type { FlagRouteDeps } from './deps.ts';

export const DEFINITION_SCOPES = requiredScopes('feature_flag', 'read');

export interface DefinitionsAccess {
  project: Project;
  credential: StreamCredential;
}

export async function definitionsAccess(deps: FlagRouteDeps, request: FastifyRequest): Promise<DefinitionsAccess> {
  const secret = /^Bearer\s+(phs_\S+)\s*$/i.exec(request.headers.authorization ?? '')?.[1];
  if (secret !== undefined) return accessBySecret(deps, request, secret);
  const caller = (await callerFromHeaders(deps, request)) ?? (await callerFromBody(deps, request));
  requireKeyScopes(caller, DEFINITION_SCOPES);
  const named = await projectByToken(deps, request);
  const project = await projectFromPath(deps, caller, idInPath(request) ?? '@current', named);
  const isValid = (): Promise<boolean> => hasAccessStill(deps, caller, project, DEFINITION_SCOPES);
  return { project, credential: { id: idOf(caller), isValid } };
}

const idOf = ({ key, session }: Caller): string => key?.id ?? session?.hash ?? '';

/** The key decides the project; a project in the path or query must be the same one. */
async function accessBySecret(
  deps: FlagRouteDeps,
  request: FastifyRequest,
  secret: string,
): Promise<DefinitionsAccess> {
  const hash = digest(secret);
  const find = (): Promise<Project | null> => deps.metadata.projects.getBySecretHash(hash);
  const project = await deps.keys.lookUp(secret, request.ip, find);
  if (!project) throw new Failure('unauthenticated', 'Secret API token is invalid.');
  const id = idInPath(request) ?? '@current';
  const named = await projectByToken(deps, request);
  if ((id !== '@current' && id !== String(project.id)) || (named !== null && named.id !== project.id)) {
    throw forbidden("You don't have access to the project.");
  }
  return { project, credential: { id: hash, isValid: async () => (await find())?.id === project.id } };
}

const idInPath = (request: FastifyRequest): string | undefined =>
  (request.params as { project_id?: string }).project_id;
