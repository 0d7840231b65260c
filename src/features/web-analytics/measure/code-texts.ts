/** What the codes of sessions and views stand for, and the groups of a table that they make. */
import { type ChannelRow, channelRow, unnamedChannelRow } from '../../../query/sessions/channel-sql.ts';
import { NO_VALUE } from '../../../query/sessions/text-filter-sql.ts';
import type { GroupCounts } from '../rules/count-groups.ts';
import { compareGroups, firstGroups, type RankedGroup } from '../rules/rank-groups.ts';
import type { TablePage } from '../rules/web-question.ts';
import { readNumbered } from './kept-site.ts';
import { beginStatement, type WebQuery, type WebScope } from './web-scope.ts';

/** The groups of a table. */
export interface Groups {
  /** Of each row. */
  of: Int32Array;
  size: number;
  texts(groups: readonly number[]): Promise<ReadonlyMap<number, string>> | ReadonlyMap<number, string>;
}

/** What a table shows for the text `t.text`. */
export interface ShownText {
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
  #small: Promise<ReadonlyMap<number, string>> | undefined;
  #none: Promise<ReadonlyMap<number, number>> | undefined;
  #channels: Promise<ReadonlyMap<number, ChannelRow>> | undefined;

  constructor(query: WebQuery, page: TablePage) {
    this.#query = query;
    this.#page = page;
  }

  async groups(codes: Int32Array, shown: ShownText): Promise<Groups> {
    if (!shown.isPlain) return groupsByText(codes, await this.#textsOf(usedCodes(codes), shown.sql));
    this.#none ??= this.#findNone();
    const none = await this.#none;
    const of = none.size === 0 ? codes : codes.map((code) => none.get(code) ?? code);
    return { of, size: sizeFor(of), texts: (groups) => this.#plainTexts(groups) };
  }

  /** `rules`: the number of the project's own rule that each row fits, or -1; null where there are none. */
  async channelGroups(codes: Int32Array, key: keyof ChannelRow, rules: Int32Array | null): Promise<Groups> {
    this.#channels ??= this.#findChannels(codes);
    const texts = new Map([...(await this.#channels)].map(([code, row]) => [code, row[key] || NO_VALUE]));
    if (rules === null) return groupsByText(codes, texts);
    const base = sizeFor(codes);
    for (const [at, { channel }] of this.#query.question.settings.channel_rules.entries())
      texts.set(base + at, channel);
    const ruled = codes.map((code, row) => ((rules[row] as number) < 0 ? code : base + (rules[row] as number)));
    return groupsByText(ruled, texts);
  }

  /** The rows of the page of a table, and how many there are in all. */
  async rank(counts: GroupCounts, texts: Groups['texts']) {
    const { limit, offset, search, order } = this.#page;
    const used: RankedGroup[] = [];
    counts.rows.forEach((rows, group) => {
      if (rows > 0) used.push({ group, rows, visitors: counts.visitors[group] as number });
    });
    const candidates = search === '' ? firstGroups(used, order, offset + limit) : used;
    const values = await texts(candidates.map(({ group }) => group));
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
    this.#small ??= this.#textsOf(null, () => 't.text');
    const small = await this.#small;
    return codes.every((code) => small.has(code)) ? small : this.#textsOf(codes, () => 't.text');
  }

  /** Of these codes; null for those of a small site. */
  async #textsOf(codes: readonly number[] | null, shown: ShownText['sql']): Promise<ReadonlyMap<number, string>> {
    if (codes?.length === 0) return new Map();
    const table = await readNumbered(this.#query, (scope) => {
      const { statement } = scope;
      const isUsed = codes === null ? `t.code <= ${MAX_SMALL_CODE}` : isListed(codes);
      return `select t.code as code, ${shown(scope)} as text from session_texts t
        where t.project_id = ${statement.sql.param(statement.projectId)} and ${isUsed}`;
    });
    const texts = table.texts('text');
    return new Map(Array.from(table.integers('code'), (code, row) => [code, texts[row] as string]));
  }

  /** A text may be the very word that is shown for none: it is the same row of a table. */
  async #findNone(): Promise<ReadonlyMap<number, number>> {
    const { statement } = beginStatement(this.#query);
    const { sql } = statement;
    const rows = await statement.query(
      `select t.code as code, t.text as text from session_texts t
      where t.project_id = ${sql.param(statement.projectId)} and (t.text = '' or t.text = ${sql.param(NO_VALUE)})`,
    );
    const codeOf = (text: string): unknown => rows.find((row) => row['text'] === text)?.['code'];
    const [word, empty] = [codeOf(NO_VALUE), codeOf('')];
    return new Map(word === undefined || empty === undefined ? [] : [[Number(word), Number(empty)]]);
  }

  async #findChannels(codes: Int32Array): Promise<ReadonlyMap<number, ChannelRow>> {
    const used = usedCodes(codes);
    const keys = await this.#sentTexts(used);
    const named = new Set(used.length > MAX_CHANNEL_KEYS ? mostFrequent(codes, MAX_CHANNEL_KEYS) : used);
    const { own_domains: own } = this.#query.question.settings;
    return new Map(
      used.map((code) => {
        const key = keys.get(code) ?? '';
        return [code, named.has(code) ? channelRow(key, own) : unnamedChannelRow(key)];
      }),
    );
  }
}

const isListed = (codes: readonly number[]): string =>
  codes.length > MAX_LISTED_CODES ? 'true' : `t.code in (${codes.map(Number).join(', ')})`;

const sizeFor = (codes: Int32Array): number => {
  let most = 0;
  for (const code of codes) if (code > most) most = code;
  return most + 1;
};

function countCodes(codes: Int32Array): Int32Array {
  const counts = new Int32Array(sizeFor(codes));
  for (const code of codes) counts[code] = (counts[code] as number) + 1;
  return counts;
}

function usedCodes(codes: Int32Array): number[] {
  const used: number[] = [];
  countCodes(codes).forEach((count, code) => {
    if (count > 0) used.push(code);
  });
  return used;
}

const mostFrequent = (codes: Int32Array, limit: number): number[] =>
  Array.from(countCodes(codes), (count, code) => ({ count, code }))
    .filter(({ count }) => count > 0)
    .sort((a, b) => b.count - a.count || a.code - b.code)
    .slice(0, limit)
    .map(({ code }) => code);

/** A group for each text. */
function groupsByText(codes: Int32Array, texts: ReadonlyMap<number, string>): Groups {
  const groupOf = new Map<string, number>();
  const ofCode = new Int32Array(sizeFor(codes));
  const names: string[] = [];
  for (const [code, text] of texts) {
    const group = groupOf.get(text) ?? names.length;
    if (group === names.length) names.push(text);
    groupOf.set(text, group);
    ofCode[code] = group;
  }
  return {
    of: codes.map((code) => ofCode[code] as number),
    size: Math.max(1, names.length),
    texts: (groups) => new Map(groups.map((group) => [group, names[group] as string])),
  };
}
