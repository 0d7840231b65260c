import { isBySessionNumber, type PropertyBreakdown } from '../../../core/actions/breakdown.ts';
import { activeWindow } from '../../../core/time/active-window.ts';
import { addUnits, startOfInterval } from '../../../core/time/interval.ts';
import type { Range } from '../../../core/time/range.ts';
import { type Tick, ticksOf } from '../../../core/time/ticks.ts';
import type { EventQuery } from '../../../query/event-query.ts';
import type { EventStatement } from '../../../query/event-statement.ts';
import type { ScanDeps } from '../../../query/query-deps.ts';
import type { SqlRow } from '../../../stores/events/event-store.ts';
import type { SeriesNumbers } from '../rules/answers.ts';
import { binLevels, binsBetween, binValue, cohortValue, numberValue, textValue } from '../rules/breakdown-values.ts';
import type { SeriesMath } from '../rules/math.ts';
import type { Series, TrendsQuestion } from '../rules/question.ts';
import {
  type ActivityBits,
  activitySql,
  MAX_BITMAP_TICKS,
  queryActivityBits,
  wordColumns,
} from '../shared/activity-bitmaps.ts';
import { actorOfMath, aggregateSql, emptyNumber, measuredColumn } from '../shared/aggregate-sql.ts';
import { type BreakdownColumns, binSql, NO_BREAKDOWN, splitBy } from '../shared/breakdown-sql.ts';
import { boundsOf, tickSql } from '../shared/tick-sql.ts';
import { activeActorsSql, activeWindows } from './active-actors.ts';

/** A value of the breakdown, and the text that the engine groups by. */
interface BreakdownPart {
  value: SeriesNumbers['value'];
  text: string;
}

type SplitSql = (statement: EventStatement) => BreakdownColumns;

/** Counts one series over one range. */
export class SeriesCounter {
  readonly #deps: ScanDeps;
  readonly #query: EventQuery;
  readonly #question: TrendsQuestion;
  readonly #series: Series;
  readonly #range: Range;
  readonly #ticks: readonly Tick[];
  /** The range with the days before it that active users are counted in. */
  readonly #sessionRange: Range;

  constructor(deps: ScanDeps, query: EventQuery, question: TrendsQuestion, series: Series, range: Range) {
    this.#deps = deps;
    this.#query = query;
    this.#question = question;
    this.#series = series;
    this.#range = range;
    this.#ticks = ticksOf(range, question.interval, question.timezone);
    const days = series.math.kind === 'active' ? series.math.days : 0;
    this.#sessionRange = { from: addUnits(range.from, -days, 'day', question.timezone), until: range.until };
  }

  async count(searchFrom: number): Promise<SeriesNumbers[]> {
    const { breakdown } = this.#question;
    if (breakdown === null) return this.#numbers([{ value: null, text: '' }], () => NO_BREAKDOWN, false);
    if (breakdown.kind === 'property') {
      return this.#ofProperty(breakdown, { from: searchFrom, until: this.#range.until });
    }
    const all: SeriesNumbers[] = [];
    for (const cohort of breakdown.cohorts) {
      const own = (statement: EventStatement): BreakdownColumns => ({
        ...NO_BREAKDOWN,
        condition: statement.isMember(cohort.id),
      });
      all.push(...(await this.#numbers([{ value: cohortValue(cohort), text: '' }], own, false)));
    }
    return all;
  }

  async #ofProperty(breakdown: PropertyBreakdown, searchRange: Range): Promise<SeriesNumbers[]> {
    const split: SplitSql = (statement) => splitBy(statement, breakdown, breakdown.keys[0] ?? '', this.#sessionRange);
    if (breakdown.bins === null) {
      if (this.#series.math.kind === 'total' && searchRange.from >= this.#range.from) {
        const rows = await this.#largestRows(breakdown, split, searchRange.from);
        const texts = [...new Set(rows.map(({ value }) => String(value)))];
        return this.#numbersOfRows(partsOf(breakdown, texts), rows);
      }
      return this.#numbers(partsOf(breakdown, await this.#largest(breakdown, split, searchRange)), split, true);
    }
    const bins = binsBetween(await this.#quantiles(breakdown.bins, split, searchRange));
    const parts = bins.map((bin, at) => ({ text: String(at), value: binValue(bin) }));
    return this.#numbers(parts, (statement) => binSql(statement, split(statement), bins), true);
  }

  /** The values with the largest numbers; where those are about actors, with the most events. */
  async #largest({ limit, offset }: PropertyBreakdown, split: SplitSql, searchRange: Range): Promise<string[]> {
    const statement = this.#query.begin();
    const { math } = this.#series;
    const isOfActors = math.kind === 'dau' || math.kind === 'active' || math.kind === 'per_actor';
    const ranked: SeriesMath = isOfActors ? { kind: 'total' } : math;
    const matched = this.#matched(statement, split(statement), searchRange, '0', measuredColumn(statement, ranked));
    const sizes = aggregateSql(statement, matched, {
      math: ranked,
      isCumulative: false,
      sessionRange: this.#sessionRange,
    });
    const rows = await statement.query(
      `select value from (${sizes}) v order by n desc nulls last, value desc
      limit ${statement.sql.integer(limit)} offset ${statement.sql.integer(offset)}`,
    );
    return rows.map((row) => String(row['value']));
  }

  /**
   * The same for the number of events, together with the numbers themselves: events are read once, which is what takes
   * long if the property is read from JSON.
   */
  #largestRows({ limit, offset }: PropertyBreakdown, split: SplitSql, searchFrom: number): Promise<SqlRow[]> {
    const statement = this.#query.begin();
    const { sql } = statement;
    const isRanked = `case when e.timestamp >= ${sql.time(searchFrom)} then 1 else 0 end as is_ranked`;
    const matched = this.#matched(statement, split(statement), this.#range, this.#tickOf(statement), isRanked);
    return statement.query(
      `with counted as (
        select value, tick, count(*) as n, sum(is_ranked) as ranked from (${matched}) m group by value, tick
      ), largest as (
        select value, sum(ranked) as total from counted group by value having sum(ranked) > 0
        order by total desc, value desc limit ${sql.integer(limit)} offset ${sql.integer(offset)}
      )
      select c.value as value, c.tick as tick, c.n as n from counted c join largest l on l.value = c.value
      order by l.total desc, c.value desc`,
    );
  }

  #tickOf({ sql }: EventStatement): string {
    return this.#question.display === 'total' ? '0' : tickSql(sql, 'e.timestamp', boundsOf(this.#ticks));
  }

  async #quantiles(bins: number, split: SplitSql, searchRange: Range): Promise<number[]> {
    const statement = this.#query.begin();
    const columns = split(statement);
    const matched = this.#matched(
      statement,
      columns,
      searchRange,
      '0',
      `${statement.numberIn(columns.value)} as number`,
    );
    const levels = binLevels(bins).map((level, at) => `${statement.sql.quantile('number', level)} as q${at}`);
    const [row] = await statement.query(
      `select ${levels.join(', ')} from (select distinct number from (${matched}) m where number is not null) d`,
    );
    const quantiles = Object.values(row ?? {});
    return quantiles.some((one) => one === null) ? [] : quantiles.map(Number);
  }

  async #numbers(parts: readonly BreakdownPart[], split: SplitSql, hasTexts: boolean): Promise<SeriesNumbers[]> {
    if (parts.length === 0) return [];
    const texts = hasTexts ? parts.map(({ text }) => text) : null;
    return this.#numbersOfRows(parts, await this.#rows(split, texts));
  }

  #numbersOfRows(parts: readonly BreakdownPart[], rows: readonly SqlRow[]): SeriesNumbers[] {
    const found = new Map<string, Map<number, number | null>>();
    for (const { value, tick, n } of rows) {
      const own = found.get(String(value)) ?? new Map();
      found.set(String(value), own.set(Number(tick), n === null ? null : Number(n)));
    }
    return parts.map(({ value, text }) => ({ value, ...this.#numbersOf(found.get(text)) }));
  }

  #numbersOf(found: ReadonlyMap<number, number | null> | undefined): Omit<SeriesNumbers, 'value'> {
    const empty = emptyNumber(this.#series.math);
    if (this.#question.display === 'total') return { points: [], total: found?.get(0) ?? empty };
    return { points: this.#ticks.map((_, at) => found?.get(at) ?? 0), total: null };
  }

  async #rows(split: SplitSql, texts: readonly string[] | null): Promise<SqlRow[]> {
    const { math } = this.#series;
    const { display } = this.#question;
    if (math.kind === 'active' && display !== 'total') return this.#activeRows(math.days, split, texts);
    const statement = this.#query.begin();
    const tick = this.#tickOf(statement);
    const during = math.kind === 'active' ? this.#lastDays(math.days) : this.#range;
    const isOfActors = math.kind === 'dau' || math.kind === 'active' || math.kind === 'unique_group';
    const ticks = display === 'total' ? 1 : this.#ticks.length;
    if (isOfActors && display !== 'cumulative' && ticks <= MAX_BITMAP_TICKS) {
      return this.#uniqueRows(statement, split(statement), during, { tick, ticks }, texts);
    }
    const matched = this.#matched(statement, split(statement), during, tick, measuredColumn(statement, math), texts);
    const isCumulative = display === 'cumulative';
    return statement.query(aggregateSql(statement, matched, { math, isCumulative, sessionRange: this.#sessionRange }));
  }

  /** Counts actors from bitmaps of their intervals: much less data than a row for each. */
  async #uniqueRows(
    statement: EventStatement,
    { value, join, condition }: BreakdownColumns,
    during: Range,
    { tick, ticks }: { tick: string; ticks: number },
    texts: readonly string[] | null,
  ): Promise<SqlRow[]> {
    const textJoin = texts === null ? '' : `join ${this.#textRows(statement, texts)} r on r.value = ${value}`;
    const activity = activitySql(statement, {
      actor: actorOfMath(this.#series.math),
      ticks,
      tick,
      value: texts === null ? null : 'r.number',
      join: `${join} ${textJoin}`,
      where: `${this.#matches(statement, during)} and ${condition}`,
    });
    const numbers = texts === null ? [] : ['value'];
    const bits = await queryActivityBits(this.#deps, statement, {
      actors: activity,
      bits: wordColumns(ticks),
      numbers,
    });
    return uniqueRows(bits, texts, ticks);
  }

  #lastDays(days: number): Range {
    const { timezone } = this.#question;
    const { from, until } = activeWindow(
      startOfInterval(this.#range.until - 1, 'day', timezone),
      days,
      'day',
      timezone,
    );
    return { from, until: Math.min(until, this.#range.until) };
  }

  async #activeRows(days: number, split: SplitSql, texts: readonly string[] | null): Promise<SqlRow[]> {
    const windows = await activeWindows(this.#query, this.#question, this.#range, this.#ticks, days);
    if (windows.length === 0) return [];
    const statement = this.#query.begin();
    const actor = measuredColumn(statement, this.#series.math);
    const sql = activeActorsSql(statement, windows, (during, segment) =>
      this.#matched(statement, split(statement), during, segment, actor, texts),
    );
    return statement.query(sql);
  }

  /** The matching events with `value`, `tick` and one more column; with `texts` only those values. */
  #matched(
    statement: EventStatement,
    { value, join, condition }: BreakdownColumns,
    during: Range,
    tick: string,
    column: string,
    texts: readonly string[] | null = null,
  ): string {
    const all = `select ${value} as value, ${tick} as tick, ${column}
      ${statement.from()} ${join}
      where ${this.#matches(statement, during)} and ${condition}`;
    if (texts === null) return all;
    return `select * from (${all}) a where a.value in (select r.value from ${this.#textRows(statement, texts)} r)`;
  }

  #matches(statement: EventStatement, during: Range): string {
    return `${statement.inProject()} and ${statement.during(during)} and ${statement.isOf(this.#series.entity)}
      and ${statement.matches(this.#question.filter)}`;
  }

  #textRows = ({ sql }: EventStatement, texts: readonly string[]): string =>
    sql.rows(
      ['value', 'number'],
      texts.map((text, number) => ({ value: text, number: String(number) })),
    );
}

/** The values of a breakdown with these texts; numbers of sessions in the order of their size. */
function partsOf(breakdown: PropertyBreakdown, texts: readonly string[]): BreakdownPart[] {
  if (!isBySessionNumber(breakdown)) return texts.map((text) => ({ text, value: textValue(text) }));
  const sorted = texts.toSorted((a, b) => Number(a) - Number(b));
  return sorted.map((text) => ({ text, value: numberValue(Number(text)) }));
}

/** The number of actors for each value and interval. */
function uniqueRows(bits: ActivityBits, texts: readonly string[] | null, ticks: number): SqlRow[] {
  const values = texts ?? [''];
  const numbers = texts === null ? null : bits.numbers('value');
  const counts = new Float64Array(values.length * ticks);
  for (let actor = 0; actor < bits.actors; actor++) {
    const from = (numbers?.[actor] ?? 0) * ticks;
    bits.eachTick(actor, (tick) => {
      (counts[from + tick] as number)++;
    });
  }
  return Array.from(counts, (n, at) => ({ value: values[Math.floor(at / ticks)] ?? '', tick: at % ticks, n }));
}
