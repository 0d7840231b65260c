/** Reads requests for insights: what was sent, and what has to be known of the project to understand it. */
import type { JsonObject } from '../../../core/json/json.ts';
import { type Query, readPage } from '../../../http/paging.ts';
import { loadActions } from '../../../query/filters/project-actions.ts';
import type { Project } from '../../../stores/metadata/accounts.ts';
import type { Page } from '../../../stores/metadata/page.ts';
import { type QuestionContext, startsAtFirstEvent } from '../rules/context.ts';
import type { InsightApiDeps } from './deps.ts';

export type InsightFields = Readonly<Record<string, unknown>>;

/** Of a parameter that is given twice in the address the last one counts; what the body says counts more. */
export function insightFields(query: Query, body: unknown): InsightFields {
  const asked = Object.entries(query).map(([name, value]) => [name, Array.isArray(value) ? value.at(-1) : value]);
  return { ...Object.fromEntries(asked), ...(typeof body === 'object' && body !== null ? body : {}) };
}

export async function insightContext(
  deps: Pick<InsightApiDeps, 'metadata' | 'clock' | 'events' | 'dialect'>,
  project: Project,
  fields: InsightFields,
): Promise<QuestionContext> {
  const asksForCohorts = fields['breakdown_type'] === 'cohort';
  const cohorts = asksForCohorts ? await deps.metadata.cohorts.listByProject(project.id) : [];
  return {
    now: deps.clock.now(),
    timezone: project.timezone,
    earliest: startsAtFirstEvent(fields) ? await firstEvent(deps, project.id) : null,
    testAccountFilters: project.testAccountFilters,
    action: await loadActions(deps.metadata, project.id),
    cohort: (id) => cohorts.find((cohort) => cohort.id === id),
  };
}

/** When the project's first event happened; null where there is none. */
export async function firstEvent(
  { events, dialect }: Pick<InsightApiDeps, 'events' | 'dialect'>,
  projectId: number,
): Promise<number | null> {
  const sql = dialect.newStatement('e');
  const [row] = await events.query(
    `select min(e.timestamp) as first from event_rows e where e.project_id = ${sql.param(projectId)}`,
    sql.values,
  );
  return typeof row?.['first'] === 'number' ? row['first'] : null;
}

/** The page of persons, which may be asked for in the body too. */
export const insightPage = (fields: InsightFields): Page =>
  readPage({ limit: fieldText(fields['limit']), offset: fieldText(fields['offset']) });

/** A field as it would stand in an address; undefined for what could not. */
export const fieldText = (value: unknown): string | undefined =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : undefined;

/** Where the persons behind a number are: an address without its origin, and the fields that it is made of. */
interface PeopleLink {
  url: string;
  filter: JsonObject;
}

export type LinkTo = (path: string, filter: JsonObject) => PeopleLink;

/** Fields as the query of an address: lists and objects as JSON. */
export function queryOf(fields: JsonObject): URLSearchParams {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(fields)) {
    query.set(name, typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value));
  }
  return query;
}

/** In the project itself, not in whichever is the caller's current one: a link leads to those whom the number counts. */
export const linkIn =
  (projectId: number): LinkTo =>
  (path, filter) => ({ url: `api/projects/${projectId}/persons/${path}/?${queryOf(filter)}`, filter });
