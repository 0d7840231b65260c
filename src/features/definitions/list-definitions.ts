/**
 * Lists event and property definitions, on the worker thread: counting and searching very many names takes a while. The
 * database chooses the page; only names with a count are sorted here.
 */
import type { MaybePromise } from '../../lib/maybe-async.ts';
import type { QueryDeps } from '../../query/query-deps.ts';
import type {
  EventDefinition,
  EventDefinitionFilter,
  PropertyDefinition,
  PropertyDefinitionFilter,
} from '../../stores/metadata/definitions.ts';
import type { Page, Paged } from '../../stores/metadata/page.ts';
import { countEventsByName } from './event-volumes.ts';

export type EventOrder = 'name' | 'volume' | 'usage';

export interface EventDefinitionQuery extends EventDefinitionFilter {
  order: EventOrder;
  descending: boolean;
}

/** By name; missing names count as 0. */
type Counts = ReadonlyMap<string, number>;

export interface EventCounts {
  volumes: Counts;
  usage: Counts;
}

interface EventDefinitionPage extends Paged<EventDefinition> {
  volumes: Counts;
}

/** Names beyond this are sorted as if they had no count. */
const MAX_SCORES = 10_000;

export async function listEventDefinitions(
  deps: QueryDeps,
  projectId: number,
  { order, descending, ...filter }: EventDefinitionQuery,
  usage: Counts,
  page: Page,
): Promise<EventDefinitionPage> {
  const now = deps.clock.now();
  const scores = await scoresFor(deps, projectId, order, usage, now);
  const found = await deps.metadata.definitions.pageOfEvents(projectId, filter, { scores, descending }, page);
  const names = found.items.map(({ name }) => name);
  return { ...found, volumes: await countEventsByName(deps, projectId, now, names) };
}

function scoresFor(
  deps: QueryDeps,
  projectId: number,
  order: EventOrder,
  usage: Counts,
  now: number,
): MaybePromise<Counts | null> {
  if (order === 'name') return null;
  return order === 'usage' ? highest(usage) : countEventsByName(deps, projectId, now, MAX_SCORES);
}

const highest = (counts: Counts): Counts => new Map([...counts].sort(([, a], [, b]) => b - a).slice(0, MAX_SCORES));

export interface PropertyDefinitionQuery extends Omit<PropertyDefinitionFilter, 'seenOn'> {
  /** Says of each property whether it was seen on one of these events, and lists those first. */
  events: readonly string[] | undefined;
  onlySeen: boolean;
}

interface ListedPropertyDefinition extends PropertyDefinition {
  isSeen: boolean | null;
}

/** Internal to the API or useless in filters: never listed. */
const HIDDEN_PROPERTIES = [
  'distinct_id',
  '$set',
  '$set_once',
  '$initial_referrer',
  '$initial_referring_domain',
  '$groups',
  '$group_type',
  '$group_key',
  '$group_set',
  ...[0, 1, 2, 3, 4].map((index) => `$group_${index}`),
];

/** More than any name is used. */
const SEEN_SCORE = 1e12;

export async function listPropertyDefinitions(
  { metadata: { definitions } }: Pick<QueryDeps, 'metadata'>,
  projectId: number,
  { events, onlySeen, ...filter }: PropertyDefinitionQuery,
  usage: Counts,
  page: Page,
): Promise<Paged<ListedPropertyDefinition>> {
  const limit = MAX_SCORES;
  const seenFirst = events ? await definitions.listPropertyNamesByEvents(projectId, events, { limit }) : [];
  const scores = new Map(highest(usage));
  for (const name of seenFirst) scores.set(name, SEEN_SCORE + (usage.get(name) ?? 0));
  const excluded = [...HIDDEN_PROPERTIES, ...filter.excluded];
  const seenOn = onlySeen ? events : undefined;
  const order = { scores, descending: true };
  const { count, items } = await definitions.pageOfProperties(projectId, { ...filter, excluded, seenOn }, order, page);
  const among = items.map(({ name }) => name);
  const seen = new Set(events ? await definitions.listPropertyNamesByEvents(projectId, events, { among }) : []);
  return { count, items: items.map((item) => ({ ...item, isSeen: events ? seen.has(item.name) : null })) };
}
