/** The whole page in one answer. Runs on the worker thread. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Range } from '../../../core/time/range.ts';
import type { GoalNumbers, LeftOut, PeriodAnswer, VitalNumbers, WebTable } from '../rules/web-answers.ts';
import type { TableKey, TablePage, WebGoalQuestion, WebQuestion } from '../rules/web-question.ts';
import { countGoals, countLabels, countLive, findLastView, measureVitals } from './count-others.ts';
import { type CountedPeriod, countPeriods, findSessionLookups, openSite } from './count-period.ts';
import { NO_LOOKUPS } from './sessions-sql.ts';
import { isBySession, prepareWebQuery, type WebDeps } from './web-scope.ts';

export interface OverviewQuestion {
  web: WebQuestion;
  /** The period to compare to. */
  previous: Range | null;
  tables: readonly TableKey[];
  goals: readonly WebGoalQuestion[];
}

export interface OverviewAnswer {
  now: PeriodAnswer;
  previous: PeriodAnswer | null;
  tables: [TableKey, WebTable][];
  goals: GoalNumbers[];
  vitals: VitalNumbers;
  leftOut: LeftOut;
  live: number;
  hasData: boolean;
  cookielessShare: number;
}

const TOP_ROWS: TablePage = { limit: 10, offset: 0, search: '', order: '-visitors' };

export async function answerOverview(
  deps: WebDeps,
  projectId: number,
  { web, previous, tables, goals }: OverviewQuestion,
): Promise<OverviewAnswer> {
  const query = await prepareWebQuery(deps, projectId, web, goals);
  const ranges = [web.range, ...(previous === null ? [] : [previous])];
  const site = await openSite(query, ranges, tables);
  // Only goals and vitals of filtered sessions need to know these.
  const lookups = isBySession(query) ? await findSessionLookups(query, web.range, []) : NO_LOOKUPS;
  const counting = countPeriods(query, site, { ranges, tables, page: TOP_ROWS });
  counting.catch(() => undefined);
  // Side by side, but after it has begun: the engine has few connections, and rows take longest.
  await nextTurn();
  const [[now, then], { views, cookieless, ...leftOut }, goalNumbers, vitals, live] = await Promise.all([
    counting as Promise<[CountedPeriod, CountedPeriod?]>,
    countLabels(query, site !== null),
    countGoals(query, goals, lookups),
    measureVitals(query, lookups),
    countLive(query, deps.clock.now()),
  ]);
  return {
    now: { totals: now.totals, series: now.series },
    previous: then === undefined ? null : { totals: then.totals, series: then.series },
    // In the order in which they were asked for.
    tables: tables.flatMap((key): [TableKey, WebTable][] => {
      const table = now.tables.get(key);
      return table === undefined ? [] : [[key, table]];
    }),
    goals: goalNumbers,
    vitals,
    leftOut,
    live,
    hasData: views > 0 || (await findLastView(query)) !== null,
    cookielessShare: views === 0 ? 0 : cookieless / views,
  };
}
