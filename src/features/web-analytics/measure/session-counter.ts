/** The sessions that began in a period: in all, by interval and by the values of the tables. */
import { MAX_SESSION_MS } from '../../../core/web/web-session.ts';
import { channelRuleSql } from '../../../query/sessions/channel-sql.ts';
import type { ColumnTable } from '../../../stores/events/event-store.ts';
import { GroupCounts, type GroupNumbers } from '../rules/count-groups.ts';
import type { CountedField, CountedRows, PackedRows } from '../rules/count-packed.ts';
import { RowLayout, rowsByCode } from '../rules/row-layout.ts';
import type { WebTable } from '../rules/web-answers.ts';
import type { SessionKey, TableKey } from '../rules/web-question.ts';
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
import { fromRows } from './kept-rows.ts';
import { isKnownBefore, readNumbered } from './kept-site.ts';
import { withNumberedSessionsSql } from './sessions-sql.ts';
import type { WebQuery, WebScope } from './web-scope.ts';

/** Keys of which the code of the channel tells the text. */
const CHANNEL_KEYS = ['channel', 'source', 'referrer'] as const;

const isChannelKey = (key: TableKey): key is (typeof CHANNEL_KEYS)[number] => CHANNEL_KEYS.some((one) => one === key);

const codeColumn = (key: TableKey): string => (isChannelKey(key) ? 'channel_code' : `${key}_code`);

/** What seconds and bounces are found by. */
const DURATION = `cast(least(o.ended - o.started, ${MAX_SESSION_MS}) as integer) * 2 + cast(o.hits <= 1 as integer)`;

export class SessionCounter implements SliceCounter {
  readonly query: WebQuery;
  readonly width: number;
  readonly table = 'session_rows';
  readonly #period: KeptPeriod;
  readonly #hasSums: boolean;
  readonly #layout: RowLayout;
  readonly #codes: readonly string[];
  readonly #tables: readonly { key: TableKey; groups: Groups; counts: GroupCounts }[];
  #visitors = 0;
  readonly #ticks = new GroupCounts();

  /** `hasSums`: whether seconds and bounces are asked for, beside how many sessions there are. */
  constructor(period: KeptPeriod, { hasSums = true } = {}) {
    const keys = period.tables.filter((key) => key !== 'page');
    const { codeLimit } = period.site;
    this.query = period.query;
    this.#period = period;
    this.#hasSums = hasSums;
    this.#codes = [...new Set(keys.filter((key) => key !== 'new' && !this.#isRuled(key)).map(codeColumn))];
    this.#tables = keys.map((key) => ({ key, groups: this.#groupsOf(key), counts: new GroupCounts() }));
    this.#layout = new RowLayout([
      visitorField(period),
      ...this.#codes.map((name) => ({ name, size: codeLimit })),
      ...(keys.some((key) => this.#isRuled(key)) ? [{ name: 'rule', size: this.#rules + codeLimit }] : []),
      ...tickField(period),
      ...(keys.includes('new') ? [{ name: 'new', size: 2, isFilledIn: true }] : []),
    ]);
    this.width = 3 + this.#layout.size;
  }

  from(scope: WebScope): string {
    return fromRows(scope, this.#period.range);
  }

  read(slice: PersonSlice): Promise<ColumnTable> {
    const { range, lookups } = this.#period;
    return readNumbered(this.query, (scope) => {
      const words = this.#layout.sql({
        visitor: 'o.visitor',
        ...Object.fromEntries(this.#codes.map((name) => [name, `o.${name}`])),
        ...(this.#tables.some(({ key }) => this.#isRuled(key)) ? { rule: this.#ruledSql(scope) } : {}),
      });
      const columns = {
        ...words,
        ...timeColumn(this.#period, scope, 'o.started'),
        ...(this.#hasSums ? { duration: DURATION } : {}),
      };
      const { sql } = scope.statement;
      return `${withNumberedSessionsSql(scope, range, { codes: this.#readCodes, hasRules: this.#hasRules }, lookups)}
        ${selectColumns(columns)} from x o
        where o.started >= ${sql.integer(range.from)} and o.started < ${sql.integer(range.until)}
          and ${inSlice(scope, 'o.visitor', slice)}`;
    });
  }

  async pack(table: ColumnTable): Promise<PackedRows> {
    const layout = this.#layout;
    const words = layout.words(table);
    const fields: CountedField[] = [];
    const found = new Map<string, Int32Array>();
    for (const { key, groups } of this.#tables) {
      const name = this.#fieldOf(key);
      const place = layout.place(name);
      const rowsOf = (): Int32Array => {
        const rows = found.get(name) ?? rowsByCode(words, place);
        found.set(name, rows);
        return rows;
      };
      fields.push({ place, groups: await groups.of(rowsOf) });
    }
    const isNewAsked = this.#tables.some(({ key }) => key === 'new');
    return {
      words,
      visitor: layout.place('visitor'),
      times: timesOf(this.#period, layout, table),
      sessions: this.#hasSums
        ? { durations: table.integers('duration'), bounceSeconds: this.query.question.settings.bounce_seconds }
        : null,
      persons: await personsOf(this.#period),
      filled: isNewAsked ? { place: layout.place('new'), codeOf: await this.#knownPersons() } : null,
      fields: [...fields, ...countedTicks(this.#period, layout)],
    };
  }

  async add({ tables, persons }: CountedRows): Promise<void> {
    this.#visitors += persons.length;
    const counts = [...this.#tables.map((one) => one.counts), this.#ticks];
    for (const [at, numbers] of tables.entries()) counts[at]?.add(numbers);
  }

  /** 1 for each person who had a view before the period. */
  async #knownPersons(): Promise<Uint8Array> {
    const { site, range } = this.#period;
    const visitors = await site.visitors();
    return Uint8Array.from({ length: site.visitorLimit }, (_, person) =>
      isKnownBefore(visitors, person, range) ? 1 : 0,
    );
  }

  async answer() {
    const [ticks, period] = [this.#ticks.numbers, this.#period];
    return {
      totals: {
        sessions: sum(ticks.rows),
        visitors: this.#visitors,
        bounces: sum(ticks.bounces),
        seconds: sum(ticks.seconds),
      },
      series: {
        sessions: lineOf(period, ticks.rows),
        bounces: lineOf(period, ticks.bounces),
        seconds: lineOf(period, ticks.seconds),
      },
      tables: await this.tables(),
    };
  }

  async tables(): Promise<Map<TableKey, WebTable>> {
    const tables = new Map<TableKey, WebTable>();
    for (const { key, groups, counts } of this.#tables) {
      tables.set(key, await this.#answerTable(groups, counts.numbers));
    }
    return tables;
  }

  /** How many sessions each group of a table has. */
  rowsOf(key: TableKey): Int32Array {
    return this.#tables.find((one) => one.key === key)?.counts.numbers.rows ?? new Int32Array(0);
  }

  async #answerTable(groups: Groups, counts: GroupNumbers): Promise<WebTable> {
    const ranked = await this.#period.texts.rank(counts, groups);
    return {
      rows: ranked.rows.map(({ group, value, visitors, rows: sessions }) => ({
        ...{ value, visitors, sessions, views: null },
        bounces: counts.bounces[group] ?? 0,
        seconds: counts.seconds[group] ?? 0,
      })),
      total: ranked.total,
    };
  }

  get #hasRules(): boolean {
    return this.#rules > 0;
  }

  get #rules(): number {
    return this.query.question.settings.channel_rules.length;
  }

  /** What rules leave over is told by the channel's code. */
  get #readCodes(): readonly string[] {
    return this.#hasRules ? [...new Set([...this.#codes, 'channel_code'])] : this.#codes;
  }

  #isRuled(key: TableKey): boolean {
    return key === 'channel' && this.#hasRules;
  }

  #groupsOf(key: TableKey): Groups {
    const { texts } = this.#period;
    if (key === 'new') return NEW_OR_KNOWN;
    if (this.#isRuled(key)) return texts.ruledChannelGroups();
    return isChannelKey(key) ? texts.channelGroups(key) : texts.groupsOf(key as SessionKey);
  }

  /** Tables of the same number have the same codes. */
  #fieldOf(key: TableKey): string {
    if (key === 'new') return key;
    return this.#isRuled(key) ? 'rule' : codeColumn(key);
  }

  /** The number of the project's own rule that a session fits; the others' codes come after the rules. */
  #ruledSql(scope: WebScope): string {
    return `cast(coalesce(nullif(${channelRuleSql(scope)}, -1), o.channel_code + ${this.#rules}) as integer)`;
  }
}

const sum = (values: Iterable<number>): number => [...values].reduce((total, value) => total + value, 0);

/** New visitors are `true`, as in filters. */
const NEW_OR_KNOWN: Groups = {
  of: async () => ({ groupOf: null, size: 2 }),
  texts: (groups) => new Map(groups.map((one) => [one, one === 1 ? 'false' : 'true'])),
};
