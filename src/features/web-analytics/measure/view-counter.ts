/** The views of a period: in all, by interval and by page. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { leave } from '../../../lib/rpc.ts';
import type { ColumnTable } from '../../../stores/events/event-store.ts';
import { GroupCounts } from '../rules/count-groups.ts';
import { type CountedViews, countViews, type ViewColumns } from '../rules/count-views.ts';
import type { WebRow, WebTable } from '../rules/web-answers.ts';
import type { TableKey } from '../rules/web-question.ts';
import type { Groups } from './code-texts.ts';
import { inSlice, type KeptPeriod, lineOf, type PersonSlice, type SliceCounter, tickOfRowSql } from './kept-period.ts';
import { fromViewRows } from './kept-rows.ts';
import { readNumbered } from './kept-site.ts';
import { isKnownBefore, RowsByPerson } from './rows-by-person.ts';
import { shownText } from './session-counter.ts';
import { pageCodesSql, withNumberedSessionsSql } from './sessions-sql.ts';
import { isPathFilter } from './web-events-sql.ts';
import { isBySession, type WebQuery, type WebScope } from './web-scope.ts';

export class ViewCounter implements SliceCounter {
  readonly query: WebQuery;
  readonly width: number;
  readonly table = 'view_rows';
  readonly #period: KeptPeriod;
  readonly #pages: Groups | null;
  readonly #byPage = new GroupCounts();
  readonly #ticks = new GroupCounts();
  #views = 0;
  /** What the second thread does. */
  #counting: Promise<void> = Promise.resolve();
  #viewers = 0;
  #newVisitors = 0;

  constructor(period: KeptPeriod) {
    this.query = period.query;
    this.#period = period;
    this.#pages = period.tables.includes('page') ? period.texts.groups(shownText(period.query, 'page')) : null;
    this.width = this.#pages === null ? 2 : 3;
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
      return `${sessions}
        select w.visitor as visitor, ${tickOfRowSql(scope, 'w.happened', this.#period)} as tick
          ${this.#pages === null ? '' : ', w.page as page'}
        ${fromViewRows(scope, range)} ${ofSessions} ${ofPages} and ${inSlice(scope, 'w.visitor', slice)}`;
    });
  }

  /** Many are counted on the second thread, while sessions are read and counted on this one. */
  async add(table: ColumnTable, slice: PersonSlice): Promise<void> {
    await this.#counting;
    const columns = this.#columnsOf(table);
    const second = this.query.secondThread?.(columns.persons.length);
    if (second === undefined) return this.#add(await countViews(columns, nextTurn));
    const { persons, ticks, pages } = columns;
    this.#counting = second
      .countViews(leave(columns, [persons, ticks, ...(pages === null ? [] : [pages])]))
      // If it ends unexpectedly, its rows are read again.
      .catch(async () => countViews(this.#columnsOf(await this.read(slice)), nextTurn))
      .then((counted) => this.#add(counted));
    this.#counting.catch(() => undefined);
  }

  #columnsOf(table: ColumnTable): ViewColumns {
    const rows = new RowsByPerson(table, this.#period);
    return {
      persons: rows.persons,
      limit: this.#period.site.current.length,
      ticks: rows.column('tick'),
      pages: this.#pages === null ? null : rows.column('page'),
    };
  }

  async #add({ ticks, seen, pages }: CountedViews): Promise<void> {
    this.#views += ticks.rows.reduce((total, rows) => total + rows, 0);
    this.#countPersons(seen);
    await this.#ticks.add(ticks, { groupOf: null, size: this.#period.ticks.length }, nextTurn);
    if (this.#pages !== null && pages !== null) {
      await this.#byPage.add(pages, await this.#pages.of(pages.rows), nextTurn);
    }
  }

  async answer() {
    await this.#counting;
    return {
      totals: { views: this.#views, viewers: this.#viewers, newVisitors: this.#newVisitors },
      series: {
        views: lineOf(this.#period, this.#ticks.rows),
        visitors: lineOf(this.#period, this.#ticks.visitors),
      },
      tables: await this.#tables(),
    };
  }

  async #tables(): Promise<Map<TableKey, WebTable>> {
    if (this.#pages === null) return new Map();
    const { rows, total } = await this.#period.texts.rank(this.#byPage, this.#pages);
    const pages = rows.map(
      ({ value, visitors, rows: views }): WebRow => ({
        ...{ value, visitors, views, sessions: null, bounces: null, seconds: null },
      }),
    );
    return new Map([['page', { rows: pages, total }]]);
  }

  #countPersons(seen: Uint8Array): void {
    const { site, range } = this.#period;
    for (let person = 0; person < seen.length; person++) {
      if (seen[person] === 0) continue;
      this.#viewers++;
      if (!isKnownBefore(site, person, range)) this.#newVisitors++;
    }
  }
}
