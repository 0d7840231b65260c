/** Each kind of insight, and the same query in SQL written by hand for these tables. */
import type { JsonObject } from '../../src/core/json/json.ts';
import { answerFunnel } from '../../src/features/insights/funnel/answer-funnel.ts';
import { readFunnelQuestion } from '../../src/features/insights/funnel/rules/read-funnel.ts';
import { answerLifecycle } from '../../src/features/insights/lifecycle/answer-lifecycle.ts';
import { readLifecycleQuestion } from '../../src/features/insights/lifecycle/rules/read-lifecycle.ts';
import { answerPaths } from '../../src/features/insights/paths/answer-paths.ts';
import { readPathsQuestion } from '../../src/features/insights/paths/rules/read-paths.ts';
import { answerRetention } from '../../src/features/insights/retention/answer-retention.ts';
import { readRetentionQuestion } from '../../src/features/insights/retention/rules/read-retention.ts';
import type { InsightDeps } from '../../src/features/insights/shared/second-thread.ts';
import { answerStickiness } from '../../src/features/insights/stickiness/answer-stickiness.ts';
import { readStickinessQuestion } from '../../src/features/insights/stickiness/rules/read-stickiness.ts';
import { answerTrends } from '../../src/features/insights/trends/answer-trends.ts';
import { readTrendsQuestion } from '../../src/features/insights/trends/rules/read-trends.ts';
import { FROM, PROJECT, UNTIL } from './product-traffic.ts';

/** Numbers that both results must have in common, in any order. */
type Numbers = readonly number[];

export interface InsightCase {
  name: string;
  /** The maximum ratio to the hand-written query. */
  within: number;
  ask(deps: InsightDeps): Promise<Numbers>;
  /** Returns the numbers in column `n`. */
  sql: string;
  /** Returns the expected numbers if `sql` is another query that should take as long. */
  check?: string;
}

const CONTEXT = { now: UNTIL - 1, timezone: 'UTC' };
const RANGE: JsonObject = { date_from: '2026-03-03', date_to: '2026-05-31' };
const VIEWS: JsonObject = { events: [{ id: '$pageview' }] };
const DAY = `date_trunc('day', e.timestamp)`;

const at = (ms: number): string => `timestamp '${new Date(ms).toISOString().slice(0, 19).replace('T', ' ')}'`;
const during = `e.project_id = ${PROJECT} and e.timestamp >= ${at(FROM)} and e.timestamp < ${at(UNTIL)}`;
const views = `${during} and e.event = '$pageview'`;
/** Events with their current person, if there is one. */
const known = `event_rows e
  left join person_overrides o on o.project_id = e.project_id and o.from_id = e.person_id
  join person_rows p on p.project_id = e.project_id and p.person_id = coalesce(o.to_id, e.person_id)`;

const trend = (name: string, fields: JsonObject, sql: string): InsightCase => ({
  name,
  within: 1.5,
  sql,
  ask: async (deps) => {
    const items = await answerTrends(deps, PROJECT, readTrendsQuestion({ ...RANGE, ...VIEWS, ...fields }, CONTEXT));
    return items.flatMap(({ data }) => data.filter((point) => point !== 0));
  },
});

/** The 25 most frequent values of the property, by day. */
const breakdownSql = (value: string): string => `with top as (
    select ${value} as value, count(*) as n from event_rows e where ${views} group by 1 order by 2 desc limit 25)
  select ${DAY} as day, ${value} as value, count(*) as n from event_rows e
  where ${views} and ${value} in (select value from top) group by all`;

const retention = (name: string, fields: JsonObject, arrivals: string, unit: string, from: string): InsightCase => ({
  name,
  within: 1.5,
  ask: async (deps) => {
    const asked = { date_to: '2026-05-31', total_intervals: 11, ...fields };
    const rows = await answerRetention(deps, PROJECT, readRetentionQuestion(asked, CONTEXT));
    return rows.flatMap(({ counts }) => counts.filter((count) => count > 0));
  },
  sql: `with views as materialized (
      select distinct p.person_id as person, date_diff('${unit}', ${from}, ${
        unit === 'week' ? `date_trunc('day', e.timestamp)` : 'e.timestamp'
      }) as i
      from ${known} where ${views} and e.timestamp >= ${from}),
    arrivals as (${arrivals})
    select a.i, 0 as after, count(distinct a.person) as n from arrivals a group by all
    union all
    select a.i, v.i - a.i, count(distinct a.person) as n
    from arrivals a join views v on v.person = a.person and v.i > a.i group by all`,
});

const BY_BROWSER = breakdownSql(`e."$browser"`);
const BY_PLAN = breakdownSql(`json_extract_string(e.properties, '$.plan')`);
const BY_VERSION = breakdownSql(`json_extract_string(e.properties, '$."$lib_version"')`);

/** Run after the properties were promoted to columns because they were used; compared with a native column. */
export const PROMOTED_CASES: readonly InsightCase[] = [
  trend('trend by $browser (promoted)', { breakdown: '$browser' }, BY_BROWSER),
];

export const CASES: readonly InsightCase[] = [
  trend('trend', {}, `select ${DAY} as day, count(*) as n from event_rows e where ${views} group by all`),
  trend(
    'uniques',
    { events: [{ id: '$pageview', math: 'dau' }] },
    `select ${DAY} as day, count(distinct p.person_id) as n from ${known} where ${views} group by all`,
  ),
  trend('trend by $browser (column)', { breakdown: '$browser' }, BY_BROWSER),
  // Events usually have the one, so it has a column before anybody asks; the other, always the same, is read from JSON.
  { ...trend('trend by plan (never asked)', { breakdown: 'plan' }, BY_BROWSER), check: BY_PLAN },
  trend('trend by $lib_version (JSON)', { breakdown: '$lib_version' }, BY_VERSION),
  {
    name: 'stickiness',
    within: 1.5,
    ask: async (deps) => {
      const items = await answerStickiness(deps, PROJECT, readStickinessQuestion({ ...RANGE, ...VIEWS }, CONTEXT));
      return items.flatMap(({ data }) => data.filter((count) => count > 0));
    },
    sql: `select days, count(*) as n from (
        select p.person_id, count(distinct ${DAY}) as days from ${known} where ${views} group by all) group by all`,
  },
  {
    name: 'lifecycle',
    within: 1.5,
    ask: async (deps) => {
      const items = await answerLifecycle(deps, PROJECT, readLifecycleQuestion({ ...RANGE, ...VIEWS }, CONTEXT));
      return items.flatMap(({ data }) => data.filter((count) => count !== 0).map(Math.abs));
    },
    sql: `with active as (
        select p.person_id as person, ${DAY} as day, min(p.created_at) as created
        from ${known} where ${views} group by all),
      near as (
        select *, lag(day) over w as before, lead(day) over w as after from active
        window w as (partition by person order by day))
      select day, case when before is null and date_trunc('day', created) = day then 'new'
          when before = day - interval 1 day then 'returning' else 'resurrecting' end as status, count(*) as n
        from near group by all
      union all
      select day + interval 1 day, 'dormant', count(*) as n from near
        where day < ${at(UNTIL)} - interval 1 day and (after is null or after > day + interval 1 day) group by all`,
  },
  retention('retention, 11 days', { period: 'Day' }, 'select person, i from views', 'day', at(UNTIL - 11 * 86_400_000)),
  retention(
    'retention, 11 days, first time',
    { period: 'Day', retention_type: 'retention_first_time' },
    `select person, date_diff('day', ${at(UNTIL - 11 * 86_400_000)}, first) as i from (
      select p.person_id as person, min(e.timestamp) as first from ${known}
      where e.project_id = ${PROJECT} and e.event = '$pageview' group by all) where i >= 0`,
    'day',
    at(UNTIL - 11 * 86_400_000),
  ),
  {
    name: 'funnel, three steps',
    within: 2,
    ask: async (deps) => {
      const events = ['$pageview', 'added to cart', 'purchased'].map((id, order) => ({ id, order }));
      const answer = await answerFunnel(deps, PROJECT, readFunnelQuestion({ ...RANGE, events }, CONTEXT));
      return answer.view === 'steps' ? answer.groups.flatMap(({ steps }) => steps.map(({ count }) => count)) : [];
    },
    // The next purchase after each event, and the next cart with its own next purchase after each view.
    sql: `with steps as (
        select p.person_id as person, e.timestamp as t, e.event as event from ${known}
        where ${during} and e.event in ('$pageview', 'added to cart', 'purchased')),
      thirds as (
        select *, min(case when event = 'purchased' then t end) over (
          partition by person order by t range between current row and unbounded following) as t3
        from steps),
      seconds as (
        select *, arg_min(struct_pack(t2 := t, t3 := t3), t) filter (where event = 'added to cart') over (
          partition by person order by t range between current row and unbounded following) as next
        from thirds),
      depths as (
        select person, max(case when next.t3 <= t + interval 14 day then 3
          when next.t2 <= t + interval 14 day then 2 else 1 end) as depth
        from seconds where event = '$pageview' group by person)
      select step, count(*) as n from depths join (values (1), (2), (3)) s(step) on depth >= step group by step`,
  },
  {
    name: 'paths',
    within: 2,
    ask: async (deps) => {
      const edges = await answerPaths(deps, PROJECT, readPathsQuestion({ ...RANGE, min_edge_weight: 1 }, CONTEXT));
      return edges.map(({ value }) => value);
    },
    sql: `with items as (
        select p.person_id as person, e.timestamp as t, e.uuid as uuid,
          case when e.event = '$pageview' then rtrim(e."$current_url", '/') else e.event end as item
        from ${known} where ${during}),
      cut as (
        select *, case when t - lag(t) over w >= interval 30 minute or lag(t) over w is null then 1 else 0 end as starts
        from items window w as (partition by person order by t, uuid)),
      sessions as (select *, sum(starts) over (partition by person order by t, uuid) as session from cut),
      collapsed as (
        select *, lead(item) over (partition by person, session order by t, uuid) as following from sessions),
      steps as (
        select *, row_number() over w as place, lead(item) over w as target, lead(t) over w - t as took
        from collapsed where following is distinct from item
        window w as (partition by person, session order by t, uuid))
      select place, item, target, count(*) as n, avg(took) from steps
      where place < 5 and target is not null group by all order by n desc, place, item, target limit 50`,
  },
];
