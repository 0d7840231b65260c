import { useMemo } from 'preact/hooks';
import { Chart } from '../../../charts/chart.tsx';
import type { Point } from '../../../charts/chart-data.ts';
import { foldSeries } from '../../../charts/rules/fold.ts';
import { SeriesTable } from '../../../charts/series-table.tsx';
import { coloursFor } from '../../../charts/value-colours.ts';
import { formatNumber, pluralize } from '../../../lib/numbers.ts';
import { useAnnotations } from '../../annotations/use-annotations.ts';
import { KIND_LABELS } from '../labels.ts';
import { isTotal, type Question } from '../question.ts';
import type { ViewProps } from './answer-props.ts';
import { Totals } from './totals.tsx';
import { meaningfulSums, trendData, unitOf } from './trend-data.ts';

/** Trends, lifecycle and stickiness. */
export function TrendView({ question, answer, persons, now, onPick, small = false }: ViewProps<'trend'>) {
  const data = useMemo(() => trendData(answer.items, question, now, coloursFor), [answer, question, now]);
  const annotations = useAnnotations(data.starts, question.interval);
  if (question.kind === 'trends' && isTotal(question.display)) {
    return <Totals question={question} items={answer.items} persons={persons} onPick={onPick} small={small} />;
  }
  const { series, ticks, unfinished, keyOf } = data;
  const sums = meaningfulSums(question);
  const kind = hasBars(question, series.length) ? 'bar' : 'line';
  // Lines stand for themselves; stacked bars would lose their height.
  const drawn = foldSeries(series, kind === 'bar' && sums.includes('total'));
  const canPick = (point: Point): boolean => persons.has(keyOf(point));
  const pick = (point: Point): void => {
    if (canPick(point)) onPick(keyOf(point));
  };
  const names = series.slice(0, 4).map(({ name }) => name);
  return (
    <div class="stack">
      <Chart
        label={`${KIND_LABELS[question.kind].label} of ${names.join(', ')}`}
        kind={kind}
        ticks={ticks}
        series={drawn}
        unit={unitOf(question)}
        unfinished={unfinished}
        annotations={annotations}
        onPick={persons.size > 0 ? (point) => drawn[point.series] === series[point.series] && pick(point) : undefined}
        small={small}
        hasTable={small}
      />
      {drawn.length < series.length && kind === 'line' && (
        <p class="muted small">
          The chart shows the first {formatNumber(drawn.length)} of {pluralize(series.length, 'series', 'series')}
          {!small && '; the table has all of them'}.
        </p>
      )}
      {!small && (
        <SeriesTable
          ticks={ticks}
          series={series}
          unfinished={unfinished}
          sums={sums}
          canPick={canPick}
          onPick={pick}
        />
      )}
    </div>
  );
}

/** No stacked bars where several series count the same persons. */
const hasBars = ({ kind, display }: Question, count: number): boolean =>
  kind === 'lifecycle' || (kind === 'stickiness' ? count === 1 : display === 'bar');
