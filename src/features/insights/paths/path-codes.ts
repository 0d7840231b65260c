/**
 * Numbers for the items of paths: each address, screen or event name is cleaned once. They are assigned before the
 * events are read.
 */

import { replacePattern } from '../../../lib/search-pattern.ts';
import type { SqlBuilder } from '../../../stores/events/dialect.ts';
import type { PathsQuestion } from '../rules/question.ts';
import { cleanItem } from './rules/path-items.ts';
import { EXCLUDED_CODE } from './split-paths.ts';

/** With more items than this they are read as text, and fewer events at a time. */
export const MAX_CODED_ITEMS = 100_000;
const MAX_TEXT_BATCH_EVENTS = 1_000_000;

export class PathCodes {
  readonly #question: PathsQuestion;
  readonly #excluded: ReadonlySet<string>;
  /** Cleaned item → code. */
  readonly #codes = new Map<string, number>();
  readonly #names: string[] = [];
  /** Item of an event → code; null where there are too many to list. */
  readonly #known: ReadonlyMap<string, number> | null;

  /** `items` are all items; null where there are too many. */
  constructor(question: PathsQuestion, items: readonly string[] | null) {
    this.#question = question;
    this.#excluded = new Set(question.excluded);
    this.#known = items && new Map(items.map((item) => [item, this.#codeOf(item)]));
  }

  /** Whether all items are known. */
  get isComplete(): boolean {
    return this.#known !== null;
  }

  get count(): number {
    return this.#names.length;
  }

  /** Undefined: as many as usual. */
  get maxBatchEvents(): number | undefined {
    return this.#known === null ? MAX_TEXT_BATCH_EVENTS : undefined;
  }

  nameOf(code: number): string {
    return this.#names[code] ?? '';
  }

  /** Joins the codes, where all items are known: `c.code` is the event's. Events of excluded items are left out. */
  join(sql: SqlBuilder, item: string): string {
    const included = [...(this.#known ?? [])].filter(([, code]) => code !== EXCLUDED_CODE);
    const rows = included.map(([text, code]) => ({ text, code: String(code) }));
    // Cast before the join: once per item, not per event.
    const codes = `(select t.text as text, cast(t.code as integer) as code from ${sql.rows(['text', 'code'], rows)} t)`;
    return `join ${codes} c on c.text = ${item}`;
  }

  /** The codes of items that are read as text. */
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
