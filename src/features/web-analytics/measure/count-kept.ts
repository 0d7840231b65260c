/** The numbers of one period from the rows that the store keeps, counted by the numbers that stand for their texts. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Range } from '../../../core/time/range.ts';
import { type Tick, ticksOf } from '../../../core/time/ticks.ts';
import { type ChannelRow, channelRuleSql } from '../../../query/sessions/channel-sql.ts';
import { NO_VALUE } from '../../../query/sessions/text-filter-sql.ts';
import { countGroups, intervalsOf, orderByVisitor, sumGroups, type VisitorRows } from '../rules/count-groups.ts';
import type { PeriodAnswer, WebRow, WebTable } from '../rules/web-answers.ts';
import type { SessionKey, TableKey, TablePage } from '../rules/web-question.ts';
import { CodeTexts, type Groups, type ShownText } from './code-texts.ts';
import { fromViewRows } from './kept-rows.ts';
import { type KeptSite, readNumbered } from './kept-site.ts';
import { knownSql, pageCodesSql, type SessionLookups, withNumberedSessionsSql } from './sessions-sql.ts';
import { isPathFilter, ruledPathSql } from './web-events-sql.ts';
import { isBySession, type WebQuery, type WebScope } from './web-scope.ts';

interface KeptPeriod extends PeriodAnswer {
  tables: Map<TableKey, WebTable>;
}

/** Tables that codes cannot tell: times are needed. */
export const isCountedByCode = (table: TableKey): boolean => table !== 'hour';

export async function countKeptPeriod(
  query: WebQuery,
  site: KeptSite,
  range: Range,
  { tables, page, lookups }: { tables: readonly TableKey[]; page: TablePage; lookups: SessionLookups },
): Promise<KeptPeriod> {
  const ticks = ticksOf(range, query.question.interval, query.question.timezone);
  const texts = new CodeTexts(query, page);
  const ofSessions = await countSessions(query, site, range, { tables, ticks, lookups, texts });
  const ofViews = await countViews(query, site, range, { tables, ticks, lookups, texts });
  return {
    totals: { ...ofSessions.totals, ...ofViews.totals },
    series: { ...ofSessions.series, ...ofViews.series },
    tables: new Map([...ofSessions.tables, ...ofViews.tables]),
  };
}

interface Asked {
  tables: readonly TableKey[];
  ticks: readonly Tick[];
  lookups: SessionLookups;
  texts: CodeTexts;
}

const pause = (): Promise<void> => nextTurn();

const hasChannelRules = ({ question }: WebQuery): boolean => question.settings.channel_rules.length > 0;

/** Keys of which the code of the channel tells the text. */
const CHANNEL_KEYS: readonly string[] = ['channel', 'source', 'referrer'];

const codeColumn = (key: string): string => (CHANNEL_KEYS.includes(key) ? 'channel_code' : `${key}_code`);

async function countSessions(query: WebQuery, site: KeptSite, range: Range, { tables, ticks, lookups, texts }: Asked) {
  const keys = tables.filter((key) => key !== 'page');
  const hasRules = hasChannelRules(query);
  const codes = [...new Set(keys.filter((key) => key !== 'new').map(codeColumn))];
  const table = await readNumbered(query, (scope) => {
    const columns = [
      'o.visitor as visitor',
      `${secondsSinceSql(scope, 'o.started', range)} as at`,
      'cast(o.seconds as integer) as seconds',
      'o.is_bounce as is_bounce',
      ...codes.map((name) => `o.${name} as ${name}`),
      ...(hasRules ? [`${channelRuleSql(scope)} as rule`] : []),
    ];
    const { sql } = scope.statement;
    return `${withNumberedSessionsSql(scope, range, { codes, hasRules }, lookups)}
      select ${columns.join(', ')} from x o
      where o.started >= ${sql.integer(range.from)} and o.started < ${sql.integer(range.until)}`;
  });
  const isNew = newFilter(query, site, range);
  const people = personsOf(table.integers('visitor'), site);
  const kept = isNew === null ? null : rowsWhere(people, isNew);
  const column = (name: string): Int32Array => pick(table.integers(name), kept);
  const rows = await orderByVisitor(pick(people, kept), site.current.length, pause);
  const [seconds, bounces] = [column('seconds'), column('is_bounce')];
  const at = intervalsOf(column('at'), startsOf(ticks, range));
  const all = new Int32Array(seconds.length);
  const size = Math.max(1, ticks.length);
  const found = new Map<TableKey, WebTable>();
  for (const key of keys) {
    const groups = await groupsOf(key);
    const counts = await countGroups(rows, groups.of, groups.size, pause);
    const sums = {
      seconds: await sumGroups(seconds, groups.of, groups.size, pause),
      bounces: await sumGroups(bounces, groups.of, groups.size, pause),
    };
    const ranked = await texts.rank(counts, groups.texts);
    found.set(key, {
      rows: ranked.rows.map(({ group, value, visitors, rows: sessions }) => ({
        ...{ value, visitors, sessions, views: null },
        bounces: sums.bounces[group] as number,
        seconds: sums.seconds[group] as number,
      })),
      total: ranked.total,
    });
  }
  return {
    totals: {
      sessions: seconds.length,
      visitors: (await countGroups(rows, all, 1, pause)).visitors[0] as number,
      bounces: sum(bounces),
      seconds: sum(seconds),
    },
    series: {
      sessions: [...(await countGroups(rows, at, size, pause)).rows].slice(0, ticks.length),
      bounces: [...(await sumGroups(bounces, at, size, pause))].slice(0, ticks.length),
      seconds: [...(await sumGroups(seconds, at, size, pause))].slice(0, ticks.length),
    },
    tables: found,
  };

  function groupsOf(key: TableKey): Promise<Groups> | Groups {
    if (key === 'new') {
      const of = rows.visitors.map((person) => (isKnownBefore(site, person, range) ? 1 : 0));
      return { of, size: 2, texts: (groups) => new Map(groups.map((one) => [one, one === 1 ? 'false' : 'true'])) };
    }
    const ofCode = column(codeColumn(key));
    if (!CHANNEL_KEYS.includes(key)) return texts.groups(ofCode, shownText(query, key as SessionKey));
    return texts.channelGroups(ofCode, key as keyof ChannelRow, hasRules && key === 'channel' ? column('rule') : null);
  }
}

async function countViews(query: WebQuery, site: KeptSite, range: Range, { tables, ticks, lookups, texts }: Asked) {
  const hasPages = tables.includes('page');
  const table = await readNumbered(query, (scope) => {
    const isFiltered = isBySession(scope);
    const ofSessions = isFiltered ? 'and w.session in (select number from x)' : '';
    const ofPages = scope.question.filters.some(isPathFilter) ? `and w.page in (${pageCodesSql(scope)})` : '';
    return `${isFiltered ? withNumberedSessionsSql(scope, range, { codes: [], hasRules: hasChannelRules(query) }, lookups) : ''}
      select w.visitor as visitor, ${secondsSinceSql(scope, 'w.happened', range)} as at${hasPages ? ', w.page as page' : ''}
      ${fromViewRows(scope, range)} ${ofSessions} ${ofPages}`;
  });
  const isNew = newFilter(query, site, range);
  const people = personsOf(table.integers('visitor'), site);
  const kept = isNew === null ? null : rowsWhere(people, isNew);
  const rows = await orderByVisitor(pick(people, kept), site.current.length, pause);
  const at = intervalsOf(pick(table.integers('at'), kept), startsOf(ticks, range));
  const ofTicks = await countGroups(rows, at, Math.max(1, ticks.length), pause);
  const { viewers, newVisitors } = countViewers(rows, site, range);
  const found = new Map<TableKey, WebTable>();
  if (hasPages) {
    const groups = await texts.groups(pick(table.integers('page'), kept), shownText(query, 'page'));
    const ranked = await texts.rank(await countGroups(rows, groups.of, groups.size, pause), groups.texts);
    found.set('page', {
      rows: ranked.rows.map(
        ({ value, visitors, rows: views }): WebRow => ({
          ...{ value, visitors, views, sessions: null, bounces: null, seconds: null },
        }),
      ),
      total: ranked.total,
    });
  }
  return {
    totals: { views: rows.order.length, viewers, newVisitors },
    series: {
      views: [...ofTicks.rows].slice(0, ticks.length),
      visitors: [...ofTicks.visitors].slice(0, ticks.length),
    },
    tables: found,
  };
}

/** What is shown for a text of this key. */
function shownText({ question }: WebQuery, key: SessionKey | 'page'): ShownText {
  if (key === 'entry' || key === 'exit' || key === 'page') {
    return { isPlain: question.settings.path_rules.length === 0, sql: (scope) => ruledPathSql(scope, 't.text') };
  }
  const isSize = key === 'screen_size';
  return {
    isPlain: !isSize,
    sql(scope) {
      const text = isSize ? knownSql(scope, key, 't.text') : 't.text';
      return `case when ${text} = '' then ${scope.statement.sql.param(NO_VALUE)} else ${text} end`;
    },
  };
}

/** Whole seconds since the beginning of the range: intervals begin with whole seconds. */
const secondsSinceSql = ({ statement: { sql } }: WebScope, ms: string, { from }: Range): string =>
  `cast(${sql.quotient(`(${ms} - ${sql.integer(from)})`, sql.integer(1000))} as integer)`;

/** The first interval may begin before the range. */
const startsOf = (ticks: readonly Tick[], { from }: Range): number[] =>
  ticks.length === 0 ? [0] : ticks.map(({ start }) => (start - from) / 1000);

function personsOf(visitors: Int32Array, { current }: KeptSite): Int32Array {
  const people = new Int32Array(visitors.length);
  for (let row = 0; row < visitors.length; row++) people[row] = current[visitors[row] as number] as number;
  return people;
}

const isKnownBefore = ({ firstViews }: KeptSite, person: number, { from }: Range): boolean =>
  (firstViews[person] as number) < from;

/** What filters on new visitors say about a person; null where there is none. */
function newFilter({ question }: WebQuery, site: KeptSite, range: Range): ((person: number) => boolean) | null {
  const filters = question.filters.filter(({ key }) => key === 'new');
  if (filters.length === 0) return null;
  const wanted = filters.map(({ operator, values }) => values.includes('true') === (operator !== 'is_not'));
  return (person) => wanted.every((isNew) => isNew !== isKnownBefore(site, person, range));
}

function rowsWhere(people: Int32Array, isWanted: (person: number) => boolean): Int32Array {
  const rows: number[] = [];
  people.forEach((person, row) => {
    if (isWanted(person)) rows.push(row);
  });
  return Int32Array.from(rows);
}

/** The values of these rows; all where it is null. */
const pick = (values: Int32Array, rows: Int32Array | null): Int32Array =>
  rows === null ? values : rows.map((row) => values[row] as number);

function sum(values: Int32Array): number {
  let total = 0;
  for (const value of values) total += value;
  return total;
}

function countViewers({ visitors, order }: VisitorRows, site: KeptSite, range: Range) {
  let [viewers, newVisitors, last] = [0, 0, -1];
  for (const row of order) {
    const person = visitors[row] as number;
    if (person === last) continue;
    last = person;
    viewers++;
    if (!isKnownBefore(site, person, range)) newVisitors++;
  }
  return { viewers, newVisitors };
}
