import { type ChartSeries, Swatch } from '../../../components/chart/chart.tsx';
import { formatNumber } from '../../../lib/format.ts';
import { NumberButton } from './number-button.tsx';

export interface SeriesTableProps {
  label: string;
  ticks: readonly string[];
  series: readonly ChartSeries[];
  /** Of each series over the whole time; null where that means nothing. */
  totals?: readonly number[] | null;
  format?(value: number): string;
  canPick(series: number, tick: number): boolean;
  onPick(series: number, tick: number): void;
}

/** The numbers of a chart, each of which opens the persons behind it: for keyboards, screen readers, and exactness. */
export function SeriesTable({
  label,
  ticks,
  series,
  totals,
  format = formatNumber,
  canPick,
  onPick,
}: SeriesTableProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keys
    <section class="table-frame" tabIndex={0} aria-label={label}>
      <table class="table numbers">
        <thead>
          <tr>
            <th scope="col">Series</th>
            {totals && (
              <th scope="col" class="number">
                Total
              </th>
            )}
            {ticks.map((tick, index) => (
              <th key={index} scope="col" class="number">
                {tick}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {series.map(({ name, values, colour, isDashed }, at) => (
            <tr key={at}>
              <th scope="row">
                <span class="series-name">
                  <Swatch colour={colour ?? at} isDashed={isDashed} />
                  <span class="cut" title={name}>
                    {name}
                  </span>
                </span>
              </th>
              {totals && <td class="number">{format(totals[at] ?? 0)}</td>}
              {values.map((value, tick) => (
                <td key={tick} class="number">
                  {value === null ? (
                    '–'
                  ) : (
                    <NumberButton
                      label={`${name}, ${ticks[tick]}, ${format(value)}`}
                      onPick={value !== 0 && canPick(at, tick) ? () => onPick(at, tick) : null}
                    >
                      {format(value)}
                    </NumberButton>
                  )}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
