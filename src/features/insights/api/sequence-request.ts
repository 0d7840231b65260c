/** Reads requests for insights about journeys: what was sent, and what has to be known of the project to read it. */
import { isJsonObject, type Json, type JsonObject } from '../../../core/json/json.ts';
import { type Query, readPage } from '../../../http/paging.ts';
import { loadActions } from '../../../query/filters/project-actions.ts';
import type { Project } from '../../../stores/metadata/accounts.ts';
import type { Page } from '../../../stores/metadata/page.ts';
import { type QuestionContext, startsAtFirstEvent } from '../rules/context.ts';
import type { PathCleaning } from '../rules/question.ts';
import type { InsightApiDeps } from './deps.ts';
import { fieldText, firstEvent, queryOf } from './insight-request.ts';

type JourneyFields = Readonly<Record<string, unknown>>;

/** What the address and the body say together; the body wins. */
export const journeyFields = (query: Query, body: unknown): JourneyFields => ({
  ...query,
  ...(typeof body === 'object' && body !== null ? body : {}),
});

export async function journeyContext(
  deps: Pick<InsightApiDeps, 'metadata' | 'clock' | 'events' | 'dialect'>,
  project: Project,
  fields: JourneyFields,
): Promise<QuestionContext> {
  const cohorts = await deps.metadata.cohorts.listByProject(project.id);
  return {
    now: deps.clock.now(),
    timezone: project.timezone,
    earliest: wantsFirst(fields) ? await firstEvent(deps, project.id) : null,
    testAccountFilters: project.testAccountFilters,
    action: await loadActions(deps.metadata, project.id),
    pathCleanings: project.pathCleaningFilters.flatMap(readCleaning),
    cohort: (id) => cohorts.find((cohort) => cohort.id === id),
  };
}

/** The funnel of a question for paths has dates of its own. */
const wantsFirst = (fields: JourneyFields): boolean =>
  startsAtFirstEvent(fields) || JSON.stringify(fields['funnel_filter'] ?? '').includes('all');

function readCleaning(given: Json): PathCleaning[] {
  const { regex, alias } = isJsonObject(given) ? given : {};
  return typeof regex === 'string' && typeof alias === 'string' ? [{ pattern: regex, alias }] : [];
}

/** What an endpoint calls the two numbers of a page. */
export interface PageNames {
  limit: string;
  offset: string;
}

export const readPeoplePage = (fields: JourneyFields, { limit, offset }: PageNames): Page =>
  readPage({ limit: fieldText(fields[limit]), offset: fieldText(fields[offset]) });

/** For questions that find no people. */
export const NO_PAGE: Page = { limit: 0, offset: 0 };

/** The address of the people behind a number. */
export const peopleUrl = (projectId: number, path: string, fields: JsonObject): string =>
  `/api/projects/${projectId}/persons/${path}/?${queryOf(fields)}`;
