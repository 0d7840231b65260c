import { NumberButton } from '../components/number-button.tsx';
import { formatNumber } from '../lib/numbers.ts';
import { Change } from './change.tsx';
import type { ChartSeries, ChartTick, Point } from './chart-data.ts';
import { LongName } from './long-name.tsx';
import { tailLength } from './rules/shorten.ts';
import { type Summary, summarize } from './rules/summary.ts';
import { Swatch } from './swatch.tsx';

interface SeriesTableProps {
  ticks: readonly ChartTick[];
  series: readonly ChartSeries[];
  unfinished: number | null;
  /** Which sums are meaningful for these values. */
  sums: readonly (keyof Summary)[];
  format?: (value: number) => string;
  canPick(point: Point): boolean;
  onPick(point: Point): void;
}

const SUM_TITLES: Record<keyof Summary, string> = { total: 'Total', average: 'Average', change: 'Change' };

/** The exact numbers of a chart, newest first, each a link to its persons. */
export function SeriesTable(props: SeriesTableProps) {
  const { ticks, series, unfinished, sums } = props;
  const order = ticks.map((_, tick) => tick).reverse();
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard
    <section class="table-frame no-picture" tabIndex={0} aria-label="Data">
      <table class="table numbers">
        <thead>
          <tr>
            <th scope="col">Series</th>
            {sums.map((sum) => (
              <th key={sum} scope="col" class="number" title={sum === 'change' ? changeTitle(props) : undefined}>
                {SUM_TITLES[sum]}
              </th>
            ))}
            {order.map((tick) => (
              <th key={tick} scope="col" class="number" title={ticks[tick]?.title}>
                {ticks[tick]?.label}
                {unfinished !== null && tick >= unfinished && <span class="unfinished-note">Unfinished</span>}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {series.map((one, index) => (
            <SeriesRows key={index} {...props} one={one} index={index} order={order} />
          ))}
        </tbody>
      </table>
    </section>
  );
}

/** What the change is measured against. */
function changeTitle({ ticks, series, unfinished }: SeriesTableProps): string {
  const end = unfinished ?? ticks.length;
  if (series.some(({ previous }) => previous)) {
    return `Compared to the previous period${end < ticks.length ? ', as far as the current one is finished' : ''}`;
  }
  return `${ticks[end - 1]?.label ?? '–'} compared to ${ticks[end - 2]?.label ?? '–'}`;
}

type RowsProps = SeriesTableProps & { one: ChartSeries; index: number; order: readonly number[] };

function SeriesRows({ one, index, order, series, unfinished, sums, format = formatNumber, ...rest }: RowsProps) {
  const summary = summarize(one, unfinished);
  const tail = tailLength(series.map(({ name }) => name));
  const cells = { order, index, format, ...rest };
  return (
    <>
      <tr>
        <th scope="row">
          <span class="series-name">
            <Swatch colour={one.colour} />
            <LongName name={one.name} tail={tail} />
          </span>
        </th>
        {sums.map((sum) => (
          <SumCell key={sum} sum={sum} value={summary[sum]} format={format} />
        ))}
        <Cells {...cells} name={one.name} values={one.values} isPrevious={false} />
      </tr>
      {one.previous && (
        <tr class="previous-row">
          <th scope="row">Previous period</th>
          {sums.map((sum) => (
            <SumCell
              key={sum}
              sum={sum}
              value={sum === 'change' ? null : summarize({ values: one.previous?.values ?? [] }, null)[sum]}
              format={format}
            />
          ))}
          <Cells {...cells} name={`${one.name} (previous)`} values={one.previous.values} isPrevious />
        </tr>
      )}
    </>
  );
}

type Format = (value: number) => string;

function SumCell({ sum, value, format }: { sum: keyof Summary; value: number | null; format: Format }) {
  if (value === null) return <td class="number" />;
  if (sum !== 'change')
    return <td class="number">{format(sum === 'average' ? Math.round(value * 10) / 10 : value)}</td>;
  return (
    <td class="number">
      <Change change={value} />
    </td>
  );
}

interface CellsProps extends Pick<SeriesTableProps, 'ticks' | 'canPick' | 'onPick'> {
  name: string;
  values: ChartSeries['values'];
  index: number;
  isPrevious: boolean;
  order: readonly number[];
  format: Format;
}

const Cells = ({ name, values, index, isPrevious, order, ticks, format, canPick, onPick }: CellsProps) => (
  <>
    {order.map((tick) => {
      const value = values[tick];
      const point = { series: index, tick, isPrevious };
      return (
        <td key={tick} class="number">
          {value == null ? (
            '–'
          ) : (
            <NumberButton
              label={`${name}, ${ticks[tick]?.label}, ${format(value)}`}
              onPick={value !== 0 && canPick(point) ? () => onPick(point) : null}
            >
              {format(value)}
            </NumberButton>
          )}
        </td>
      );
    })}
  </>
);
