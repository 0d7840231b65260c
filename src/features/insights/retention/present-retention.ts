import type { Json, JsonObject } from '../../../core/json/json.ts';
import { addUnits } from '../../../core/time/interval.ts';
import { periodUnit } from '../../../core/time/period.ts';
import type { RetentionRow } from '../rules/answers.ts';
import type { RetentionQuestion } from '../rules/question.ts';
import type { PresentContext, Table } from '../shared/present.ts';

export const presentRetention = (
  question: RetentionQuestion,
  rows: readonly RetentionRow[],
  { link }: PresentContext,
) => rows.map((row, at) => presentRow(row, link(retentionLink(question, row, at))));

const presentRow = ({ label, date, breakdownValues, counts }: RetentionRow, people_url: string) => ({
  label,
  // Periods begin on a whole second.
  ...(date === null ? {} : { date: `${new Date(date).toISOString().slice(0, 19)}Z` }),
  ...(breakdownValues === null ? {} : { breakdown_values: breakdownValues }),
  values: counts.map((count) => ({ count, people: [], ...(count === 0 ? {} : { people_url }) })),
  people_url,
});

/** The persons of a row; when each of them came back is in the answer. */
export const retentionLink = (question: RetentionQuestion, row: RetentionRow, at: number): JsonObject => ({
  ...question.fields,
  date_to: new Date(addUnits(question.range.until, -1, periodUnit(question.period), question.timezone)).toISOString(),
  ...(row.breakdownValues === null ? { selected_interval: at } : { breakdown_values: [...row.breakdownValues] }),
});

export function retentionTable(result: Json): Table {
  const rows = result as JsonObject[];
  const counts = rows.map(({ values }) => (values as { count: number }[]).map(({ count }) => count));
  const periods = Math.max(0, ...counts.map(({ length }) => length));
  // Rows of dates are named after periods, rows of a breakdown after its values.
  const labels = rows[0]?.['date'] === undefined ? [] : rows.map(({ label }) => label ?? null);
  const later = Array.from({ length: Math.max(0, periods - 1) }, (_, at) => labels[at + 1] ?? `Period ${at + 1}`);
  const lines = rows.map(({ date, label }, at) => {
    const own = counts[at] ?? [];
    return [date ?? label ?? null, ...own, ...Array<Json>(periods - own.length).fill(null)];
  });
  return [['cohort', 'cohort size', ...later], ...lines];
}
