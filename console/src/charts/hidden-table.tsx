import { formatChange } from '../lib/numbers.ts';
import type { ChartSeries, ChartTick } from './chart-data.ts';
import { changeOf } from './rules/summary.ts';

interface HiddenTableProps {
  label: string;
  ticks: readonly ChartTick[];
  series: readonly ChartSeries[];
  unfinished: number | null;
  format(value: number): string;
}

/** The ends of a band as rows of their own. */
const withBounds = (series: ChartSeries): Omit<ChartSeries, 'band'>[] => {
  const { name, colour, band } = series;
  if (band === undefined) return [series];
  return [
    series,
    { name: `${name}, lower bound`, colour, values: band.low },
    { name: `${name}, upper bound`, colour, values: band.high },
  ];
};

/** The numbers of a chart for screen readers, where no visible table has them. */
export const HiddenTable = ({ label, ticks, series, unfinished, format }: HiddenTableProps) => (
  <div class="visually-hidden">
    <table>
      <caption>{label}</caption>
      <thead>
        <tr>
          <th scope="col">Series</th>
          {ticks.map(({ title }, tick) => (
            <th key={tick} scope="col">
              {title}
              {unfinished !== null && tick >= unfinished && ' (unfinished)'}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {series.flatMap(withBounds).map(({ name, values, previous }, index) => (
          <tr key={index}>
            <th scope="row">{name}</th>
            {values.map((value, tick) => {
              const change = changeOf(value, previous?.values[tick]);
              return (
                <td key={tick}>
                  {value === null ? '–' : format(value)}
                  {change !== null && `, ${formatChange(change)}`}
                </td>
              );
            })}
          </tr>
        ))}
      </tbody>
    </table>
  </div>
);
