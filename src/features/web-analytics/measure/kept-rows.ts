/** The rows of sessions that the store keeps, and the range of events that tells as much. */
import type { Range } from '../../../core/time/range.ts';
import { DAY_MS } from '../../../core/time/units.ts';
import { VIEW_LABELS } from '../../../stores/events/session-columns.ts';
import type { WebScope } from './web-scope.ts';

const MARGIN_MS = 2 * DAY_MS;

export const withMargin = ({ from, until }: Range): Range => ({ from: from - MARGIN_MS, until: until + MARGIN_MS });

const choiceOf = ({ question }: WebScope): number => (question.includeBots ? 1 : 0) + (question.includeOwn ? 2 : 0);

/** Of rows for every choice; others are for one. */
const ALL_CHOICES = 15;

const MERGED_PERSONS = 'left join person_overrides m on m.project_id = r.project_id and m.from_id = r.person_id';

/** `from … where …`: the rows of a range, for the views that the question counts. */
export const fromKeptRows = (scope: WebScope, range: Range): string => fromRows(scope, range, MERGED_PERSONS);

/** The same without the persons of now. */
export function fromRows(scope: WebScope, { from, until }: Range, join = ''): string {
  const { statement } = scope;
  const { sql } = statement;
  return `from session_rows r ${join}
    where r.project_id = ${sql.param(statement.projectId)}
      and r.labels_included in (${ALL_CHOICES}, ${1 << choiceOf(scope)})
      and r.ended >= ${sql.integer(from)} and r.started < ${sql.integer(until)}`;
}

/** `from … where …`: the rows of the views of a range that the question counts. */
export const fromViewRows = (scope: WebScope, range: Range): string =>
  `${fromAllViewRows(scope, range)} and w.label in (${countedLabels(scope).join(', ')})`;

/** `from … where …`: what is told in a range about how pages were read, by events that the question counts. */
export function fromReadRows(scope: WebScope, { from, until }: Range): string {
  const { sql } = scope.statement;
  return `from read_rows w where w.project_id = ${sql.param(scope.statement.projectId)}
    and w.happened >= ${sql.integer(from)} and w.happened < ${sql.integer(until)}
    and w.label in (${countedLabels(scope).join(', ')})`;
}

/** A list, with which engines skip blocks, unlike with bits. */
function countedLabels(scope: WebScope): number[] {
  const { bot, own, cookieless } = VIEW_LABELS;
  const leftOut = (bot | own) - choiceOf(scope);
  return Array.from({ length: (bot | own | cookieless) + 1 }, (_, label) => label).filter(
    (label) => (label & leftOut) === 0,
  );
}

/** The same, whatever the question leaves out. */
export function fromAllViewRows({ statement }: WebScope, { from, until }: Range): string {
  const { sql } = statement;
  return `from view_rows w where w.project_id = ${sql.param(statement.projectId)}
    and w.happened >= ${sql.integer(from)} and w.happened < ${sql.integer(until)}`;
}
