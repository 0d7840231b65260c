/** One period of a site whose sessions and views all have a row, and how its rows are read into memory. */
import type { Range } from '../../../core/time/range.ts';
import type { Tick } from '../../../core/time/ticks.ts';
import type { ColumnTable } from '../../../stores/events/event-store.ts';
import { boundsOf, tickOfMsSql } from '../../insights/shared/tick-sql.ts';
import type { Persons } from '../rules/count-groups.ts';
import type { CountedField, CountedRows, PackedRows } from '../rules/count-packed.ts';
import type { RowField, RowLayout } from '../rules/row-layout.ts';
import type { TableKey } from '../rules/web-question.ts';
import type { CodeTexts } from './code-texts.ts';
import { isKnownBefore, type KeptSite, mergedSql, type RowTable } from './kept-site.ts';
import type { SessionLookups } from './sessions-sql.ts';
import { beginStatement, type WebQuery, type WebScope } from './web-scope.ts';

export interface KeptPeriod {
  query: WebQuery;
  site: KeptSite;
  range: Range;
  tables: readonly TableKey[];
  lookups: SessionLookups;
  /** Null where tables alone are asked for. */
  intervals: Intervals | null;
  texts: CodeTexts;
}

/** The persons of a period; filters on new visitors leave the others out. */
export async function personsOf({ query: { question }, site, range }: KeptPeriod): Promise<Persons> {
  const [visitors, limit] = [await site.visitors(), site.visitorLimit];
  const filters = question.filters.filter(({ key }) => key === 'new');
  if (filters.length === 0) return { personOf: visitors.current, limit };
  const wanted = filters.map(({ operator, values }) => values.includes('true') === (operator !== 'is_not'));
  const isWanted = (person: number): boolean =>
    wanted.every((isNew) => isNew !== isKnownBefore(visitors, person, range));
  return { personOf: visitors.current.map((person) => (isWanted(person) ? person : limit)), limit };
}

/** All persons whose number leaves the same rest. Their rows are all in one slice, so that what slices count adds up. */
export interface PersonSlice {
  rest: number;
  of: number;
}

export interface SliceCounter {
  readonly query: WebQuery;
  /** How many numbers are read of a row. */
  readonly width: number;
  /** Where the rows are. */
  readonly table: RowTable;
  /** `from … where …`: those of the period, and perhaps some more. */
  from(scope: WebScope): string;
  read(slice: PersonSlice): Promise<ColumnTable>;
  /** What is counted of its rows. */
  pack(table: ColumnTable): Promise<PackedRows>;
  add(counted: CountedRows): Promise<void>;
}

/** As many slices as it takes to stay within the memory of one; each reads the rows of all. */
export async function slicesOf(counter: SliceCounter, { rows }: KeptSite): Promise<PersonSlice[]> {
  const { query, table, width } = counter;
  const slicesFor = (count: number): number => Math.max(1, Math.ceil((count * width) / query.maxCells));
  const of = slicesFor(rows[table]) === 1 ? 1 : slicesFor(await countRead(counter));
  return Array.from({ length: of }, (_, rest) => ({ rest, of }));
}

async function countRead(counter: SliceCounter): Promise<number> {
  const scope = beginStatement(counter.query);
  const [row] = await scope.statement.query(`select count(*) as n ${counter.from(scope)}`);
  return Number(row?.['n'] ?? 0);
}

/** Whether the person of a visitor is in the slice. */
export function inSlice(scope: WebScope, visitor: string, { rest, of }: PersonSlice): string {
  if (of === 1) return 'true';
  return `coalesce((select any_value(g.current) from (${mergedSql(scope)}) g where g.number = ${visitor}), ${visitor})
    % ${of} = ${rest}`;
}

/** The intervals of a period, and how the times of rows are read. */
interface Intervals {
  count: number;
  /** A time as an integer of 32 bits. */
  sql(scope: WebScope, ms: string): string;
  /** Where the intervals begin, and the last one ends, as these. */
  bounds: Int32Array;
}

/** Intervals begin at whole quarters of an hour, which are multiples of this many ms; engines shift faster than they divide. */
const UNIT_BITS = 5;

export function intervalsOf(ticks: readonly Tick[]): Intervals {
  const count = ticks.length;
  const bounds = boundsOf(ticks);
  const [first = 0] = bounds;
  const inUnits = bounds.map((at) => (at - first) / 2 ** UNIT_BITS);
  if (inUnits.every((at) => Number.isInteger(at) && at < 2 ** 31)) {
    return {
      count,
      sql: ({ statement: { sql } }, ms) => `cast((${ms} - ${sql.integer(first)}) >> ${UNIT_BITS} as integer)`,
      bounds: Int32Array.from(inUnits),
    };
  }
  // Of several years, or in a time zone as they were long ago: the engine finds the interval.
  return {
    count,
    sql: ({ statement: { sql } }, ms) => `cast(${tickOfMsSql(sql, ms, bounds)} as integer)`,
    bounds: Int32Array.from(bounds, (_, index) => index),
  };
}

export const visitorField = ({ site }: KeptPeriod): RowField => ({
  name: 'visitor',
  size: site.visitorLimit,
  isTakenOut: true,
});

/** The interval's index is filled in when rows are counted. */
export const tickField = ({ intervals }: KeptPeriod): RowField[] =>
  intervals === null ? [] : [{ name: 'tick', size: intervals.count, isFilledIn: true }];

/** The column from which it is. */
export const timeColumn = ({ intervals }: KeptPeriod, scope: WebScope, ms: string): Record<string, string> =>
  intervals === null ? {} : { happened: intervals.sql(scope, ms) };

export const timesOf = ({ intervals }: KeptPeriod, layout: RowLayout, table: ColumnTable): PackedRows['times'] =>
  intervals && { times: table.integers('happened'), bounds: intervals.bounds, place: layout.place('tick') };

export const countedTicks = ({ intervals }: KeptPeriod, layout: RowLayout): CountedField[] =>
  intervals === null ? [] : [{ place: layout.place('tick'), groups: { groupOf: null, size: intervals.count } }];

/** `select` with columns by name. */
export const selectColumns = (columns: Readonly<Record<string, string>>): string =>
  `select ${Object.entries(columns)
    .map(([name, value]) => `${value} as ${name}`)
    .join(', ')}`;

/** Numbers by interval; the last of them may have none. */
export const lineOf = ({ intervals }: KeptPeriod, numbers: Int32Array | Float64Array): number[] =>
  Array.from({ length: intervals?.count ?? 0 }, (_, at) => numbers[at] ?? 0);
