/** The numbers of periods from the rows that the store keeps, counted by the numbers that stand for their texts. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Range } from '../../../core/time/range.ts';
import { ticksOf } from '../../../core/time/ticks.ts';
import { leave } from '../../../lib/rpc.ts';
import type { ColumnTable } from '../../../stores/events/event-store.ts';
import { columnsOf, countPacked } from '../rules/count-packed.ts';
import type { PeriodAnswer, WebTable } from '../rules/web-answers.ts';
import type { TableKey, TablePage } from '../rules/web-question.ts';
import { CodeTexts } from './code-texts.ts';
import { type KeptPeriod, type PersonSlice, type SliceCounter, slicesOf, timeUnitOf } from './kept-period.ts';
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
    const texts = new CodeTexts(query, page, site.codeLimit);
    const period: KeptPeriod = { query, site, ...rest, ticks, times: timeUnitOf(ticks), texts };
    return { sessions: new SessionCounter(period), views: new ViewCounter(period) };
  });
  const steps = await Promise.all(
    counters.flatMap(({ sessions, views }) => [stepsOf(sessions, site), stepsOf(views, site)]),
  );
  await countInTurn(query, site, steps.flat());
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

/** A slice to be read and counted. */
interface Step {
  counter: SliceCounter;
  slice: PersonSlice;
}

const stepsOf = async (counter: SliceCounter, site: KeptSite): Promise<Step[]> =>
  (await slicesOf(counter, site)).map((slice) => ({ counter, slice }));

/** A site with as many visitors has so many rows that the second thread will be needed, which takes a while to start. */
const VIEWS_PER_VISITOR = 5;

/**
 * While one result is counted, the engine reads the next one, and no more: results are large. They are counted on the
 * second thread, and while that is busy on this one.
 */
async function countInTurn(query: WebQuery, site: KeptSite, steps: readonly Step[]): Promise<void> {
  const read = ({ counter, slice }: Step): Promise<ColumnTable> => counter.read(slice);
  let reading = steps[0] && read(steps[0]);
  // Not before: they are needed when the first rows are counted.
  site.visitors().catch(() => undefined);
  query.secondThread?.(Math.min(site.rows.view_rows, VIEWS_PER_VISITOR * site.visitorLimit));
  let isBusy = false;
  const counting: Promise<void>[] = [];
  for (const [at, step] of steps.entries()) {
    const table = (await reading) as ColumnTable;
    const next = steps[at + 1];
    reading = next && read(next);
    // Its failure is thrown in the next round, unless counting fails before.
    reading?.catch(() => undefined);
    const { counter } = step;
    const rows = await counter.pack(table);
    const second = isBusy ? undefined : query.secondThread?.(table.rowCount);
    if (second === undefined) {
      await counter.add(await countPacked(rows, nextTurn));
      continue;
    }
    isBusy = true;
    const counted = second
      .countPacked(leave(rows, columnsOf(rows)))
      .finally(() => {
        isBusy = false;
      })
      // If it ends unexpectedly, its rows are read again.
      .catch(async () => countPacked(await counter.pack(await read(step)), nextTurn))
      .then((numbers) => counter.add(numbers));
    counted.catch(() => undefined);
    counting.push(counted);
  }
  await Promise.all(counting);
}
