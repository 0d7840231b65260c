/** Whether what an experiment reads has happened lately. */
import type { Entity } from '../../../core/actions/entity.ts';
import type { Range } from '../../../core/time/range.ts';
import { prepareEventQuery } from '../../../query/prepare-event-query.ts';
import type { QueryDeps } from '../../../query/query-deps.ts';
import type { ExposureQuestion } from '../rules/experiment-question.ts';
import { fromExposures } from './exposures-sql.ts';

export interface RecentEvents {
  /** Exposures, whatever the variant. */
  exposures: number;
  /** Events, in the order of the entities. */
  entities: number[];
}

/** In the range of the exposures. */
export async function countRecentEvents(
  deps: QueryDeps,
  projectId: number,
  exposure: ExposureQuestion,
  entities: readonly Entity[],
): Promise<RecentEvents> {
  const query = await prepareEventQuery(deps, projectId, {
    filters: [exposure.filter],
    entities: [...(exposure.event === null ? [] : [exposure.event]), ...entities],
    timezone: exposure.timezone,
    hasActors: false,
  });
  const count = async (from: (range: Range, statement: ReturnType<typeof query.begin>) => string): Promise<number> => {
    const statement = query.begin();
    const [row] = await statement.query(`select count(*) as n ${from(exposure.range, statement)}`);
    return Number(row?.['n'] ?? 0);
  };
  const counts: number[] = [];
  for (const entity of entities)
    counts.push(
      await count(
        (range, statement) =>
          `${statement.from()} where ${statement.inProject()} and ${statement.during(range)} and ${statement.isOf(entity)}`,
      ),
    );
  return {
    exposures: await count((_, statement) => fromExposures(statement, { ...exposure, takesAll: true })),
    entities: counts,
  };
}
