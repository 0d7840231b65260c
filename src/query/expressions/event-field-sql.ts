/** The fields of events in expressions; events are read as `e`, their persons as `p`. */
import type { EventField, Property } from '../../core/expressions/typed-expression.ts';
import type { SqlBuilder } from '../../stores/events/dialect.ts';

/** `person` is the column with the id of the person. */
export function eventFieldSql(name: EventField, person: string): string {
  switch (name) {
    case 'person_id':
      return `cast(${person} as varchar)`;
    case 'person_created_at':
      return 'p.created_at';
    case 'uuid':
    case 'event':
      return `cast(e.${name} as varchar)`;
    default:
      return `e.${name}`;
  }
}

/** `json` is the column with the properties; the event's own if absent. */
export function propertySql(sql: SqlBuilder, { path }: Property, json: string | undefined): string {
  const [key, ...rest] = path;
  return rest.length === 0 ? sql.property(key, json) : sql.functions.nestedProperty(json ?? 'e.properties', path);
}
