import type { ChartSeries, Values } from '../chart-data.ts';
import { OTHER, PALETTE_SIZE } from './colours.ts';

/**
 * The series to draw: more than there are colours cannot be told apart. The others are added up as 'Other' where adding
 * them means something, and left to the table where it does not.
 */
export function foldSeries(series: readonly ChartSeries[], canAdd: boolean): readonly ChartSeries[] {
  if (series.length <= PALETTE_SIZE + 1) return series;
  const rest = series.slice(PALETTE_SIZE);
  if (!canAdd) return series.slice(0, PALETTE_SIZE);
  const previous = rest.flatMap((one) => one.previous ?? []);
  const other: ChartSeries = {
    name: `${OTHER} (${rest.length} values)`,
    colour: 'other',
    values: addUp(rest.map(({ values }) => values)),
    ...(previous[0] && {
      previous: { values: addUp(previous.map(({ values }) => values)), titles: previous[0].titles },
    }),
  };
  return [...series.slice(0, PALETTE_SIZE), other];
}

/** Null if all are. */
const addUp = (rows: readonly Values[]): Values =>
  (rows[0] ?? []).map((_, tick) => {
    const values = rows.map((row) => row[tick] ?? null).filter((value) => value !== null);
    return values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0);
  });
