import type { Entity } from '../../../core/actions/entity.ts';
import { invalid } from '../../../core/errors.ts';
import type { Filter } from '../../../core/filters/property-filter.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../core/json/json.ts';
import { parseId } from '../../../core/parse-id.ts';
import { type QuestionFields, readListField, readTextField } from './fields.ts';
import type { QuestionContext } from './question.ts';
import { readFilter } from './read-filter.ts';

/** An event or action as it was sent. */
export interface ListedEntity {
  entity: Entity;
  given: JsonObject;
  order: number;
}

const MAX_SERIES = 100;

/** Sorted by `order`; actions come before events with the same order. */
export function readEntities(fields: QuestionFields, context: QuestionContext): ListedEntity[] {
  const listed = [...readEntitiesOf(fields, 'actions', context), ...readEntitiesOf(fields, 'events', context)];
  if (listed.length > MAX_SERIES) throw invalid('events', `A question has at most ${MAX_SERIES} series.`);
  return listed.sort((a, b) => a.order - b.order);
}

function readEntitiesOf(fields: QuestionFields, name: 'actions' | 'events', context: QuestionContext): ListedEntity[] {
  return (readListField(fields, name) ?? []).map((item) => {
    const given = isJsonObject(item) ? item : { id: item };
    const { order } = given;
    const position = typeof order === 'string' ? Number(order) : order;
    return {
      entity: readEntity({ ...given, type: name }, name, context),
      given,
      order: typeof position === 'number' && Number.isFinite(position) ? position : 0,
    };
  });
}

/** `{id, type, name?, custom_name?, properties?}`; `attr` is the field that errors name. */
export function readEntity(given: JsonObject, attr: string, context: QuestionContext): Entity {
  const { id, type = 'events' } = given;
  const filter = readFilter(given['properties'], attr);
  const customName = textOr(given['custom_name'], null);
  if (type === 'actions') return { ...readAction(id, attr, given, context), customName, filter };
  if (type !== 'events') throw invalid(attr, `${attr}: the type is "events" or "actions".`);
  if (id === null) return { kind: 'event', id, name: textOr(given['name'], 'All events'), customName, filter };
  if (typeof id !== 'string' && typeof id !== 'number') throw invalid(attr, `${attr}: an event needs its name as id.`);
  return { kind: 'event', id: String(id), name: textOr(given['name'], String(id)), customName, filter };
}

function readAction(id: Json | undefined, attr: string, given: JsonObject, context: QuestionContext) {
  const number = parseId(id);
  if (number === null) throw invalid(attr, `${attr}: an action needs its id, a number.`);
  const action = context.action?.(number);
  const name = textOr(given['name'], action?.name ?? String(number));
  return { kind: 'action' as const, id: number, name, isKnown: action !== undefined, steps: action?.steps ?? [] };
}

/** Trends leave out unknown actions; a funnel or retention cannot. */
export function requireKnownAction(entity: Entity): void {
  if (entity.kind === 'event' || entity.isKnown) return;
  throw invalid(undefined, `Action ID ${entity.id} does not exist!`);
}

const textOr = <T>(value: Json | undefined, fallback: T): string | T =>
  typeof value === 'string' && value !== '' ? value : fallback;

/** The series that a question for persons is about: by its index, or by type, id and math, even if it is not listed. */
export function findListedEntity(
  fields: QuestionFields,
  listed: readonly ListedEntity[],
  context: QuestionContext,
): Pick<ListedEntity, 'entity' | 'given'> {
  const order = readTextField(fields, 'entity_order');
  const placed = listed.find((_, index) => String(index) === order);
  if (placed !== undefined) return placed;
  const id = fields['entity_id'] ?? fields['entityId'];
  if ((typeof id !== 'string' && typeof id !== 'number') || id === '') throw invalid('entity_id', NO_ENTITY);
  const type = readTextField(fields, 'entity_type') ?? readTextField(fields, 'type') ?? 'events';
  if (type !== 'events' && type !== 'actions') throw invalid('entity_type', 'entity_type is "events" or "actions".');
  const math = readTextField(fields, 'entity_math') ?? 'total';
  const isIt = ({ entity, given }: ListedEntity): boolean =>
    `${entity.kind}s` === type && String(entity.id) === String(id) && (given['math'] ?? 'total') === math;
  return (
    listed.find(isIt) ?? { entity: readEntity({ id, type }, 'entity_id', context), given: mathFields(fields, math) }
  );
}

const NO_ENTITY = 'An entity id and the entity type must be provided to determine an entity';

const mathFields = (fields: QuestionFields, math: string): JsonObject => {
  const given: JsonObject = { math };
  for (const name of ['math_property', 'math_group_type_index']) {
    const value = fields[`entity_${name}`];
    if (typeof value === 'string' || typeof value === 'number') given[name] = value;
  }
  return given;
};

/** Whether every event of `other` is also one of `entity`: the same event or action, with no other filters. */
export function includesEntity(entity: Entity, other: Entity): boolean {
  if (entity.kind !== other.kind || entity.id !== other.id) return false;
  const wanted = conditions(other.filter);
  return conditions(entity.filter).every((condition) => wanted.includes(condition));
}

const conditions = (filter: Filter): string[] =>
  filter.kind === 'and' ? filter.filters.flatMap(conditions) : [JSON.stringify(filter)];
