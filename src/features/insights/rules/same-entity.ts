import type { Entity } from '../../../core/actions/entity.ts';
import type { Filter } from '../../../core/filters/property-filter.ts';

/** Whether every event of `other` is sure to be one of `entity`: the same event or action, with no other filters. */
export function includesEntity(entity: Entity, other: Entity): boolean {
  if (entity.kind !== other.kind || entity.id !== other.id) return false;
  const wanted = conditions(other.filter);
  return conditions(entity.filter).every((condition) => wanted.includes(condition));
}

/** What has to hold, each in words that can be compared. */
const conditions = (filter: Filter): string[] =>
  filter.kind === 'and' ? filter.filters.flatMap(conditions) : [JSON.stringify(filter)];
