/** Breakdowns as columns of a statement about events. */
import type { BreakdownSelection, PropertyBreakdown } from '../../../core/actions/breakdown.ts';
import type { Range } from '../../../core/time/range.ts';
import type { EventStatement } from '../../../query/event-statement.ts';
import { hasOwnerSql, valueJoinSql, valueSql } from '../../../query/property-value.ts';
import type { Bin } from '../rules/breakdown-values.ts';

/** The column to group by, the join it needs, and the condition for an event to have a value. */
export interface BreakdownColumns {
  value: string;
  join: string;
  condition: string;
}

export const NO_BREAKDOWN: BreakdownColumns = { value: `''`, join: '', condition: 'true' };

/** The property as text, empty where it is missing. */
export const splitBy = (
  statement: EventStatement,
  breakdown: PropertyBreakdown,
  key: string,
  sessionRange: Range,
): BreakdownColumns => ({
  value: valueSql(statement, breakdown, key),
  join: valueJoinSql(statement, breakdown, key, sessionRange),
  condition: hasOwnerSql(breakdown),
});

/** The index of the bin of the value, as text. */
export function binSql(statement: EventStatement, columns: BreakdownColumns, bins: readonly Bin[]): BreakdownColumns {
  const { sql } = statement;
  const number = statement.numberIn(columns.value);
  const cases = bins.map((bin, at) => `when ${within(statement, number, bin)} then ${sql.param(String(at))}`);
  const value = cases.length === 0 ? `cast(null as varchar)` : `case ${cases.join(' ')} end`;
  return { ...columns, value, condition: `${columns.condition} and ${value} is not null` };
}

const within = ({ sql }: EventStatement, number: string, { from, until }: Bin): string =>
  `coalesce(${number} >= ${sql.double(from)} and ${number} < ${sql.double(until)}, false)`;

/** Only events with the selected value. */
export function selectionSql(
  statement: EventStatement,
  selection: BreakdownSelection,
  sessionRange: Range,
): Omit<BreakdownColumns, 'value'> {
  if (selection.kind === 'cohort') return { join: '', condition: statement.isMember(selection.id) };
  const { value, join, condition } = splitBy(
    statement,
    selection.breakdown,
    selection.breakdown.keys[0] ?? '',
    sessionRange,
  );
  const own =
    selection.kind === 'bin'
      ? within(statement, statement.numberIn(value), selection)
      : `${value} = ${statement.sql.param(selection.value)}`;
  return { join, condition: `${condition} and ${own}` };
}
