/** The numbers of a site in SQL written by hand, one statement for each tile of the page, and for its table of pages. */
import type { Range } from '../../src/core/time/range.ts';
import { DAY_MS } from '../../src/core/time/units.ts';
import type { OverviewAnswer } from '../../src/features/web-analytics/measure/answer-overview.ts';
import { PROJECT } from './product-traffic.ts';

export interface Tile {
  name: string;
  /** Returns the number in column `n`; several rows for a table. */
  sql: string;
  numbers(answer: OverviewAnswer): number[];
}

const at = (ms: number): string => `make_timestamp_ms(${ms})`;

const during = ({ from, until }: Range): string =>
  `e.project_id = ${PROJECT} and e.timestamp >= ${at(from)} and e.timestamp < ${at(until)}`;

const IS_VIEW = `e.event in ('$pageview', '$screen')`;

/** Sessions that began in the range; none is longer than a day, and pauses of a day end one. */
const withSessions = ({ from, until }: Range): string => `with s as (
    select e."$session_id" as id, epoch_ms(min(e.timestamp)) as started, epoch_ms(max(e.timestamp)) as ended,
      count(*) filter (where e.event in ('$pageview', '$screen', '$autocapture')) as hits
    from event_rows e
    where ${during({ from: from - 2 * DAY_MS, until: until + 2 * DAY_MS })} and e."$session_id" <> ''
    group by 1 having count(*) filter (where ${IS_VIEW}) > 0
  ), x as (select *, least((ended - started) // 1000, 86400) as seconds from s where started >= ${from} and started < ${until})`;

export const tilesOf = (range: Range): Tile[] => [
  {
    name: 'Visitors',
    sql: `select count(distinct e.person_id) as n from events e where ${during(range)} and ${IS_VIEW}`,
    numbers: ({ now: { totals } }) => [totals.viewers],
  },
  {
    name: 'Page views',
    sql: `select count(*) as n from event_rows e where ${during(range)} and ${IS_VIEW}`,
    numbers: ({ now: { totals } }) => [totals.views],
  },
  {
    name: 'Sessions',
    sql: `${withSessions(range)} select count(*) as n from x`,
    numbers: ({ now: { totals } }) => [totals.sessions],
  },
  {
    name: 'Bounce rate',
    sql: `${withSessions(range)} select count(*) filter (where hits <= 1 and seconds < 10) / count(*) as n from x`,
    numbers: ({ now: { totals } }) => [totals.bounces / totals.sessions],
  },
  {
    name: 'Visit duration',
    sql: `${withSessions(range)} select sum(seconds) / count(*) as n from x`,
    numbers: ({ now: { totals } }) => [totals.seconds / totals.sessions],
  },
  {
    name: 'Pages',
    sql: `select count(distinct e.person_id) as n, count(*) as views, e."$pathname" as page from events e
      where ${during(range)} and ${IS_VIEW} group by page order by n desc, views desc, page limit 10`,
    numbers: ({ tables }) => tables.find(([key]) => key === 'page')?.[1].rows.map(({ visitors }) => visitors) ?? [],
  },
];
