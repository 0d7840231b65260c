/**
 * Lists event and property definitions. A project has hundreds of them, at worst tens of thousands, so all are read and
 * then filtered, sorted and paged here: the order may depend on counts from the event store.
 */
import type { EventDefinition, PropertyDefinition } from '../../stores/metadata/definitions.ts';
import type { Page, Paged } from '../../stores/metadata/page.ts';

export type EventOrder = 'name' | 'volume' | 'usage';

export interface EventDefinitionQuery {
  search: string | undefined;
  order: EventOrder;
  descending: boolean;
  /** Standard names start with `$`; all others are custom. */
  only: 'custom' | 'standard' | undefined;
}

/** By name; missing names count as 0. */
export interface EventCounts {
  volumes: ReadonlyMap<string, number>;
  usage: ReadonlyMap<string, number>;
}

export function listEventDefinitions(
  all: readonly EventDefinition[],
  { volumes, usage }: EventCounts,
  { search, order, descending, only }: EventDefinitionQuery,
  page: Page,
): Paged<EventDefinition> {
  const isMatch = nameMatcher(search);
  const found = all.filter(
    ({ name }) => isMatch(name) && (only === undefined || name.startsWith('$') === (only === 'standard')),
  );
  const sign = descending ? -1 : 1;
  const counts = order === 'volume' ? volumes : usage;
  const countOf = ({ name }: EventDefinition): number => counts.get(name) ?? 0;
  found.sort((a, b) => {
    if (order === 'name') return sign * byText(a.name, b.name);
    return sign * (countOf(a) - countOf(b)) || byText(a.name, b.name);
  });
  return paginate(found, page);
}

/** Every word of the search must be in the name, ignoring case. */
function nameMatcher(search = ''): (name: string) => boolean {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  return (name) => {
    const lower = name.toLowerCase();
    return words.every((word) => lower.includes(word));
  };
}

const byText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

const paginate = <T>(items: readonly T[], { limit, offset }: Page): Paged<T> => ({
  count: items.length,
  items: items.slice(offset, offset + limit),
});

export interface PropertyDefinitionQuery {
  search: string | undefined;
  names: readonly string[] | undefined;
  excluded: readonly string[];
  numerical: boolean | undefined;
  /** True: only `$feature/…`; false: none of them. */
  flags: boolean | undefined;
  /** Properties seen on the requested events, if any were requested. */
  seen: ReadonlySet<string> | undefined;
  onlySeen: boolean;
}

interface ListedPropertyDefinition extends PropertyDefinition {
  isSeen: boolean | null;
}

/** Internal to the API or useless in filters: never listed. */
const HIDDEN_PROPERTIES = new Set([
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
]);

export function listPropertyDefinitions(
  all: readonly PropertyDefinition[],
  usage: ReadonlyMap<string, number>,
  query: PropertyDefinitionQuery,
  page: Page,
): Paged<ListedPropertyDefinition> {
  const isMatch = nameMatcher(query.search);
  const found = all
    .map((definition) => ({ ...definition, isSeen: query.seen ? query.seen.has(definition.name) : null }))
    .filter(({ name, propertyType, isSeen }) => {
      if (HIDDEN_PROPERTIES.has(name) || query.excluded.includes(name) || !isMatch(name)) return false;
      if (query.names && !query.names.includes(name)) return false;
      if (query.numerical !== undefined && (propertyType === 'Numeric') !== query.numerical) return false;
      if (query.flags !== undefined && name.startsWith('$feature/') !== query.flags) return false;
      return !query.onlySeen || isSeen !== false;
    });
  const usageOf = ({ name }: PropertyDefinition): number => usage.get(name) ?? 0;
  found.sort((a, b) => Number(b.isSeen) - Number(a.isSeen) || usageOf(b) - usageOf(a) || byText(a.name, b.name));
  return paginate(found, page);
}
