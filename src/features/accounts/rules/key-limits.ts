/** What may be asked for when a personal key is made or changed. */

import { invalid } from '../../../core/errors.ts';
import { ALL_SCOPES, SCOPE_OBJECTS, SCOPES } from '../../../core/scopes.ts';
import { DAY_MS } from '../../../core/time/units.ts';

export interface KeyLimits {
  scopes: readonly string[];
  /** Empty: all. */
  projectIds: readonly number[];
  /** Empty: all. */
  organizationIds: readonly string[];
  /** Null: never. */
  expiresAt: number | null;
}

export const NO_LIMITS: KeyLimits = { scopes: [ALL_SCOPES], projectIds: [], organizationIds: [], expiresAt: null };

const MAX_LIFETIME_MS = 10 * 365 * DAY_MS;

/** Throws if the limits contradict each other or cannot be; without duplicates. */
export function checkedLimits(limits: KeyLimits, now: number): KeyLimits {
  const { scopes, projectIds, organizationIds, expiresAt } = limits;
  if (scopes.length === 0)
    throw invalid('scopes', `Choose at least one scope, or ${ALL_SCOPES} for everything.`, 'required');
  for (const scope of scopes) checkScope(scope);
  if (projectIds.length > 0 && organizationIds.length > 0)
    throw invalid('scoped_organizations', 'Limit a key to projects or to organizations, not to both.');
  if (expiresAt !== null && (expiresAt <= now || expiresAt > now + MAX_LIFETIME_MS))
    throw invalid('expires_at', 'The end of a key has to be in the future, within ten years.');
  return {
    scopes: [...new Set(scopes)],
    projectIds: [...new Set(projectIds)],
    organizationIds: [...new Set(organizationIds)],
    expiresAt,
  };
}

function checkScope(scope: string): void {
  if (scope === ALL_SCOPES || (SCOPES as readonly string[]).includes(scope)) return;
  throw invalid(
    'scopes',
    `There is no scope ${JSON.stringify(scope.slice(0, 100))}. Did you mean ${nearestScope(scope)}? A scope is ${ALL_SCOPES}, or one of ` +
      `${SCOPE_OBJECTS.join(', ')} with :read or :write after it.`,
  );
}

/** The one that shares most pairs of letters with it. */
function nearestScope(given: string): string {
  const pairs = (text: string): string[] => [...text].map((letter, i) => letter + (text[i + 1] ?? ''));
  const wanted = new Set(pairs(given.toLowerCase().slice(0, 100)));
  const likeness = (scope: string): number => {
    const own = pairs(scope);
    return (2 * own.filter((pair) => wanted.has(pair)).length) / (own.length + wanted.size);
  };
  return SCOPES.reduce((best, scope) => (likeness(scope) > likeness(best) ? scope : best));
}
