import type { Entity } from '../../../core/actions/entity.ts';
import type { Filter } from '../../../core/filters/property-filter.ts';
import type { EventStatement } from '../../../query/event-statement.ts';

/** Which of the entities an event is, as a number with a bit for each. */
export function entityBitsSql(statement: EventStatement, entities: readonly Entity[]): string {
  const names = new Map<string, number>();
  const bits: string[] = [];
  for (const [index, entity] of entities.entries()) {
    const name = plainName(entity);
    if (name === null) bits.push(`case when ${statement.isOf(entity)} then ${2 ** index} else 0 end`);
    else names.set(name, (names.get(name) ?? 0) + 2 ** index);
  }
  // Names are compared in order until one matches, and most events are of the first step.
  const cases = [...names].map(([name, mask]) => `when ${statement.sql.param(name)} then ${mask}`);
  if (cases.length > 0) bits.push(`case e.event ${cases.join(' ')} else 0 end`);
  return `cast(${bits.join(' + ') || '0'} as integer)`;
}

/** The event name, where nothing else decides; null otherwise. */
export const plainName = (entity: Entity): string | null =>
  entity.kind === 'event' && isEmpty(entity.filter) ? entity.id : null;

const isEmpty = (filter: Filter): boolean =>
  (filter.kind === 'and' || filter.kind === 'or') && filter.filters.every(isEmpty);
