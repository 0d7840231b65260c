/**
 * The lists of event and property definitions. A project has hundreds of names, at worst some ten thousands: they are
 * read whole, then searched, ordered and cut here, because the order may depend on counts from the event store.
 */
import type { EventDefinition, PropertyDefinition } from '../../stores/metadata/definitions.ts';
import type { Page, Paged } from '../../stores/metadata/page.ts';

export type EventOrder = 'name' | 'volume' | 'usage';

export interface EventDefinitionQuery {
  search: string | undefined;
  order: EventOrder;
  descending: boolean;
  /** Names that SDKs give begin with `$`; custom ones are all others. */
  only: 'custom' | 'standard' | undefined;
}

/** By name; a name that is missing has none. */
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
  const fits = nameMatcher(search);
  const found = all.filter(
    ({ name }) => fits(name) && (only === undefined || name.startsWith('$') === (only === 'standard')),
  );
  const sign = descending ? -1 : 1;
  const numbers = order === 'volume' ? volumes : usage;
  const numberOf = ({ name }: EventDefinition): number => numbers.get(name) ?? 0;
  found.sort((a, b) => {
    if (order === 'name') return sign * byText(a.name, b.name);
    return sign * (numberOf(a) - numberOf(b)) || byText(a.name, b.name);
  });
  return paginate(found, page);
}

/** Every word of the search must be in the name, whatever its case. */
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
  /** Properties seen on the events in question, where some are in question. */
  seen: ReadonlySet<string> | undefined;
  onlySeen: boolean;
}

interface ListedPropertyDefinition extends PropertyDefinition {
  isSeen: boolean | null;
}

/** Part of the wire, or of no use in a filter: never listed. */
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
  const fits = nameMatcher(query.search);
  const found = all
    .map((definition) => ({ ...definition, isSeen: query.seen ? query.seen.has(definition.name) : null }))
    .filter(({ name, propertyType, isSeen }) => {
      if (HIDDEN_PROPERTIES.has(name) || query.excluded.includes(name) || !fits(name)) return false;
      if (query.names && !query.names.includes(name)) return false;
      if (query.numerical !== undefined && (propertyType === 'Numeric') !== query.numerical) return false;
      if (query.flags !== undefined && name.startsWith('$feature/') !== query.flags) return false;
      return !query.onlySeen || isSeen !== false;
    });
  const usageOf = ({ name }: PropertyDefinition): number => usage.get(name) ?? 0;
  found.sort((a, b) => Number(b.isSeen) - Number(a.isSeen) || usageOf(b) - usageOf(a) || byText(a.name, b.name));
  return paginate(found, page);
}
