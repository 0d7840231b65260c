/** What the codes of sessions and views stand for, and the groups of a table that they make. */
import { type ChannelRow, channelRow, unnamedChannelRow } from '../../../query/sessions/channel-sql.ts';
import { NO_VALUE } from '../../../query/sessions/text-filter-sql.ts';
import type { CodeGroups, GroupNumbers } from '../rules/count-groups.ts';
import { compareGroups, firstGroups, type RankedGroup } from '../rules/rank-groups.ts';
import type { SessionKey, TablePage } from '../rules/web-question.ts';
import { readNumbered } from './kept-site.ts';
import { knownSql } from './sessions-sql.ts';
import { ruledPathSql } from './web-events-sql.ts';
import { beginStatement, type WebQuery, type WebScope } from './web-scope.ts';

/** The groups of a table. Their numbers stay the same while rows are added. */
export interface Groups {
  /** `rows`: counts how many there are of each code. */
  of(rows: () => Int32Array): Promise<CodeGroups>;
  texts(groups: readonly number[]): Promise<ReadonlyMap<number, string>> | ReadonlyMap<number, string>;
}

/** What a table shows for the text `t.text`. */
interface ShownText {
  /** Whether different texts are shown as different ones. */
  isPlain: boolean;
  sql(scope: WebScope): string;
}

/** A site with fewer texts than this has them all read at once. */
const MAX_SMALL_CODE = 5000;
/** More codes than this are looked up by reading all. */
const MAX_LISTED_CODES = 1000;
/** Naming more channels and sources would take too long: the rarest are of an unknown channel. */
const MAX_CHANNEL_KEYS = 50_000;

export class CodeTexts {
  readonly #query: WebQuery;
  readonly #page: TablePage;
  /** No code is as large. */
  readonly #limit: number;
  #small: Promise<ReadonlyMap<number, string>> | undefined;
  #paths: Groups | undefined;
  readonly #channels = new Map<number, ChannelRow>();

  constructor(query: WebQuery, page: TablePage, limit: number) {
    this.#query = query;
    this.#page = page;
    this.#limit = limit;
  }

  /** Pages, entries and exits have the same groups. */
  groupsOf(key: SessionKey | 'page'): Groups {
    if (!isPathKey(key)) return this.#groups(shownValue(key));
    this.#paths ??= this.#groups(shownPath(this.#query));
    return this.#paths;
  }

  #groups(shown: ShownText): Groups {
    if (!shown.isPlain) return new TextGroups((rows) => this.#textsOf(usedCodes(rows), shown.sql));
    return {
      of: async () => plainGroups(this.#limit, await this.#findNone()),
      texts: (groups) => this.#plainTexts(groups),
    };
  }

  channelGroups(key: keyof ChannelRow): Groups {
    return new TextGroups(async (rows) => {
      await this.#nameChannels(rows);
      return new Map(usedCodes(rows).map((code) => [code, this.#channelText(code, key)]));
    });
  }

  /** Channels by codes, and before them the project's own rules. */
  ruledChannelGroups(): Groups {
    const { channel_rules: rules } = this.#query.question.settings;
    return new TextGroups(async (ruled) => {
      const rows = ruled.slice(rules.length);
      await this.#nameChannels(rows);
      const ofRules = rules.map(({ channel }, at): [number, string] => [at, channel]);
      const others = usedCodes(rows).map((code): [number, string] => [
        code + rules.length,
        this.#channelText(code, 'channel'),
      ]);
      return new Map([...ofRules, ...others]);
    });
  }

  /** The rows of the page of a table, and how many there are in all. */
  async rank(counts: GroupNumbers, groups: Groups) {
    const { limit, offset, search, order } = this.#page;
    const used: RankedGroup[] = [];
    counts.rows.forEach((rows, group) => {
      if (rows > 0) used.push({ group, rows, visitors: counts.visitors[group] as number });
    });
    const candidates = search === '' ? firstGroups(used, order, offset + limit) : used;
    const values = await groups.texts(candidates.map(({ group }) => group));
    const named = candidates.map((one) => ({ ...one, value: values.get(one.group) ?? NO_VALUE }));
    const found = search === '' ? named : await this.#search(named, search);
    return {
      rows: found.toSorted(compareGroups(order)).slice(offset, offset + limit),
      total: search === '' ? used.length : found.length,
    };
  }

  /** By the engine, which has its own idea of upper and lower case. */
  async #search<T extends { value: string }>(named: readonly T[], search: string): Promise<T[]> {
    if (named.length === 0) return [];
    const { statement } = beginStatement(this.#query);
    const { sql } = statement;
    const values = sql.rows(
      ['value'],
      named.map(({ value }) => ({ value })),
    );
    const rows = await statement.query(
      `select distinct v.value as value from ${values} v where ${sql.containsIgnoringCase('v.value', search)}`,
    );
    const found = new Set(rows.map((row) => String(row['value'])));
    return named.filter(({ value }) => found.has(value));
  }

  async #plainTexts(codes: readonly number[]): Promise<ReadonlyMap<number, string>> {
    const texts = await this.#sentTexts(codes);
    return new Map(codes.map((code) => [code, texts.get(code) || NO_VALUE]));
  }

  /** Texts as they were sent, of these codes at least. */
  async #sentTexts(codes: readonly number[]): Promise<ReadonlyMap<number, string>> {
    const small = await this.#smallTexts();
    return codes.every((code) => small.has(code)) ? small : this.#textsOf(codes, () => 't.text');
  }

  /** All of a small site, and at least the two that are shown as none. */
  #smallTexts(): Promise<ReadonlyMap<number, string>> {
    this.#small ??= this.#textsOf(null, () => 't.text');
    return this.#small;
  }

  /** Of these codes; null for `#smallTexts`. */
  async #textsOf(codes: readonly number[] | null, shown: ShownText['sql']): Promise<ReadonlyMap<number, string>> {
    if (codes?.length === 0) return new Map();
    const table = await readNumbered(this.#query, (scope) => {
      const { statement } = scope;
      const isSmall = (): string => `(t.code <= ${MAX_SMALL_CODE} or t.text in ('', ${statement.sql.param(NO_VALUE)}))`;
      const isUsed = codes === null ? isSmall() : isListed(codes);
      return `select t.code as code, ${shown(scope)} as text from session_texts t
        where t.project_id = ${statement.sql.param(statement.projectId)} and ${isUsed}`;
    });
    const texts = table.texts('text');
    return new Map(Array.from(table.integers('code'), (code, row) => [code, texts[row] as string]));
  }

  /** A text may be the very word that is shown for none: it is the same row of a table. */
  async #findNone(): Promise<ReadonlyMap<number, number>> {
    const codes = new Map<string, number>();
    for (const [code, text] of await this.#smallTexts()) if (text === '' || text === NO_VALUE) codes.set(text, code);
    const [word, empty] = [codes.get(NO_VALUE), codes.get('')];
    return new Map(word === undefined || empty === undefined ? [] : [[word, empty]]);
  }

  #channelText(code: number, key: keyof ChannelRow): string {
    return this.#channels.get(code)?.[key] || NO_VALUE;
  }

  async #nameChannels(rows: Int32Array): Promise<void> {
    const used = usedCodes(rows).filter((code) => !this.#channels.has(code));
    if (used.length === 0) return;
    const keys = await this.#sentTexts(used);
    const left = Math.max(0, MAX_CHANNEL_KEYS - this.#channels.size);
    const isNew = new Set(used);
    const named =
      used.length > left
        ? new Set(
            mostFrequent(rows)
              .filter((code) => isNew.has(code))
              .slice(0, left),
          )
        : isNew;
    const { own_domains: own } = this.#query.question.settings;
    for (const code of used) {
      const key = keys.get(code) ?? '';
      this.#channels.set(code, named.has(code) ? channelRow(key, own) : unnamedChannelRow(key));
    }
  }
}

const isPathKey = (key: SessionKey | 'page'): boolean => key === 'entry' || key === 'exit' || key === 'page';

const shownPath = ({ question }: WebQuery): ShownText => ({
  isPlain: question.settings.path_rules.length === 0,
  sql: (scope) => ruledPathSql(scope, 't.text'),
});

const shownValue = (key: SessionKey | 'page'): ShownText => ({
  isPlain: key !== 'screen_size',
  sql(scope) {
    const text = key === 'screen_size' ? knownSql(scope, key, 't.text') : 't.text';
    return `case when ${text} = '' then ${scope.statement.sql.param(NO_VALUE)} else ${text} end`;
  },
});

const isListed = (codes: readonly number[]): string =>
  codes.length > MAX_LISTED_CODES ? 'true' : `t.code in (${codes.map(Number).join(', ')})`;

/** The codes that have rows. */
function usedCodes(rows: Int32Array): number[] {
  const used: number[] = [];
  rows.forEach((count, code) => {
    if (count > 0) used.push(code);
  });
  return used;
}

const mostFrequent = (rows: Int32Array): number[] =>
  usedCodes(rows).sort((a, b) => (rows[b] as number) - (rows[a] as number) || a - b);

/** Of the codes below `limit`. `none`: codes that are shown as others. */
function plainGroups(limit: number, none: ReadonlyMap<number, number>): CodeGroups {
  if (none.size === 0) return { groupOf: null, size: limit };
  const groupOf = new Int32Array(limit).map((_, code) => none.get(code) ?? code);
  return { groupOf, size: groupOf.reduce((size, group) => Math.max(size, group + 1), 0) };
}

/** A group for each text. */
class TextGroups implements Groups {
  readonly #textsOf: (rows: Int32Array) => Promise<ReadonlyMap<number, string>>;
  readonly #groups = new Map<string, number>();
  readonly #names: string[] = [];

  /** `textsOf`: of all codes that have rows. */
  constructor(textsOf: (rows: Int32Array) => Promise<ReadonlyMap<number, string>>) {
    this.#textsOf = textsOf;
  }

  async of(count: () => Int32Array): Promise<CodeGroups> {
    const rows = count();
    const groupOf = new Int32Array(rows.length);
    for (const [code, text] of await this.#textsOf(rows)) groupOf[code] = this.#groupOf(text);
    return { groupOf, size: Math.max(1, this.#names.length) };
  }

  texts(groups: readonly number[]): ReadonlyMap<number, string> {
    return new Map(groups.map((group) => [group, this.#names[group] as string]));
  }

  #groupOf(text: string): number {
    const known = this.#groups.get(text);
    if (known !== undefined) return known;
    this.#groups.set(text, this.#names.length);
    return this.#names.push(text) - 1;
  }
}
