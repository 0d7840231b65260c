import { Type } from '@sinclair/typebox';
import { parseElements } from '../../../core/events/parse-elements.ts';
import { parseExact } from '../../../core/json/exact-json.ts';
import type { JsonObject } from '../../../core/json/json.ts';
import { withImplicitUpdates } from '../../../core/persons/person-update.ts';
import { FORMAT_QUERY } from '../../../http/format.ts';
import { isoOffset, nullable, Uuid } from '../../../http/schemas/common.ts';
import type { EventPerson } from '../../../stores/metadata/event-records.ts';
import type { FoundEvent } from '../list-events.ts';

const FreeMap = Type.Record(Type.String(), Type.Unknown());

const ElementSchema = Type.Object({
  event: Type.Null(),
  text: nullable(Type.String()),
  tag_name: nullable(Type.String()),
  attr_class: nullable(Type.Array(Type.String())),
  href: nullable(Type.String()),
  attr_id: nullable(Type.String()),
  nth_child: nullable(Type.Integer()),
  nth_of_type: nullable(Type.Integer()),
  attributes: Type.Record(Type.String(), Type.String(), { description: 'Other attributes: `attr__class` and so on.' }),
  order: Type.Integer({ description: '0: the innermost.' }),
});

export const EventSchema = Type.Object({
  id: Uuid,
  distinct_id: Type.String(),
  properties: FreeMap,
  event: Type.String(),
  timestamp: Type.String({ format: 'date-time' }),
  person: nullable(
    Type.Object({
      is_identified: Type.Boolean(),
      distinct_ids: Type.Array(Type.String()),
      properties: FreeMap,
    }),
  ),
  elements: Type.Array(ElementSchema),
  elements_chain: Type.String(),
});

export const EventListSchema = Type.Object({
  next: nullable(Type.String({ format: 'uri' })),
  results: Type.Array(EventSchema),
});

export const EVENT_QUERY = {
  event: 'Only events of this name.',
  distinct_id: 'Only events that were sent with this distinct id.',
  person_id: 'Only events of this person: its number or UUID.',
  action_id: 'Only events that fit a step of this action.',
  before: 'Only events before this moment: ISO 8601, or how long ago (`5d`, `2h`).',
  after: 'Only events after this moment.',
  properties:
    'Property filters as JSON: a list, one filter, a group `{type, values}`, or an object `{key__operator: value}`. If repeated, all apply. Filters of type `hogql` have an expression as key.',
  orderBy: 'JSON list: `["-timestamp"]` (the default) or `["timestamp"]`.',
  limit: 'How many to show: 100 unless given, 1000 at the most; as CSV 3500 unless given, 100000 at the most.',
  offset: 'How many to pass over.',
  ...FORMAT_QUERY,
} as const;

export const ValuesSchema = Type.Array(Type.Object({ name: Type.String() }));

/** What of a person travels with an event: enough to call them by name. */
export const SHOWN_PERSON_PROPERTIES = ['email', 'name', 'username'];

const presentEventPerson = ({ isIdentified, firstDistinctId, properties }: EventPerson) => ({
  is_identified: isIdentified,
  distinct_ids: firstDistinctId === null ? [] : [firstDistinctId],
  properties: Object.fromEntries(Object.entries(properties).filter(([, value]) => value !== null)),
});

export const presentEvent = (event: FoundEvent, persons: ReadonlyMap<string, EventPerson>) => {
  const person = persons.get(event.personId);
  return {
    id: event.uuid,
    distinct_id: event.distinctId,
    properties: withImplicitUpdates({ event: event.event, properties: parseExact(event.properties) as JsonObject }),
    event: event.event,
    timestamp: isoOffset(event.timestamp),
    person: person ? presentEventPerson(person) : null,
    elements: parseElements(event.elementsChain),
    elements_chain: event.elementsChain,
  };
};
