/** Exposures that are no fair draw: of people who met a variant before the start, or who were given one by a condition. */
import type { Filter } from '../../../core/filters/property-filter.ts';
import type { Range } from '../../../core/time/range.ts';
import type { EventQuery } from '../../../query/event-query.ts';
import { prepareEventQuery } from '../../../query/prepare-event-query.ts';
import type { QueryDeps } from '../../../query/query-deps.ts';
import type { ExposureQuestion } from '../rules/experiment-question.ts';
import { countedSql, fromExposures } from './exposures-sql.ts';

/** A release condition that gives one variant to everybody who matches it. */
export interface ForcedCondition {
  variant: string;
  filter: Filter;
  /** Of those who match. */
  share: number;
  range: Range;
}

export interface UnusualQuestion {
  /** Null: the flag was never on before the start. */
  before: Range | null;
  forced: readonly ForcedCondition[];
}

export interface UnusualExposures {
  exposedBefore: number;
  /** At most so many: who matches may have met an earlier condition. */
  forced: number;
}

/** Of those who count. */
export async function countUnusual(
  deps: QueryDeps,
  projectId: number,
  exposure: ExposureQuestion,
  { before, forced }: UnusualQuestion,
): Promise<UnusualExposures> {
  const query = await prepareEventQuery(deps, projectId, {
    filters: [exposure.filter, ...forced.map(({ filter }) => filter)],
    entities: [exposure.event, exposure.activation ?? null].flatMap((one) => one ?? []),
    timezone: exposure.timezone,
    hasActors: true,
  });
  let byConditions = 0;
  for (const { range, variant, filter, share } of forced) {
    const own = { ...exposure, range, variants: exposure.variants.filter((key) => key === variant) };
    byConditions += share * (await countAmong(query, exposure, own, filter));
  }
  return {
    exposedBefore: before === null ? 0 : await countAmong(query, exposure, { ...exposure, range: before }, null),
    forced: Math.round(byConditions),
  };
}

/** Those who count and have one of the other exposures. */
async function countAmong(
  query: EventQuery,
  counted: ExposureQuestion,
  other: ExposureQuestion,
  filter: Filter | null,
): Promise<number> {
  const statement = query.begin();
  const actor = statement.actor(counted.actor);
  const [row] = await statement.query(
    `select count(*) as n from (${countedSql(statement, counted)}) x
    join (
      select distinct ${actor} as actor ${fromExposures(statement, other)} and ${actor} is not null
        and ${filter === null ? 'true' : statement.matches(filter)}
    ) o on o.actor = x.actor`,
  );
  return Number(row?.['n'] ?? 0);
}
