/** Reads the body of a saved insight: only the fields that were sent. */
import type { Static } from '@sinclair/typebox';
import { Failure, invalid } from '../../../core/errors.ts';
import type { JsonObject } from '../../../core/json/json.ts';
import type { Project } from '../../../stores/metadata/accounts.ts';
import type { ContextDeps } from '../../insights/api/insight-request.ts';
import { checkSavedInsight } from '../../insights/api/run-query.ts';
import type { SavedInsightChanges } from '../saved-insights.ts';
import type { SavedInsightWriteSchema } from './saved-insight-schemas.ts';

export async function readSavedInsightBody(
  deps: ContextDeps,
  project: Project,
  body: Static<typeof SavedInsightWriteSchema>,
): Promise<SavedInsightChanges> {
  if (body.query !== undefined && body.query !== null) {
    throw invalid('query', 'Questions are kept in filters: send what you ask there.');
  }
  const filters = body.filters as JsonObject | undefined;
  if (filters !== undefined) await checkFilters(deps, project, filters);
  const changes: { [field in keyof SavedInsightChanges]: SavedInsightChanges[field] | undefined } = {
    name: body.name,
    derivedName: body.derived_name,
    description: body.description === null ? '' : body.description,
    filters,
    order: body.order,
    deleted: body.deleted,
    saved: body.saved,
    favorited: body.favorited,
    tags: body.tags,
    dashboards: body.dashboards === null ? [] : body.dashboards,
  };
  return Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined));
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
