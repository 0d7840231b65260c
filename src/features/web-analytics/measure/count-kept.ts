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
import { intervalsOf, type KeptPeriod, type PersonSlice, type SliceCounter, slicesOf } from './kept-period.ts';
import { averageReads, type KeptReads, sumKeptReads } from './kept-reads.ts';
import type { KeptSite } from './kept-site.ts';
import { SessionCounter } from './session-counter.ts';
import type { SessionLookups } from './sessions-sql.ts';
import { pageRow, ViewCounter } from './view-counter.ts';
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
  const counters = asked.map((one) => {
    const ticks = ticksOf(one.range, query.question.interval, query.question.timezone);
    const period = periodOf(query, site, one, intervalsOf(ticks));
    return { sessions: new SessionCounter(period), views: new ViewCounter(period) };
  });
  await countInTurn(
    query,
    site,
    counters.flatMap(({ sessions, views }) => [sessions, views]),
  );
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

/** One table alone, about sessions. */
export async function countKeptTable(
  query: WebQuery,
  site: KeptSite,
  asked: Omit<AskedPeriod, 'tables'>,
  key: TableKey,
): Promise<WebTable> {
  const sessions = new SessionCounter(periodOf(query, site, { ...asked, tables: [key] }, null));
  await countInTurn(query, site, [sessions]);
  return (await sessions.tables()).get(key) ?? { rows: [], total: 0 };
}

/** The table of pages alone, with how they were read and the sessions that ended there. */
export async function countKeptPages(
  query: WebQuery,
  site: KeptSite,
  asked: Omit<AskedPeriod, 'tables'>,
): Promise<WebTable> {
  const period = periodOf(query, site, { ...asked, tables: ['page', 'exit'] }, null);
  const [views, sessions] = [new ViewCounter(period), new SessionCounter(period, { hasSums: false })];
  const counting = countInTurn(query, site, [views, sessions]);
  counting.catch(() => undefined);
  // After the views, which take longest.
  await nextTurn();
  const [reads] = await Promise.all([sumKeptReads(query, asked.range, asked.lookups), counting]);
  const readOf = averageReads(reads, await period.texts.groupsOf('page').of(() => rowsByListedCode(reads)));
  const { rows, total } = await views.rankedPages();
  const exits = sessions.rowsOf('exit');
  return {
    rows: rows.map((row) => ({
      ...pageRow(row),
      engagement: { exits: exits[row.group] ?? 0, ...readOf(row.group) },
    })),
    total,
  };
}

function rowsByListedCode({ codes, rows }: KeptReads): Int32Array {
  const byCode = new Int32Array(codes.reduce((size, code) => Math.max(size, code + 1), 0));
  codes.forEach((code, at) => {
    byCode[code] = rows[at] as number;
  });
  return byCode;
}

const periodOf = (
  query: WebQuery,
  site: KeptSite,
  { page, ...asked }: AskedPeriod,
  intervals: KeptPeriod['intervals'],
): KeptPeriod => ({ query, site, ...asked, intervals, texts: new CodeTexts(query, page, site.codeLimit) });

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
async function countInTurn(query: WebQuery, site: KeptSite, counters: readonly SliceCounter[]): Promise<void> {
  const steps = (await Promise.all(counters.map((counter) => stepsOf(counter, site)))).flat();
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
