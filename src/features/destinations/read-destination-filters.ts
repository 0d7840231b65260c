/** Which events a destination gets: PostHog's `filters`, read like those of insights. */
import type { Entity } from '../../core/actions/entity.ts';
import { invalid } from '../../core/errors.ts';
import type { Filter } from '../../core/filters/property-filter.ts';
import { isJsonObject, type Json, type JsonObject } from '../../core/json/json.ts';
import { loadActions } from '../../query/filters/project-actions.ts';
import type { Project } from '../../stores/metadata/accounts.ts';
import type { MetadataStore } from '../../stores/metadata/metadata-store.ts';
import type { QuestionContext } from '../insights/rules/question.ts';
import { readEntities, requireKnownAction } from '../insights/rules/read-entity.ts';
import { readQuestionFilter } from '../insights/rules/read-filter.ts';

interface DestinationFilter {
  /** An event has to be one of these; none: any event. */
  entities: readonly Entity[];
  filter: Filter;
}

export async function readDestinationFilters(
  metadata: MetadataStore,
  project: Project,
  filters: JsonObject,
  now: number,
): Promise<DestinationFilter> {
  const context: QuestionContext = {
    now,
    timezone: project.timezone,
    earliest: null,
    testAccountFilters: project.testAccountFilters,
    action: await loadActions(metadata, project.id),
    pathCleanings: [],
    cohort: () => undefined,
  };
  return {
    entities: readEntities(filters, context).map(({ entity }) => entity),
    filter: readQuestionFilter(filters, context),
  };
}

const FIELDS = ['events', 'actions', 'properties', 'filter_test_accounts', 'source', 'bytecode', 'bytecode_error'];

/** The fields that are kept; refuses what could not be read later. */
export async function checkFilters(
  metadata: MetadataStore,
  project: Project,
  given: Json | undefined,
  now: number,
): Promise<JsonObject> {
  if (given === undefined || given === null) return {};
  if (!isJsonObject(given)) throw invalid('filters', 'filters is an object with events, actions and properties.');
  const unknown = Object.keys(given).find((name) => !FIELDS.includes(name));
  if (unknown !== undefined)
    throw invalid('filters', `filters has events, actions, properties and filter_test_accounts, not ${unknown}.`);
  if ((given['source'] ?? 'events') !== 'events') throw invalid('filters', 'Only events can be sent.', 'unsupported');
  const { events = [], actions = [], properties = [], filter_test_accounts = false } = given;
  const kept = { events, actions, properties, filter_test_accounts };
  const { entities } = await readDestinationFilters(metadata, project, kept, now);
  for (const entity of entities) requireKnownAction(entity);
  return kept;
}
