/** What a breakdown divides by, as columns of a statement about events. */

import type { BreakdownSelection, PropertyBreakdown } from '../../../core/actions/breakdown.ts';
import type { Range } from '../../../core/time/range.ts';
import type { EventStatement } from '../../../query/event-statement.ts';
import { hasOwnerSql, valueJoinSql, valueSql } from '../../../query/property-value.ts';
import type { Bin } from '../rules/breakdown-values.ts';

/** A column to group by, the join that it needs, and the condition under which an event has a value at all. */
export interface BreakdownColumns {
  value: string;
  join: string;
  condition: string;
}

export const NO_BREAKDOWN: BreakdownColumns = { value: `''`, join: '', condition: 'true' };

/** A property as a breakdown reads it: its text, empty where it is missing. */
export const splitBy = (
  statement: EventStatement,
  breakdown: PropertyBreakdown,
  key: string,
  reach: Range,
): BreakdownColumns => ({
  value: valueSql(statement.sql, breakdown, key),
  join: valueJoinSql(statement, breakdown, key, reach),
  condition: hasOwnerSql(breakdown),
});

/** The number of the bin that the value lies in, as text. */
export function binSql(statement: EventStatement, divided: BreakdownColumns, bins: readonly Bin[]): BreakdownColumns {
  const { sql } = statement;
  const number = statement.numberIn(divided.value);
  const cases = bins.map((bin, at) => `when ${within(statement, number, bin)} then ${sql.param(String(at))}`);
  const value = cases.length === 0 ? `cast(null as varchar)` : `case ${cases.join(' ')} end`;
  return { ...divided, value, condition: `${divided.condition} and ${value} is not null` };
}

const within = ({ sql }: EventStatement, number: string, { from, until }: Bin): string =>
  `coalesce(${number} >= ${sql.double(from)} and ${number} < ${sql.double(until)}, false)`;

/** Only what belongs to the value that was followed. */
export function sliceSql(
  statement: EventStatement,
  slice: BreakdownSelection,
  reach: Range,
): Omit<BreakdownColumns, 'value'> {
  if (slice.kind === 'cohort') return { join: '', condition: statement.isMember(slice.id) };
  const { value, join, condition } = splitBy(statement, slice.breakdown, slice.breakdown.keys[0] ?? '', reach);
  const own =
    slice.kind === 'bin'
      ? within(statement, statement.numberIn(value), slice)
      : `${value} = ${statement.sql.param(slice.value)}`;
  return { join, condition: `${condition} and ${own}` };
}
