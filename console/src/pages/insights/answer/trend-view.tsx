import { useMemo } from 'preact/hooks';
import type { TrendItem } from '../../../api/insights.ts';
import { Chart, type ChartSeries } from '../../../components/chart/chart.tsx';
import { itemName, tickName } from '../answers.ts';
import { isTotal, type Question } from '../question.ts';
import type { Part } from './answer-props.ts';
import { SeriesTable } from './series-table.tsx';
import { Totals } from './totals.tsx';

/** Trends, lifecycle and stickiness: the same lines and bars, with other words. */
export function TrendView({ question, answer, people, onPick, small = false }: Part<'trend'>) {
  const items = useMemo(() => ordered(answer.items, question), [answer, question]);
  const { series, ticks } = useMemo(() => drawn(items, question), [items, question]);
  if (question.kind === 'trends' && isTotal(question.display)) {
    return <Totals question={question} items={answer.items} people={people} onPick={onPick} />;
  }
  const keyAt = (at: number, tick: number): string => `${items[at]?.place}.${tick}`;
  const pick = (at: number, tick: number): void => {
    if (people.has(keyAt(at, tick))) onPick(keyAt(at, tick));
  };
  const isBar = hasBars(question, items.length);
  return (
    <div class="stack">
      <Chart
        label={`${question.kind} of ${items
          .map(({ item }) => itemName(item))
          .slice(0, 4)
          .join(', ')}`}
        kind={isBar ? 'bar' : 'line'}
        ticks={ticks}
        series={series}
        onPick={people.size > 0 ? pick : undefined}
        small={small}
        hasTable={small}
      />
      {!small && (
        <SeriesTable
          label="The numbers"
          ticks={ticks}
          series={series}
          totals={question.kind === 'trends' ? items.map(({ item }) => item.count) : null}
          canPick={(at, tick) => people.has(keyAt(at, tick))}
          onPick={pick}
        />
      )}
    </div>
  );
}

/** Bars stand on top of each other, which says nothing where series count the same persons, or another time. */
const hasBars = ({ kind, display, compare }: Question, count: number): boolean =>
  kind === 'lifecycle' || (!compare && (kind === 'stickiness' ? count === 1 : display === 'bar'));

interface Placed {
  item: TrendItem;
  /** Where it stands in the answer, which is how its persons are found. */
  place: number;
}

const STATUSES = ['returning', 'resurrecting', 'new', 'dormant'];

/** A lifecycle comes in any order, and stands on those who return. */
function ordered(items: readonly TrendItem[], { kind }: Question): Placed[] {
  const placed = items.map((item, place) => ({ item, place }));
  if (kind !== 'lifecycle') return placed;
  const rank = ({ item }: Placed): number => STATUSES.indexOf(item.status ?? '');
  return placed.sort((a, b) => rank(a) - rank(b));
}

const LIFECYCLE_COLOURS = [0, 4, 2, 6];

function drawn(
  items: readonly Placed[],
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
    const isBefore = item.compare_label === 'previous';
    const twin = current.findIndex((one) => one.item.label === item.label);
    return {
      name: itemName(item),
      values: ticks.map((_, tick) => item.data[tick] ?? null),
      isDashed: isBefore,
      colour: kind === 'lifecycle' ? (LIFECYCLE_COLOURS[at] ?? at) : compare && twin >= 0 ? twin : at,
    };
  });
  return { series, ticks };
}
