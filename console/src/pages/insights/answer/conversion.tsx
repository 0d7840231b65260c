import { useMemo } from 'preact/hooks';
import { Chart } from '../../../components/chart/chart.tsx';
import { formatDuration, formatShare } from '../../../lib/format.ts';
import { valueWord } from '../answers.ts';
import { tickWord } from '../labels.ts';
import type { Part } from './answer-props.ts';
import { SeriesTable } from './series-table.tsx';

const percent = (value: number): string => formatShare(value / 100);

/** Which share came through, by when they began. */
export function ConversionTrend({ question, answer: { trends }, people, onPick, small = false }: Part<'conversion'>) {
  const ticks = useMemo(
    () => trends[0]?.days.map((day) => tickWord(day, question.interval)) ?? [],
    [trends, question.interval],
  );
  const series = useMemo(
    () =>
      trends.map(({ data, breakdown_value }) => ({
        name: breakdown_value === undefined ? 'Came through' : valueWord(breakdown_value),
        values: data,
      })),
    [trends],
  );
  const pick = (at: number, tick: number): void => onPick(`${at}.${tick}`);
  return (
    <div class="stack">
      <Chart
        label="Share that came through, by when they began"
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
          label="The numbers"
          ticks={ticks}
          series={series}
          format={percent}
          canPick={(at, tick) => people.has(`${at}.${tick}`)}
          onPick={pick}
        />
      )}
    </div>
  );
}

/** How long it takes those who come through. */
export function ConversionTimesView({ answer: { times }, small = false }: Part<'times'>) {
  const ticks = useMemo(() => times.bins.map(([from]) => (from === 0 ? '0 s' : formatDuration(from * 1000))), [times]);
  const series = useMemo(() => [{ name: 'Persons', values: times.bins.map(([, count]) => count) }], [times]);
  return (
    <div class="stack">
      {times.average_conversion_time !== null && (
        <p>
          It takes <b>{formatDuration(times.average_conversion_time * 1000)}</b> on average.
        </p>
      )}
      <Chart label="Persons by how long it took them" kind="bar" ticks={ticks} series={series} small={small} hasTable />
    </div>
  );
}
