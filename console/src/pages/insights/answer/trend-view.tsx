import { useMemo } from 'preact/hooks';
import type { TrendItem } from '../../../api/insights.ts';
import { Chart } from '../../../components/chart/chart.tsx';
import type { ChartSeries } from '../../../components/chart/chart-series.ts';
import { itemName, tickName } from '../answers.ts';
import { KIND_LABELS } from '../labels.ts';
import { isTotal, type Question } from '../question.ts';
import type { ViewProps } from './answer-props.ts';
import { SeriesTable } from './series-table.tsx';
import { Totals } from './totals.tsx';

/** Trends, lifecycle and stickiness. */
export function TrendView({ question, answer, persons, onPick, small = false }: ViewProps<'trend'>) {
  const items = useMemo(() => ordered(answer.items, question), [answer, question]);
  const { series, ticks } = useMemo(() => chartData(items, question), [items, question]);
  if (question.kind === 'trends' && isTotal(question.display)) {
    return <Totals question={question} items={answer.items} persons={persons} onPick={onPick} />;
  }
  const keyAt = (at: number, tick: number): string => `${items[at]?.index}.${tick}`;
  const pick = (at: number, tick: number): void => {
    if (persons.has(keyAt(at, tick))) onPick(keyAt(at, tick));
  };
  const isBar = hasBars(question, items.length);
  return (
    <div class="stack">
      <Chart
        label={`${KIND_LABELS[question.kind].label} of ${items
          .map(({ item }) => itemName(item))
          .slice(0, 4)
          .join(', ')}`}
        kind={isBar ? 'bar' : 'line'}
        ticks={ticks}
        series={series}
        onPick={persons.size > 0 ? pick : undefined}
        small={small}
        hasTable={small}
      />
      {!small && (
        <SeriesTable
          label="Data"
          ticks={ticks}
          series={series}
          totals={question.kind === 'trends' ? items.map(({ item }) => item.count) : null}
          canPick={(at, tick) => persons.has(keyAt(at, tick))}
          onPick={pick}
        />
      )}
    </div>
  );
}

/** No stacked bars when series count the same persons or different periods. */
const hasBars = ({ kind, display, compare }: Question, count: number): boolean =>
  kind === 'lifecycle' || (!compare && (kind === 'stickiness' ? count === 1 : display === 'bar'));

interface IndexedItem {
  item: TrendItem;
  /** Its index in the response, which is the key of its persons. */
  index: number;
}

const STATUSES = ['returning', 'resurrecting', 'new', 'dormant'];

/** Sorts the statuses of a lifecycle, with returning users at the bottom of the bars. */
function ordered(items: readonly TrendItem[], { kind }: Question): IndexedItem[] {
  const indexed = items.map((item, index) => ({ item, index }));
  if (kind !== 'lifecycle') return indexed;
  const rank = ({ item }: IndexedItem): number => STATUSES.indexOf(item.status ?? '');
  return indexed.sort((a, b) => rank(a) - rank(b));
}

const LIFECYCLE_COLOURS = [0, 4, 2, 6];

function chartData(
  items: readonly IndexedItem[],
  { kind, interval, compare }: Question,
): { series: ChartSeries[]; ticks: string[] } {
  const longest = items.reduce<TrendItem | null>(
    (best, { item }) =>
      item.compare_label !== 'previous' && item.days.length > (best?.days.length ?? -1) ? item : best,
    null,
  );
  const ticks = longest?.days.map((_, tick) => tickName(longest, tick, interval)) ?? [];
  const current = items.filter(({ item }) => item.compare_label !== 'previous');
  const series = items.map(({ item }, at) => {
    const isPrevious = item.compare_label === 'previous';
    const counterpart = current.findIndex((one) => one.item.label === item.label);
    return {
      name: itemName(item),
      values: ticks.map((_, tick) => item.data[tick] ?? null),
      isDashed: isPrevious,
      colour: kind === 'lifecycle' ? (LIFECYCLE_COLOURS[at] ?? at) : compare && counterpart >= 0 ? counterpart : at,
    };
  });
  return { series, ticks };
}
