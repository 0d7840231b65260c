/** Rows of sessions or views in the order of the persons that their visitors are now. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Range } from '../../../core/time/range.ts';
import type { ColumnTable } from '../../../stores/events/event-store.ts';
import {
  type GroupCounts,
  type GroupedRows,
  intervalsOf,
  inVisitorOrder,
  sortByVisitor,
  type VisitorRows,
} from '../rules/count-groups.ts';
import type { KeptPeriod } from './kept-period.ts';
import type { KeptSite } from './kept-site.ts';
import type { WebQuery } from './web-scope.ts';

const pause = (): Promise<void> => nextTurn();

export class PersonRows {
  readonly #table: ColumnTable;
  /** The rows that count; null for all. */
  readonly #kept: Int32Array | null;
  readonly #rows: VisitorRows;
  readonly #columns = new Map<string, Promise<Int32Array>>();

  private constructor(table: ColumnTable, kept: Int32Array | null, rows: VisitorRows) {
    this.#table = table;
    this.#kept = kept;
    this.#rows = rows;
  }

  static async of(table: ColumnTable, { query, site, range }: KeptPeriod): Promise<PersonRows> {
    const isNew = newFilter(query, site, range);
    const people = personsOf(table.integers('visitor'), site);
    const kept = isNew === null ? null : rowsWhere(people, isNew);
    return new PersonRows(table, kept, await sortByVisitor(pick(people, kept), site.current.length, pause));
  }

  /** Of each row, ascending. */
  get persons(): Int32Array {
    return this.#rows.visitors;
  }

  column(name: string): Promise<Int32Array> {
    const known = this.#columns.get(name) ?? this.#arrange(this.#sent(name));
    this.#columns.set(name, known);
    return known;
  }

  /** The interval of each row, by its column `at`. */
  async ticks({ ticks, range }: KeptPeriod): Promise<GroupedRows> {
    // The first interval may begin before the range.
    const starts = ticks.length === 0 ? [0] : ticks.map(({ start }) => (start - range.from) / 1000);
    const codes = await this.#arrange(intervalsOf(this.#sent('at'), starts));
    return { codes, groupOf: null, size: starts.length };
  }

  /** Adds these rows to counts, and the values of each to their sums. */
  count(counts: GroupCounts, grouped: GroupedRows, values: readonly Int32Array[] = []): Promise<void> {
    return counts.add(this.persons, grouped, values, pause);
  }

  #sent(name: string): Int32Array {
    return pick(this.#table.integers(name), this.#kept);
  }

  #arrange(values: Int32Array): Promise<Int32Array> {
    return inVisitorOrder(this.#rows, values, pause);
  }
}

export const isKnownBefore = ({ firstViews }: KeptSite, person: number, { from }: Range): boolean =>
  (firstViews[person] as number) < from;

function personsOf(visitors: Int32Array, { current }: KeptSite): Int32Array {
  const people = new Int32Array(visitors.length);
  for (let row = 0; row < visitors.length; row++) people[row] = current[visitors[row] as number] as number;
  return people;
}

/** What filters on new visitors say about a person; null where there is none. */
function newFilter({ question }: WebQuery, site: KeptSite, range: Range): ((person: number) => boolean) | null {
  const filters = question.filters.filter(({ key }) => key === 'new');
  if (filters.length === 0) return null;
  const wanted = filters.map(({ operator, values }) => values.includes('true') === (operator !== 'is_not'));
  return (person) => wanted.every((isNew) => isNew !== isKnownBefore(site, person, range));
}

function rowsWhere(people: Int32Array, isWanted: (person: number) => boolean): Int32Array {
  const rows: number[] = [];
  people.forEach((person, row) => {
    if (isWanted(person)) rows.push(row);
  });
  return Int32Array.from(rows);
}

/** The values of these rows; all where it is null. */
const pick = (values: Int32Array, rows: Int32Array | null): Int32Array =>
  rows === null ? values : rows.map((row) => values[row] as number);
