/** The sessions that began in a period: in all, by interval and by the values of the tables. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { channelRuleSql } from '../../../query/sessions/channel-sql.ts';
import { NO_VALUE } from '../../../query/sessions/text-filter-sql.ts';
import type { ColumnTable } from '../../../stores/events/event-store.ts';
import { combineCodes } from '../rules/combine-codes.ts';
import { type CodeGroups, GroupCounts, largest, seenVisitors } from '../rules/count-groups.ts';
import type { WebTable } from '../rules/web-answers.ts';
import type { SessionKey, TableKey } from '../rules/web-question.ts';
import { type Groups, type ShownText, withRules } from './code-texts.ts';
import { inSlice, type KeptPeriod, lineOf, type PersonSlice, type SliceCounter, tickOfRowSql } from './kept-period.ts';
import { fromRows } from './kept-rows.ts';
import { readNumbered } from './kept-site.ts';
import { isKnownBefore, RowsByPerson } from './rows-by-person.ts';
import { knownSql, withNumberedSessionsSql } from './sessions-sql.ts';
import { ruledPathSql } from './web-events-sql.ts';
import type { WebQuery, WebScope } from './web-scope.ts';

/** Keys of which the code of the channel tells the text. */
const CHANNEL_KEYS = ['channel', 'source', 'referrer'] as const;

const isChannelKey = (key: TableKey): key is (typeof CHANNEL_KEYS)[number] => CHANNEL_KEYS.some((one) => one === key);

const codeColumn = (key: TableKey): string => (isChannelKey(key) ? 'channel_code' : `${key}_code`);

export class SessionCounter implements SliceCounter {
  readonly query: WebQuery;
  readonly width: number;
  readonly table = 'session_rows';
  readonly #period: KeptPeriod;
  readonly #codes: readonly string[];
  readonly #tables: readonly { key: TableKey; groups: Groups; counts: GroupCounts }[];
  #visitors = 0;
  readonly #ticks = new GroupCounts();

  constructor(period: KeptPeriod) {
    const keys = period.tables.filter((key) => key !== 'page');
    this.query = period.query;
    this.#period = period;
    this.#codes = [...new Set(keys.filter((key) => key !== 'new').map(codeColumn))];
    this.#tables = keys.map((key) => ({ key, groups: this.#groupsOf(key), counts: new GroupCounts() }));
    this.width = this.#codes.length + 5;
  }

  from(scope: WebScope): string {
    return fromRows(scope, this.#period.range);
  }

  read(slice: PersonSlice): Promise<ColumnTable> {
    const { range, lookups } = this.#period;
    return readNumbered(this.query, (scope) => {
      const columns = [
        'o.visitor as visitor',
        `${tickOfRowSql(scope, 'o.started', this.#period)} as tick`,
        'cast(o.seconds as integer) as seconds',
        'o.is_bounce as is_bounce',
        ...this.#codes.map((name) => `o.${name} as ${name}`),
        ...(this.#hasRules ? [`${channelRuleSql(scope)} as rule`] : []),
      ];
      const { sql } = scope.statement;
      return `${withNumberedSessionsSql(scope, range, { codes: this.#codes, hasRules: this.#hasRules }, lookups)}
        select ${columns.join(', ')} from x o
        where o.started >= ${sql.integer(range.from)} and o.started < ${sql.integer(range.until)}
          and ${inSlice(scope, 'o.visitor', slice)}`;
    });
  }

  async add(table: ColumnTable): Promise<void> {
    const rows = new RowsByPerson(table, this.#period);
    const values = { seconds: rows.column('seconds'), bounces: rows.column('is_bounce') };
    const byTick = await rows.count(rows.column('tick'), values);
    await this.#ticks.add(byTick, { groupOf: null, size: this.#period.ticks.length }, nextTurn);
    for (const isSeen of seenVisitors(byTick)) this.#visitors += isSeen;
    const columns = new Map(this.#tables.map(({ key }) => [this.#columnOf(key), this.#codesOf(rows, key)]));
    for (const combined of combineCodes(columns)) {
      const counted = await rows.count(combined.codes, values);
      for (const { key, groups, counts } of this.#tables) {
        const codeOf = combined.columns.get(this.#columnOf(key));
        if (codeOf !== undefined) await counts.add(counted, await groupsOf(counted.rows, codeOf, groups), nextTurn);
      }
    }
  }

  async answer() {
    const [ticks, period] = [this.#ticks, this.#period];
    const tables = new Map<TableKey, WebTable>();
    for (const { key, groups, counts } of this.#tables) tables.set(key, await this.#answerTable(groups, counts));
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
      tables,
    };
  }

  async #answerTable(groups: Groups, counts: GroupCounts): Promise<WebTable> {
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

  #groupsOf(key: TableKey): Groups {
    const { texts } = this.#period;
    if (key === 'new') return NEW_OR_KNOWN;
    if (key === 'channel' && this.#hasRules) return texts.ruledChannelGroups();
    return isChannelKey(key) ? texts.channelGroups(key) : texts.groups(shownText(this.query, key as SessionKey));
  }

  /** Tables of the same column have the same codes. */
  #columnOf(key: TableKey): string {
    if (key === 'new') return key;
    return key === 'channel' && this.#hasRules ? 'rule' : codeColumn(key);
  }

  #codesOf(rows: RowsByPerson, key: TableKey): Int32Array {
    const { site, range } = this.#period;
    if (key === 'new') return rows.persons.map((person) => (isKnownBefore(site, person, range) ? 1 : 0));
    const codes = rows.column(codeColumn(key));
    const isRuled = key === 'channel' && this.#hasRules;
    return isRuled ? withRules(codes, rows.column('rule'), this.#rules) : codes;
  }
}

/** The groups of combined codes. `rows` is how many rows each of these has, `codeOf` its code in the table's column. */
async function groupsOf(rows: Int32Array, codeOf: Int32Array | null, groups: Groups): Promise<CodeGroups> {
  if (codeOf === null) return groups.of(rows);
  const rowsOf = new Int32Array(largest(codeOf) + 1);
  codeOf.forEach((code, combined) => {
    rowsOf[code] = (rowsOf[code] as number) + (rows[combined] as number);
  });
  const { groupOf, size } = await groups.of(rowsOf);
  return { groupOf: groupOf === null ? codeOf : codeOf.map((code) => groupOf[code] as number), size };
}

const sum = (values: Iterable<number>): number => [...values].reduce((total, value) => total + value, 0);

/** New visitors are `true`, as in filters. */
const NEW_OR_KNOWN: Groups = {
  of: async () => ({ groupOf: null, size: 2 }),
  texts: (groups) => new Map(groups.map((one) => [one, one === 1 ? 'false' : 'true'])),
};

/** What is shown for a text of this key. */
export function shownText({ question }: WebQuery, key: SessionKey | 'page'): ShownText {
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
