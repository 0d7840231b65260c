/**
 * Scopes of personal keys, in PostHog's names: `feature_flag:read`, `feature_flag:write`. Writing includes reading, and `*`
 * is everything that the owner of the key may do. A route names the kinds of objects it is about; whether it needs to read
 * or to write them follows from its method.
 */
import { Failure, forbidden } from './errors.ts';

export const SCOPE_OBJECTS = [
  'access_control',
  'action',
  'activity_log',
  'alert',
  'annotation',
  'approvals',
  'batch_export',
  'cohort',
  'dashboard',
  'early_access_feature',
  'event_definition',
  'experiment',
  'feature_flag',
  'group',
  'hog_function',
  'ingestion_warning',
  'insight',
  'organization',
  'organization_member',
  'person',
  'project',
  'property_definition',
  'query',
  'sharing_configuration',
  'subscription',
  'user',
] as const;
export type ScopeObject = (typeof SCOPE_OBJECTS)[number];
type ScopeAction = 'read' | 'write';
type Scope = `${ScopeObject}:${ScopeAction}`;

export const ALL_SCOPES = '*';
export const SCOPES: readonly Scope[] = SCOPE_OBJECTS.flatMap((name) => [`${name}:read`, `${name}:write`] as const);

/** What an assistant has no use for, or should not see. */
const NOT_FOR_ASSISTANTS: readonly ScopeObject[] = [
  'access_control',
  'batch_export',
  'hog_function',
  'organization',
  'organization_member',
  'sharing_configuration',
  'subscription',
  'user',
];
export const ASSISTANT_SCOPES: readonly Scope[] = SCOPE_OBJECTS.filter(
  (name) => !NOT_FOR_ASSISTANTS.includes(name),
).map((name) => `${name}:read` as const);

/** For routes that every key may call, because they are about the key or its owner. */
export const ANY_KEY = 'any key';
/** For what changes who may do what: a session of the console, or a key without any limit. */
export const FULL_KEY = 'full key';
export type RouteScope = ScopeObject | readonly ScopeObject[] | typeof ANY_KEY | typeof FULL_KEY;

/** What a route needs, as the OpenAPI document shows it: scopes, or one of the two special cases. */
export function requiredScopes(scope: RouteScope, action: ScopeAction): readonly string[] {
  if (scope === ANY_KEY) return [];
  if (scope === FULL_KEY) return [ALL_SCOPES];
  const objects = typeof scope === 'string' ? [scope] : scope;
  return objects.map((name) => `${name}:${action}`);
}

/** The first that the key does not have; null if it has all. */
export function missingScope(has: readonly string[], required: readonly string[]): string | null {
  if (has.includes(ALL_SCOPES)) return null;
  const isMissing = (scope: string): boolean =>
    !has.includes(scope) && !(scope.endsWith(':read') && has.includes(scope.replace(/:read$/, ':write')));
  return required.find(isMissing) ?? null;
}

/** Throws unless a key with these scopes may do it. PostHog's clients know the text. */
export function requireScopes(has: readonly string[], required: readonly string[]): void {
  const missing = missingScope(has, required);
  if (missing === null) return;
  throw forbidden(`API key missing required scope '${missing}'`);
}

export const needsFullKey = (): Failure =>
  new Failure(
    'forbidden',
    'A key that is limited cannot do this. Sign in to the console, or use a key with access to everything.',
    { code: 'session_required' },
  );
