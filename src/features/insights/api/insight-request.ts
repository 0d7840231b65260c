/** Reads requests for insights: their fields, and what has to be known about the project to read the question. */
import { isJsonObject, type Json, type JsonObject } from '../../../core/json/json.ts';
import { type Query, readPage } from '../../../http/paging.ts';
import { loadActions } from '../../../query/filters/project-actions.ts';
import type { Project } from '../../../stores/metadata/accounts.ts';
import type { Page } from '../../../stores/metadata/page.ts';
import type { InsightKind, People } from '../kinds.ts';
import type { QuestionFields } from '../rules/fields.ts';
import type { PathCleaning, QuestionContext } from '../rules/question.ts';
import type { InsightApiDeps } from './deps.ts';

/** The parameters of the address and the fields of the body, which take precedence. */
export function insightFields(
  query: Query,
  body: unknown,
  { repeated }: Pick<InsightKind, 'repeated'>,
): QuestionFields {
  const last = (value: Query[string]) => (Array.isArray(value) ? value.at(-1) : value);
  const parameters = Object.entries(query).map(([name, value]) => [name, repeated === 'last' ? last(value) : value]);
  return { ...Object.fromEntries(parameters), ...(typeof body === 'object' && body !== null ? body : {}) };
}

export type ContextDeps = Pick<InsightApiDeps, 'metadata' | 'clock' | 'events' | 'dialect'>;

export async function questionContext(
  deps: ContextDeps,
  project: Project,
  fields: QuestionFields,
): Promise<QuestionContext> {
  // Names of cohorts are only needed for breakdowns, which may be JSON text or part of a funnel inside the question.
  const mayNameCohorts = JSON.stringify(fields).includes('cohort');
  const cohorts = mayNameCohorts ? await deps.metadata.cohorts.listByProject(project.id) : [];
  return {
    now: deps.clock.now(),
    timezone: project.timezone,
    earliest: startsAtFirstEvent(fields) ? await firstEvent(deps, project.id) : null,
    testAccountFilters: project.testAccountFilters,
    action: await loadActions(deps.metadata, project.id),
    pathCleanings: project.pathCleaningFilters.flatMap(readCleaning),
    cohort: (id) => cohorts.find((cohort) => cohort.id === id),
  };
}

/** `date_from=all`; the funnel of a question for paths may have dates of its own. */
const startsAtFirstEvent = (fields: QuestionFields): boolean =>
  fields['date_from'] === 'all' || JSON.stringify(fields['funnel_filter'] ?? '').includes('all');

async function firstEvent({ events, dialect }: ContextDeps, projectId: number): Promise<number | null> {
  const sql = dialect.newStatement('e');
  const [row] = await events.query(
    `select min(e.timestamp) as first from event_rows e where e.project_id = ${sql.param(projectId)}`,
    sql.values,
  );
  return typeof row?.['first'] === 'number' ? row['first'] : null;
}

function readCleaning(given: Json): PathCleaning[] {
  const { regex, alias } = isJsonObject(given) ? given : {};
  return typeof regex === 'string' && typeof alias === 'string' ? [{ pattern: regex, alias }] : [];
}

/** The page may be in the body too. */
export const readInsightPage = (fields: QuestionFields, { limit, offset }: People['page']): Page =>
  readPage({ limit: fieldText(fields[limit]), offset: fieldText(fields[offset]) });

/** A field as it would be in an address; undefined for lists and objects. */
export const fieldText = (value: unknown): string | undefined =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : undefined;

/** Names the project, so that the link does not depend on the caller's current one. */
export function peopleUrl(projectId: number, { path, hasLeadingSlash }: People, fields: JsonObject): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(fields)) {
    query.set(name, typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value));
  }
  return `${hasLeadingSlash ? '/' : ''}api/projects/${projectId}/persons/${path}/?${query}`;
}
