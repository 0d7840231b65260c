/** The numbers of periods from the rows that the store keeps, counted by the numbers that stand for their texts. */
import type { Range } from '../../../core/time/range.ts';
import { ticksOf } from '../../../core/time/ticks.ts';
import type { ColumnTable } from '../../../stores/events/event-store.ts';
import type { PeriodAnswer, WebTable } from '../rules/web-answers.ts';
import type { TableKey, TablePage } from '../rules/web-question.ts';
import { CodeTexts } from './code-texts.ts';
import { type KeptPeriod, type SliceCounter, slicesOf } from './kept-period.ts';
import type { KeptSite } from './kept-site.ts';
import { SessionCounter } from './session-counter.ts';
import type { SessionLookups } from './sessions-sql.ts';
import { ViewCounter } from './view-counter.ts';
import type { WebQuery } from './web-scope.ts';

interface CountedKept extends PeriodAnswer {
  tables: Map<TableKey, WebTable>;
}

/** Tables that codes cannot tell: times are needed. */
export const isCountedByCode = (table: TableKey): boolean => table !== 'hour';

export interface AskedPeriod {
  range: Range;
  tables: readonly TableKey[];
  page: TablePage;
  lookups: SessionLookups;
}

export async function countKeptPeriods(
  query: WebQuery,
  site: KeptSite,
  asked: readonly AskedPeriod[],
): Promise<CountedKept[]> {
  const counters = asked.map(({ page, ...rest }) => {
    const ticks = ticksOf(rest.range, query.question.interval, query.question.timezone);
    const period: KeptPeriod = { query, site, ...rest, ticks, texts: new CodeTexts(query, page) };
    return { sessions: new SessionCounter(period), views: new ViewCounter(period) };
  });
  // Views first: they are read in the least time, and sessions meanwhile.
  const steps = await Promise.all(counters.flatMap(({ sessions, views }) => [stepsOf(views), stepsOf(sessions)]));
  await countInTurn(steps.flat());
  const answers: CountedKept[] = [];
  for (const { sessions, views } of counters) {
    const [ofSessions, ofViews] = [await sessions.answer(), await views.answer()];
    answers.push({
      totals: { ...ofSessions.totals, ...ofViews.totals },
      series: { ...ofSessions.series, ...ofViews.series },
      tables: new Map([...ofSessions.tables, ...ofViews.tables]),
    });
  }
  return answers;
}

interface Step {
  read(): Promise<ColumnTable>;
  count(table: ColumnTable): Promise<void>;
}

const stepsOf = async (counter: SliceCounter): Promise<Step[]> =>
  (await slicesOf(counter)).map((slice) => ({
    read: () => counter.read(slice),
    count: (table) => counter.add(table, slice),
  }));

/** While one result is counted, the engine reads the next one, and no more: results are large. */
async function countInTurn(steps: readonly Step[]): Promise<void> {
  let reading = steps[0]?.read();
  for (const [at, step] of steps.entries()) {
    const table = (await reading) as ColumnTable;
    reading = steps[at + 1]?.read();
    // Its failure is thrown in the next round, unless counting fails before.
    reading?.catch(() => undefined);
    await step.count(table);
  }
}
