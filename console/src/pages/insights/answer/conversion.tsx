import { useMemo } from 'preact/hooks';
import { Chart } from '../../../components/chart/chart.tsx';
import { formatDuration, formatTick } from '../../../lib/dates.ts';
import { formatPercent } from '../../../lib/numbers.ts';
import { valueLabel } from '../answers.ts';
import type { ViewProps } from './answer-props.ts';
import { SeriesTable } from './series-table.tsx';

const percent = (value: number): string => formatPercent(value / 100);

/** Conversion rate over time. */
export function ConversionTrend({
  question,
  answer: { trends },
  persons,
  onPick,
  small = false,
}: ViewProps<'conversion'>) {
  const ticks = useMemo(
    () => trends[0]?.days.map((day) => formatTick(day, question.interval)) ?? [],
    [trends, question.interval],
  );
  const series = useMemo(
    () =>
      trends.map(({ data, breakdown_value }) => ({
        name: breakdown_value === undefined ? 'Converted' : valueLabel(breakdown_value),
        values: data,
      })),
    [trends],
  );
  const pick = (at: number, tick: number): void => onPick(`${at}.${tick}`);
  return (
    <div class="stack">
      <Chart
        label="Conversion rate over time"
        kind="line"
        ticks={ticks}
        series={series}
        format={percent}
        onPick={pick}
        small={small}
        hasTable={small}
      />
      {!small && (
        <SeriesTable
          label="Data"
          ticks={ticks}
          series={series}
          format={percent}
          canPick={(at, tick) => persons.has(`${at}.${tick}`)}
          onPick={pick}
        />
      )}
    </div>
  );
}

/** Distribution of the time to convert. */
export function ConversionTimesView({ answer: { times }, small = false }: ViewProps<'times'>) {
  const ticks = useMemo(() => times.bins.map(([from]) => formatDuration(from * 1000)), [times]);
  const series = useMemo(() => [{ name: 'Persons', values: times.bins.map(([, count]) => count) }], [times]);
  return (
    <div class="stack">
      {times.average_conversion_time !== null && (
        <p>
          Average time to convert: <b>{formatDuration(times.average_conversion_time * 1000)}</b>
        </p>
      )}
      <Chart label="Persons by time to convert" kind="bar" ticks={ticks} series={series} small={small} hasTable />
    </div>
  );
}
