/** Reads the body of a saved insight: only the fields that were sent. */
import type { Static } from '@sinclair/typebox';
import { type Caller, requireKeyScopes } from '../../../access/callers.ts';
import { Failure, invalid } from '../../../core/errors.ts';
import { isJsonObject, type JsonObject } from '../../../core/json/json.ts';
import { requiredScopes } from '../../../core/scopes.ts';
import type { Project } from '../../../stores/metadata/accounts.ts';
import type { ContextDeps } from '../../insights/api/insight-request.ts';
import { checkSavedInsight } from '../../insights/api/run-query.ts';
import type { SavedInsightChanges } from '../saved-insights.ts';
import type { DashboardApiDeps } from './deps.ts';
import type { SavedInsightWriteSchema } from './saved-insight-schemas.ts';

export async function readSavedInsightBody(
  deps: DashboardApiDeps,
  { caller, project, signal }: { caller: Caller; project: Project; signal: AbortSignal },
  body: Static<typeof SavedInsightWriteSchema>,
): Promise<SavedInsightChanges> {
  const { filters, query } = await readQuestion(deps, { caller, project, signal }, body);
  const changes: { [field in keyof SavedInsightChanges]: SavedInsightChanges[field] | undefined } = {
    name: body.name,
    derivedName: body.derived_name,
    description: body.description === null ? '' : body.description,
    filters,
    query,
    order: body.order,
    deleted: body.deleted,
    saved: body.saved,
    favorited: body.favorited,
    tags: body.tags,
    dashboards: body.dashboards === null ? [] : body.dashboards,
  };
  return Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined));
}

/** Either a statement or filters: whichever is sent replaces the other. */
async function readQuestion(
  deps: DashboardApiDeps,
  { caller, project, signal }: { caller: Caller; project: Project; signal: AbortSignal },
  body: Static<typeof SavedInsightWriteSchema>,
): Promise<Pick<SavedInsightChanges, 'filters' | 'query'>> {
  const { query } = body;
  if (query !== undefined && query !== null) {
    if (!isJsonObject(query)) throw invalid('query', 'query must be an object such as {"kind": "HogQLQuery"}.');
    requireKeyScopes(caller, requiredScopes('query', 'read'));
    return { query: await deps.statements.check(project, query, caller.user.id, signal), filters: {} };
  }
  const filters = body.filters as JsonObject | undefined;
  if (filters === undefined) return query === null ? { query } : {};
  await checkFilters(deps, project, filters);
  // Clients that know no statements send the filters of one back as they are.
  return Object.keys(filters).length === 0 && query === undefined ? { filters } : { filters, query: null };
}

/** Only valid filters are saved; the error names the field. */
async function checkFilters(deps: ContextDeps, project: Project, filters: JsonObject): Promise<void> {
  try {
    await checkSavedInsight(deps, project, filters);
  } catch (error) {
    if (!(error instanceof Failure) || error.kind !== 'invalid') throw error;
    const attr = error.attr === undefined ? 'filters' : `filters__${error.attr}`;
    throw invalid(attr, error.message, error.code);
  }
}
