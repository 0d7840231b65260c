import { elementPatterns } from '../../core/filters/element-filter.ts';
import { type Filter, type PropertyFilter, propertyFiltersIn } from '../../core/filters/property-filter.ts';
import type { Dialect } from '../../stores/events/dialect.ts';
import type { EventStore } from '../../stores/events/event-store.ts';

export interface EventStoreDeps {
  events: Pick<EventStore, 'query'>;
  dialect: Dialect;
}

/** Longer patterns are taken for invalid: compiling them would cost more than any honest one. */
const MAX_PATTERN_LENGTH = 2000;

/** Which of the patterns in a filter the engine takes: asked once beforehand, so that no question fails half-way. */
export async function validPatterns({ events, dialect }: EventStoreDeps, filter: Filter): Promise<ReadonlySet<string>> {
  const asked = [...new Set(propertyFiltersIn(filter).flatMap(patternsIn))];
  if (asked.length === 0) return new Set();
  const sql = dialect.newStatement();
  const columns = asked.map((pattern, i) => `cast(${sql.isPattern(pattern)} as boolean) as p${i}`);
  const [row] = await events.query(`select ${columns.join(', ')}`, sql.values);
  return new Set(asked.filter((_, i) => row?.[`p${i}`] === true));
}

/** Patterns over elements are ours; what users have said is a part of them. */
function patternsIn(leaf: PropertyFilter): readonly string[] {
  const isPattern = leaf.operator === 'regex' || leaf.operator === 'not_regex';
  const isTooLong = isPattern && leaf.values.some((value) => value.length > MAX_PATTERN_LENGTH);
  if (leaf.owner === 'element') return isTooLong ? [] : elementPatterns(leaf);
  return isPattern ? leaf.values.filter((value) => value.length <= MAX_PATTERN_LENGTH) : [];
}
