/** The views of a period: in all, by interval and by page. */
import type { ColumnTable } from '../../../stores/events/event-store.ts';
import { GroupCounts } from '../rules/count-groups.ts';
import type { WebRow, WebTable } from '../rules/web-answers.ts';
import type { TableKey } from '../rules/web-question.ts';
import type { Groups } from './code-texts.ts';
import {
  inSlice,
  type KeptPeriod,
  lineOf,
  type PersonSlice,
  type SliceCounter,
  secondsSinceSql,
} from './kept-period.ts';
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
        select w.visitor as visitor, ${secondsSinceSql(scope, 'w.happened', range)} as at
          ${this.#pages === null ? '' : ', w.page as page'}
        ${fromViewRows(scope, range)} ${ofSessions} ${ofPages} and ${inSlice(scope, 'w.visitor', slice)}`;
    });
  }

  async add(table: ColumnTable): Promise<void> {
    const rows = new RowsByPerson(table, this.#period);
    this.#views += rows.persons.length;
    this.#countPersons(await rows.addTicks(this.#ticks, this.#period));
    if (this.#pages === null) return;
    const counted = await rows.count(rows.column('page'));
    await rows.add(this.#byPage, counted, await this.#pages.of(counted.rows));
  }

  async answer() {
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
