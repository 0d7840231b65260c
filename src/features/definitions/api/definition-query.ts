/** Parses the query parameters of definition lists. */

import { type Failure, invalid } from '../../../core/errors.ts';
import { type Query, queryText, readStringList } from '../../../http/paging.ts';
import type { PropertyKindQuery } from '../../../stores/metadata/definitions.ts';
import type { EventDefinitionQuery, EventOrder, PropertyDefinitionQuery } from '../list-definitions.ts';

const MAX_WORDS = 20;

const ORDERS: Readonly<Record<string, EventOrder>> = {
  name: 'name',
  volume_30_day: 'volume',
  query_usage_30_day: 'usage',
};

const KINDS: Readonly<Record<string, EventDefinitionQuery['only']>> = {
  event: undefined,
  all: undefined,
  action_event: undefined,
  event_custom: 'custom',
  event_posthog: 'standard',
};

const wordsOf = (query: Query): string[] =>
  (queryText(query, 'search') ?? '').split(/\s+/).filter(Boolean).slice(0, MAX_WORDS);

export function readEventDefinitionQuery(query: Query): EventDefinitionQuery {
  const ordering = queryText(query, 'ordering') ?? '';
  const order = ORDERS[ordering.replace(/^-/, '')];
  const type = queryText(query, 'event_type') || 'event';
  if (!Object.hasOwn(KINDS, type)) throw notAChoice('event_type', type);
  return {
    words: wordsOf(query),
    // Unknown orderings fall back to the default: most frequent first.
    order: order ?? 'volume',
    descending: order === undefined || ordering.startsWith('-'),
    only: KINDS[type],
  };
}

const notAChoice = (attr: string, value: string): Failure =>
  invalid(attr, `"${value.slice(0, 100)}" is not a valid choice.`, 'invalid_choice');

export function readPropertyKind(query: Query): PropertyKindQuery {
  const kind = queryText(query, 'type') || 'event';
  const index = queryText(query, 'group_type_index') ?? '';
  if (kind !== 'event' && kind !== 'person' && kind !== 'group') throw notAChoice('type', kind);
  if (kind !== 'event' && queryText(query, 'event_names'))
    throw invalid('event_names', `event_names is for type=event: properties of a ${kind} are not seen on events.`);
  if (kind !== 'group') {
    if (index !== '') throw invalid('group_type_index', `group_type_index is for type=group, not type=${kind}.`);
    return { kind, groupTypeIndex: -1 };
  }
  if (!/^[0-4]$/.test(index)) throw invalid('group_type_index', 'Group properties need a group_type_index of 0 to 4.');
  return { kind, groupTypeIndex: Number(index) };
}

export function readPropertyDefinitionQuery(query: Query): Omit<PropertyDefinitionQuery, keyof PropertyKindQuery> {
  const properties = queryText(query, 'properties');
  return {
    words: wordsOf(query),
    names: properties ? properties.split(',').map((name) => name.trim()) : undefined,
    excluded: readStringList(query, 'excluded_properties') ?? [],
    numerical: readFlag(query, 'is_numerical'),
    flags: readFlag(query, 'is_feature_flag'),
    events: readStringList(query, 'event_names'),
    onlySeen: readFlag(query, 'filter_by_event_names') === true,
  };
}

function readFlag(query: Query, name: string): boolean | undefined {
  const text = queryText(query, name)?.toLowerCase();
  if (text === 'true' || text === '1') return true;
  return text === 'false' || text === '0' ? false : undefined;
}

/** UUIDs are stored in lower case. */
export const readDefinitionId = (text = ''): string => text.toLowerCase();
