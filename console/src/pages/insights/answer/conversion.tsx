import { useMemo } from 'preact/hooks';
import { Chart } from '../../../charts/chart.tsx';
import type { Point } from '../../../charts/chart-data.ts';
import { firstUnfinished } from '../../../charts/rules/unfinished.ts';
import { SeriesTable } from '../../../charts/series-table.tsx';
import { coloursFor } from '../../../charts/value-colours.ts';
import { formatDuration, formatTick, formatTickTitle } from '../../../lib/dates.ts';
import { formatPercent } from '../../../lib/numbers.ts';
import { useAnnotations } from '../../annotations/use-annotations.ts';
import { valueLabel } from '../answers.ts';
import type { ViewProps } from './answer-props.ts';

const percent = (value: number): string => formatPercent(value / 100);

const NO_DAYS: readonly string[] = [];

/** Conversion rate over time. */
export function ConversionTrend(props: ViewProps<'conversion'>) {
  const { question, answer, persons, now, onPick, small = false } = props;
  const { trends } = answer;
  const { interval } = question;
  const { ticks, series, unfinished } = useMemo(() => {
    const days = trends[0]?.days ?? [];
    const names = trends.map(({ breakdown_value: value }) => (value === undefined ? 'Converted' : valueLabel(value)));
    const colours = names.length === 1 ? [0] : coloursFor(names);
    return {
      ticks: days.map((day) => ({ label: formatTick(day, interval), title: formatTickTitle(day, interval) })),
      series: trends.map(({ data }, at) => ({ name: names[at] ?? '', colour: colours[at] ?? 0, values: data })),
      unfinished: firstUnfinished(days, interval, now),
    };
  }, [trends, interval, now]);
  const annotations = useAnnotations(trends[0]?.days ?? NO_DAYS, interval);
  const pick = ({ series: at, tick }: Point): void => onPick(`${at}.${tick}`);
  return (
    <div class="stack">
      <Chart
        label="Conversion rate over time"
        kind="line"
        ticks={ticks}
        series={series}
        unit="Conversion rate"
        unfinished={unfinished}
        annotations={annotations}
        format={percent}
        onPick={pick}
        small={small}
        hasTable={small}
      />
      {!small && (
        <SeriesTable
          ticks={ticks}
          series={series}
          unfinished={unfinished}
          sums={[]}
          format={percent}
          canPick={({ series: at, tick }) => persons.has(`${at}.${tick}`)}
          onPick={pick}
        />
      )}
    </div>
  );
}

/** Distribution of the time to convert. */
export function ConversionTimesView({ answer: { times }, small = false }: ViewProps<'times'>) {
  const ticks = useMemo(() => {
    const labels = times.bins.map(([from]) => formatDuration(from * 1000));
    return labels.map((label, at) => ({
      label,
      title: at + 1 < labels.length ? `${label} to ${labels[at + 1]}` : `${label} or more`,
    }));
  }, [times]);
  const series = useMemo(() => [{ name: 'Users', colour: 0, values: times.bins.map(([, count]) => count) }], [times]);
  return (
    <div class="stack">
      {times.average_conversion_time !== null && (
        <p>
          Average time to convert: <b>{formatDuration(times.average_conversion_time * 1000)}</b>
        </p>
      )}
      <Chart
        label="Users by time to convert"
        kind="bar"
        ticks={ticks}
        series={series}
        unit="Users"
        small={small}
        hasTable
      />
    </div>
  );
}
