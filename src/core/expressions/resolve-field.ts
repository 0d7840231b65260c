import { expressionError, type Field } from './expression.ts';
import { EVENT_FIELDS, type EventField, type PropertyPath, type TypedExpression } from './typed-expression.ts';

/** What an expression is about: events (with their persons and groups), or persons alone. */
export type ExpressionSubject = 'events' | 'persons';

const MAX_PATH_LENGTH = 20;

const SUPPORTED: Record<ExpressionSubject, string> = {
  events:
    'properties.<name>, person.properties.<name>, group_0.properties.<name> to group_4, event, timestamp, created_at, ' +
    'distinct_id, uuid, elements_chain, $session_id, person_id, person.id, person.created_at and $group_0 to $group_4',
  persons: 'properties.<name>, person.properties.<name>, id and person.id',
};

export function resolveField(field: Field, subject: ExpressionSubject): TypedExpression {
  const found = subject === 'events' ? resolveOfEvents(field) : resolveOfPersons(field);
  if (found !== undefined) return found;
  throw expressionError(field.at, field.path.join('.'), `there is no such field. Fields are ${SUPPORTED[subject]}.`);
}

type Path = Field['path'];

const GROUP = /^group_([0-4])$/;
const GROUP_KEY = /^\$group_([0-4])$/;

function resolveOfEvents(field: Field): TypedExpression | undefined {
  const { path } = field;
  const [first, second, ...rest] = path;
  if (second !== undefined && (first === 'events' || first === 'event')) {
    return resolveOfEvents({ ...field, path: path.slice(1) });
  }
  if (first === 'person') return ofPerson(field, path.slice(1));
  if (first === 'person_properties') return property(field, 'person', path.slice(1));
  if (first === 'properties') return property(field, 'event', path.slice(1));
  const [, group] = GROUP.exec(String(first)) ?? [];
  if (group !== undefined && second === 'properties') return property(field, 'group', rest, Number(group));
  if (group !== undefined && second === 'key' && rest.length === 0) return column(`group_${group}`);
  if (second !== undefined) return undefined;
  if (first === '$session_id') return property(field, 'event', path);
  const [, key] = GROUP_KEY.exec(String(first)) ?? [];
  if (key !== undefined) return column(`group_${key}`);
  return isPlainColumn(first) ? column(first) : undefined;
}

function resolveOfPersons(field: Field): TypedExpression | undefined {
  const [first, ...rest] = field.path;
  if (first === 'person') return resolveOfPersons({ ...field, path: rest });
  if (first === 'properties') return property(field, 'person', rest);
  return first === 'id' && rest.length === 0 ? column('person_id') : undefined;
}

function ofPerson(field: Field, [name, ...rest]: Path): TypedExpression | undefined {
  if (name === 'properties') return property(field, 'person', rest);
  if (rest.length > 0) return undefined;
  if (name === 'id') return column('person_id');
  return name === 'created_at' ? column('person_created_at') : undefined;
}

const isPlainColumn = (name: unknown): name is EventField =>
  (EVENT_FIELDS as readonly unknown[]).includes(name) &&
  name !== 'person_created_at' &&
  GROUP.exec(String(name)) === null;

function column(name: string): TypedExpression {
  const isTime = name === 'timestamp' || name === 'created_at' || name === 'person_created_at';
  return { kind: 'column', type: isTime ? 'time' : 'text', name: name as EventField };
}

function property(field: Field, owner: 'event' | 'person' | 'group', path: Path, groupIndex = 0): TypedExpression {
  const [key, ...rest] = path;
  const text = field.path.join('.');
  if (typeof key !== 'string') throw expressionError(field.at, text, 'name the property, as in properties.plan.');
  if (path.length > MAX_PATH_LENGTH) {
    throw expressionError(field.at, text, `a property is at most ${MAX_PATH_LENGTH} levels deep.`);
  }
  if (!rest.every(isKeyOrPosition)) {
    throw expressionError(field.at, text, 'positions in lists are whole numbers from 1.');
  }
  return { kind: 'property', type: 'property', owner, groupIndex, path: [key, ...rest] as PropertyPath };
}

const isKeyOrPosition = (part: string | number): boolean =>
  typeof part === 'string' || (Number.isInteger(part) && part >= 1 && part <= 1e6);
