/** Rows of sessions or views, counted by the persons that their visitors are now. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Range } from '../../../core/time/range.ts';
import type { ColumnTable } from '../../../stores/events/event-store.ts';
import { type CodeCounts, VisitorRows } from '../rules/count-groups.ts';
import type { KeptPeriod } from './kept-period.ts';
import type { KeptSite } from './kept-site.ts';
import type { WebQuery } from './web-scope.ts';

export class RowsByPerson {
  readonly #table: ColumnTable;
  /** The rows that count; null for all. */
  readonly #kept: Int32Array | null;
  readonly #rows: VisitorRows;

  constructor(table: ColumnTable, { query, site, range }: KeptPeriod) {
    const isNew = newFilter(query, site, range);
    const all = personsOf(table.integers('visitor'), site);
    this.#table = table;
    this.#kept = isNew === null ? null : rowsWhere(all, isNew);
    this.#rows = new VisitorRows(pick(all, this.#kept), site.current.length, nextTurn);
  }

  /** Of each row. */
  get persons(): Int32Array {
    return this.#rows.visitors;
  }

  column(name: string): Int32Array {
    return pick(this.#table.integers(name), this.#kept);
  }

  /** Counts them by their code; until the next call. */
  count(codes: Int32Array, values: Values = null): Promise<CodeCounts> {
    return this.#rows.count(codes, values);
  }
}

type Values = Parameters<VisitorRows['count']>[1];

export const isKnownBefore = ({ firstViews }: KeptSite, person: number, { from }: Range): boolean =>
  (firstViews[person] as number) < from;

/** Puts persons in the place of their visitors. */
function personsOf(visitors: Int32Array, { current }: KeptSite): Int32Array {
  for (let row = 0; row < visitors.length; row++) visitors[row] = current[visitors[row] as number] as number;
  return visitors;
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
