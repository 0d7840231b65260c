/** The views of a period: in all, by interval and by page. */
import type { ColumnTable } from '../../../stores/events/event-store.ts';
import { GroupCounts } from '../rules/count-groups.ts';
import type { CountedField, CountedRows, PackedRows } from '../rules/count-packed.ts';
import type { RankedGroup } from '../rules/rank-groups.ts';
import { RowLayout, rowsByCode } from '../rules/row-layout.ts';
import type { WebRow, WebTable } from '../rules/web-answers.ts';
import type { TableKey } from '../rules/web-question.ts';
import type { Groups } from './code-texts.ts';
import {
  countedTicks,
  inSlice,
  type KeptPeriod,
  lineOf,
  type PersonSlice,
  personsOf,
  type SliceCounter,
  selectColumns,
  tickField,
  timeColumn,
  timesOf,
  visitorField,
} from './kept-period.ts';
import { fromViewRows } from './kept-rows.ts';
import { isKnownBefore, readNumbered } from './kept-site.ts';
import { pageCodesSql, withNumberedSessionsSql } from './sessions-sql.ts';
import { isPathFilter } from './web-events-sql.ts';
import { isBySession, type WebQuery, type WebScope } from './web-scope.ts';

export class ViewCounter implements SliceCounter {
  readonly query: WebQuery;
  readonly width: number;
  readonly table = 'view_rows';
  readonly #period: KeptPeriod;
  readonly #layout: RowLayout;
  readonly #pages: Groups | null;
  readonly #byPage = new GroupCounts();
  readonly #ticks = new GroupCounts();
  #viewers = 0;
  #newVisitors = 0;

  constructor(period: KeptPeriod) {
    this.query = period.query;
    this.#period = period;
    this.#pages = period.tables.includes('page') ? period.texts.groupsOf('page') : null;
    this.#layout = new RowLayout([
      visitorField(period),
      ...(this.#pages === null ? [] : [{ name: 'page', size: period.site.codeLimit }]),
      ...tickField(period),
    ]);
    this.width = 2 + this.#layout.size;
  }

  from(scope: WebScope): string {
    return fromViewRows(scope, this.#period.range);
  }

  read(slice: PersonSlice): Promise<ColumnTable> {
    const { range, lookups } = this.#period;
    const hasRules = this.query.question.settings.channel_rules.length > 0;
    return readNumbered(this.query, (scope) => {
      const isFiltered = isBySession(scope);
      const sessions = isFiltered ? withNumberedSessionsSql(scope, range, { codes: [], hasRules }, lookups) : '';
      const ofSessions = isFiltered ? 'and w.session in (select number from x)' : '';
      const ofPages = scope.question.filters.some(isPathFilter) ? `and w.page in (${pageCodesSql(scope)})` : '';
      const columns = {
        ...this.#layout.sql({ visitor: 'w.visitor', ...(this.#pages === null ? {} : { page: 'w.page' }) }),
        ...timeColumn(this.#period, scope, 'w.happened'),
      };
      return `${sessions} ${selectColumns(columns)}
        ${fromViewRows(scope, range)} ${ofSessions} ${ofPages} and ${inSlice(scope, 'w.visitor', slice)}`;
    });
  }

  async pack(table: ColumnTable): Promise<PackedRows> {
    const words = this.#layout.words(table);
    const fields: CountedField[] = [];
    if (this.#pages !== null) {
      const place = this.#layout.place('page');
      fields.push({ place, groups: await this.#pages.of(() => rowsByCode(words, place)) });
    }
    return {
      words,
      visitor: this.#layout.place('visitor'),
      times: timesOf(this.#period, this.#layout, table),
      sessions: null,
      persons: await personsOf(this.#period),
      filled: null,
      fields: [...fields, ...countedTicks(this.#period, this.#layout)],
    };
  }

  async add({ tables, persons }: CountedRows): Promise<void> {
    const { site, range } = this.#period;
    const visitors = await site.visitors();
    const counts = [...(this.#pages === null ? [] : [this.#byPage]), this.#ticks];
    for (const [at, numbers] of tables.entries()) counts[at]?.add(numbers);
    this.#viewers += persons.length;
    for (const person of persons) if (!isKnownBefore(visitors, person, range)) this.#newVisitors++;
  }

  async answer() {
    return {
      totals: {
        views: this.#ticks.numbers.rows.reduce((total, rows) => total + rows, 0),
        viewers: this.#viewers,
        newVisitors: this.#newVisitors,
      },
      series: {
        views: lineOf(this.#period, this.#ticks.numbers.rows),
        visitors: lineOf(this.#period, this.#ticks.numbers.visitors),
      },
      tables: await this.#tables(),
    };
  }

  /** The pages that are shown, with the numbers of their groups, and how many there are in all. */
  async rankedPages() {
    if (this.#pages === null) return { rows: [], total: 0 };
    return this.#period.texts.rank(this.#byPage.numbers, this.#pages);
  }

  async #tables(): Promise<Map<TableKey, WebTable>> {
    if (this.#pages === null) return new Map();
    const { rows, total } = await this.rankedPages();
    return new Map([['page', { rows: rows.map(pageRow), total }]]);
  }
}

export const pageRow = ({ value, visitors, rows: views }: RankedGroup & { value: string }): WebRow => ({
  ...{ value, visitors, views, sessions: null, bounces: null, seconds: null },
});
