/** What a breakdown divides by, as columns of a statement about events. */
import type { Bin } from '../../core/insights/numbers/value-bins.ts';
import type { PropertyBreakdown, Slice } from '../../core/insights/questions/breakdown.ts';
import { HOUR_MS } from '../../core/insights/time/interval.ts';
import type { Range } from '../../core/insights/time/range.ts';
import { PERSON_PROPERTIES } from '../../stores/dialect.ts';
import type { Statement } from './statement.ts';

/** A column to group by, the join that it needs, and the condition under which an event has a value at all. */
export interface Divided {
  value: string;
  join: string;
  condition: string;
}

export const UNDIVIDED: Divided = { value: `''`, join: '', condition: 'true' };

/** A property as a breakdown reads it: its text, empty where it is missing. */
export function valueSql(statement: Statement, breakdown: PropertyBreakdown, key: string, reach: Range): Divided {
  if (breakdown.owner === 'session') return sessionValue(statement, reach);
  if (breakdown.owner === 'group') return groupValue(statement, breakdown, key);
  const isPerson = breakdown.owner === 'person';
  const text = statement.sql.text(key, isPerson ? PERSON_PROPERTIES : undefined);
  return { value: shown(breakdown, text), join: '', condition: isPerson ? 'p.person_id is not null' : 'true' };
}

const shown = ({ isUrl }: PropertyBreakdown, text: string): string =>
  isUrl ? `coalesce(nullif(trim(trailing '/?#' from ${text}), ''), '/')` : text;

/** Of an event that belongs to no group the property is missing. */
function groupValue(statement: Statement, breakdown: PropertyBreakdown, key: string): Divided {
  const name = `g${breakdown.keys.indexOf(key)}`;
  const column = `e.group_${Number(breakdown.groupIndex ?? 0)}`;
  const join = `left join ${statement.groupTexts(key)} ${name} on ${name}.group_key = ${column}`;
  return { value: shown(breakdown, `coalesce(${name}.value, '')`), join, condition: 'true' };
}

function sessionValue(statement: Statement, reach: Range): Divided {
  const join = `join ${sessionsSql(statement, reach)} s on s.session = ${statement.session()}`;
  return { value: 'cast(s.length as varchar)', join, condition: 'true' };
}

const DAY_MS = 24 * HOUR_MS;

/** How many seconds each session lasted; of one that lasts for days only what lies within a day of the range. */
export function sessionsSql(statement: Statement, { from, until }: Range): string {
  const { sql } = statement;
  const length = sql.quotient(`(${sql.ms('max(e.timestamp)')} - ${sql.ms('min(e.timestamp)')})`, sql.integer(1000));
  return `(select ${statement.session()} as session, ${length} as length
    from event_rows e
    where ${statement.inProject()} and ${statement.during({ from: from - DAY_MS, until: until + DAY_MS })}
    group by 1)`;
}

/** The number of the bin that the value lies in, as text. */
export function binSql(statement: Statement, divided: Divided, bins: readonly Bin[]): Divided {
  const { sql } = statement;
  const number = statement.numberIn(divided.value);
  const cases = bins.map((bin, at) => `when ${within(statement, number, bin)} then ${sql.param(String(at))}`);
  const value = cases.length === 0 ? `cast(null as varchar)` : `case ${cases.join(' ')} end`;
  return { ...divided, value, condition: `${divided.condition} and ${value} is not null` };
}

const within = ({ sql }: Statement, number: string, { from, until }: Bin): string =>
  `coalesce(${number} >= ${sql.double(from)} and ${number} < ${sql.double(until)}, false)`;

/** Only what belongs to the value that was followed. */
export function sliceSql(statement: Statement, slice: Slice, reach: Range): Omit<Divided, 'value'> {
  if (slice.kind === 'cohort') return { join: '', condition: statement.isMember(slice.id) };
  const { value, join, condition } = valueSql(statement, slice.breakdown, slice.breakdown.keys[0] ?? '', reach);
  const own =
    slice.kind === 'bin'
      ? within(statement, statement.numberIn(value), slice)
      : `${value} = ${statement.sql.param(slice.value)}`;
  return { join, condition: `${condition} and ${own}` };
}
