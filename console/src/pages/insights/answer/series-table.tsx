import { Swatch } from '../../../components/chart/chart.tsx';
import type { ChartSeries } from '../../../components/chart/chart-series.ts';
import { formatNumber } from '../../../lib/numbers.ts';
import { NumberButton } from './number-button.tsx';

interface SeriesTableProps {
  label: string;
  ticks: readonly string[];
  series: readonly ChartSeries[];
  /** Null if a total is not meaningful. */
  totals?: readonly number[] | null;
  format?(value: number): string;
  canPick(series: number, tick: number): boolean;
  onPick(series: number, tick: number): void;
}

/** The exact numbers of a chart, each a link to its persons. */
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
    // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard
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
                  <span class="truncate" title={name}>
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
