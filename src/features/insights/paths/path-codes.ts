/**
 * The items of paths as numbers: addresses, screens and names come again and again, so each is read, cleaned and told
 * apart once. Which number means which item is settled before the events are read.
 */

import { replacePattern } from '../../../lib/search-pattern.ts';
import type { SqlBuilder } from '../../../stores/events/dialect.ts';
import type { PathsQuestion } from '../rules/question.ts';
import { cleanItem } from './rules/path-items.ts';

/** Where there are more items than this, they are read as texts, and fewer events at a time. */
export const MAX_CODED_ITEMS = 100_000;
const MAX_TEXT_BATCH_EVENTS = 1_000_000;

/** What is left out of paths. */
export const EXCLUDED_CODE = -1;

export class PathCodes {
  readonly #question: PathsQuestion;
  readonly #excluded: ReadonlySet<string>;
  /** Item → code, once cleaned. */
  readonly #codes = new Map<string, number>();
  readonly #names: string[] = [];
  /** Item as events have it → code; null where there are too many to know beforehand. */
  readonly #known: ReadonlyMap<string, number> | null;

  /** `items` are all that there are; null where they are too many. */
  constructor(question: PathsQuestion, items: readonly string[] | null) {
    this.#question = question;
    this.#excluded = new Set(question.excluded);
    this.#known = items && new Map(items.map((item) => [item, this.#codeOf(item)]));
  }

  /** Whether no further items will be met. */
  get isComplete(): boolean {
    return this.#known !== null;
  }

  get count(): number {
    return this.#names.length;
  }

  /** Events that may be read at once; undefined: as many as usual. */
  get maxBatchEvents(): number | undefined {
    return this.#known === null ? MAX_TEXT_BATCH_EVENTS : undefined;
  }

  nameOf(code: number): string {
    return this.#names[code] ?? '';
  }

  /**
   * The table of codes, to be joined, where they are known: `c.code` is an event's. What is left out of paths is not in
   * it, and so not in what it is joined to.
   */
  join(sql: SqlBuilder, item: string): string {
    const kept = [...(this.#known ?? [])].filter(([, code]) => code !== EXCLUDED_CODE);
    const rows = kept.map(([text, code]) => ({ text, code: String(code) }));
    // Numbers are made of the codes before they are joined: of few of them, not of all events'.
    const codes = `(select t.text as text, cast(t.code as integer) as code from ${sql.rows(['text', 'code'], rows)} t)`;
    return `join ${codes} c on c.text = ${item}`;
  }

  /** The codes of items that were not known. */
  read(items: readonly string[]): Int32Array {
    const known = new Map<string, number>();
    return Int32Array.from(items, (item) => {
      const code = known.get(item) ?? this.#codeOf(item);
      known.set(item, code);
      return code;
    });
  }

  #codeOf(item: string): number {
    const cleaned = cleanItem(this.#question, item, replacePattern);
    if (this.#excluded.has(cleaned)) return EXCLUDED_CODE;
    const code = this.#codes.get(cleaned);
    if (code !== undefined) return code;
    this.#codes.set(cleaned, this.#names.length);
    return this.#names.push(cleaned) - 1;
  }
}
