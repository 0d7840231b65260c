import type { Actor } from '../../../core/actor.ts';
import type { SqlBuilder } from '../../../stores/events/dialect.ts';
import type { SeriesMath, Statistic } from '../rules/math.ts';

/** Whom a series counts. */
export const actorOfMath = (math: SeriesMath): Actor => {
  const index = math.kind === 'unique_group' || math.kind === 'per_actor' ? math.group : null;
  return index === null ? { kind: 'person' } : { kind: 'group', index };
};

/** Whether a number depends on who did something. */
export const countsPersons = (math: SeriesMath): boolean =>
  math.kind === 'dau' || math.kind === 'active' || (math.kind === 'per_actor' && math.group === null);

/** An aggregate over numbers, null ones left out; null where there are none, but the sum of nothing is 0. */
export function statisticSql(sql: SqlBuilder, statistic: Statistic, value: string): string {
  switch (statistic) {
    case 'sum':
      return `coalesce(sum(${value}), 0)`;
    case 'avg':
    case 'min':
    case 'max':
      return `${statistic}(${value})`;
    case 'median':
      return sql.quantile(value, 0.5);
    case 'p90':
    case 'p95':
    case 'p99':
      return sql.quantile(value, Number(statistic.slice(1)) / 100);
  }
}
