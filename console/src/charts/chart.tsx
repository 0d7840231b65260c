/**
 * A chart over time, or of a distribution: lines, or stacked bars. It is SVG, so it uses the theme's colours, scales with
 * the screen, and can be tested like the rest of a page. Screen readers get the numbers as a table: the one beside it, or
 * a hidden one with `hasTable`.
 */
import './charts.css';
import { useEffect, useId, useMemo, useRef, useState } from 'preact/hooks';
import { classes } from '../lib/classes.ts';
import { formatCompact, formatNumber } from '../lib/numbers.ts';
import { useSize } from '../lib/use-size.ts';
import { Annotations, Axes, Hatch, UnfinishedBand, ZeroLine } from './axes.tsx';
import type { Annotation, ChartSeries, ChartTick, Point } from './chart-data.ts';
import { Crosshair } from './crosshair.tsx';
import { EndLabels, MAX_LABEL_LENGTH } from './end-labels.tsx';
import { HiddenTable } from './hidden-table.tsx';
import { Legend } from './legend.tsx';
import { Bars, Lines } from './marks.tsx';
import { PALETTE_SIZE } from './rules/colours.ts';
import { MAX_END_LABELS } from './rules/end-labels.ts';
import { chartLayout } from './rules/layout.ts';
import { pointAt } from './rules/point-at.ts';
import { stackExtent } from './rules/stack.ts';
import { tooltipContent } from './rules/tooltip.ts';
import { Tooltip } from './tooltip.tsx';

interface ChartProps {
  label: string;
  /** Bars are stacked. */
  kind: 'line' | 'bar';
  ticks: readonly ChartTick[];
  series: readonly ChartSeries[];
  /** What the values count: Unique users. */
  unit: string;
  format?: (value: number) => string;
  /** The first tick whose period is not over; null if all are. */
  unfinished?: number | null;
  annotations?: readonly Annotation[];
  /** Makes points and bars clickable. */
  onPick?: ((point: Point) => void) | undefined;
  small?: boolean;
  hasTable?: boolean;
}

/** Labels would take too much of a narrower chart. */
const MIN_WIDTH_FOR_LABELS = 560;
const NO_ANNOTATIONS: readonly Annotation[] = [];

export function Chart(props: ChartProps) {
  const { label, kind, ticks, series, unit, format = formatNumber, unfinished = null, onPick } = props;
  const { annotations = NO_ANNOTATIONS, small = false, hasTable = false } = props;
  const frame = useRef<HTMLDivElement>(null);
  const { width, height } = useSize(frame);
  const hatch = useId();
  const [hover, setHover] = useState<Point | null>(null);
  const [focused, setFocused] = useState<number | null>(null);
  const [hidden, setHidden] = useHiddenSeries(series);
  const visible = useMemo(
    () => series.map((one, index) => ({ ...one, index })).filter(({ index }) => !hidden.has(index)),
    [series, hidden],
  );
  const hasLabels =
    kind === 'line' && visible.length > 1 && visible.length <= MAX_END_LABELS && width >= MIN_WIDTH_FOR_LABELS;
  const axisFormat = props.format ?? formatCompact;
  const layout = useMemo(() => {
    const all = visible.flatMap(({ values, previous, band }) => [
      values,
      previous?.values ?? [],
      band?.low ?? [],
      band?.high ?? [],
    ]);
    const numbers = all.flat().filter((value) => value !== null);
    const lengths = visible.map(({ name }) => Math.min(MAX_LABEL_LENGTH, name.length));
    return chartLayout({
      kind,
      width,
      height,
      count: ticks.length,
      extent: kind === 'bar' ? barExtent(visible) : [Math.min(0, ...numbers), Math.max(0, ...numbers)],
      isInteger: numbers.every(Number.isInteger),
      format: axisFormat,
      labelLength: hasLabels ? Math.max(...lengths) : 0,
      hasAnnotations: annotations.length > 0,
    });
  }, [kind, width, height, ticks.length, visible, axisFormat, hasLabels, annotations]);
  const locate = (event: PointerEvent | MouseEvent): Point | null => {
    const box = frame.current?.getBoundingClientRect();
    return box ? pointAt(layout, kind, visible, event.clientX - box.left, event.clientY - box.top) : null;
  };
  const marks = { layout, series: visible, unfinished, focused };
  return (
    <figure class="chart">
      {/* biome-ignore lint/a11y/useKeyWithClickEvents lint/a11y/noStaticElementInteractions: the table is the keyboard alternative */}
      <div
        class={classes('chart-frame', small && 'is-small', onPick && 'is-clickable')}
        ref={frame}
        onPointerMove={(event) => setHover(locate(event))}
        onPointerDown={(event) => setHover(locate(event))}
        onPointerLeave={() => setHover(null)}
        onClick={(event) => {
          // A finger shows the tooltip first; the numbers of the table open persons.
          const point = event instanceof PointerEvent && event.pointerType === 'touch' ? null : locate(event);
          if (point) onPick?.(point);
        }}
      >
        {width > 0 && (
          <svg width={width} height={height} role="img" aria-label={label}>
            <defs>
              <Hatch id={hatch} />
            </defs>
            {unfinished !== null && <UnfinishedBand layout={layout} kind={kind} from={unfinished} hatch={hatch} />}
            <Axes layout={layout} ticks={ticks} unit={unit} format={axisFormat} />
            {hover && kind === 'bar' && <Crosshair layout={layout} series={visible} tick={hover.tick} kind={kind} />}
            {kind === 'bar' ? <Bars {...marks} /> : <Lines {...marks} />}
            <ZeroLine layout={layout} />
            {hover && kind === 'line' && <Crosshair layout={layout} series={visible} tick={hover.tick} kind={kind} />}
            {hasLabels && <EndLabels layout={layout} series={visible} />}
            <Annotations layout={layout} annotations={annotations} />
          </svg>
        )}
        {hover && ticks[hover.tick] !== undefined && (
          <Tooltip
            tick={ticks[hover.tick] ?? { label: '', title: '' }}
            isUnfinished={unfinished !== null && hover.tick >= unfinished}
            content={tooltipContent(series, (index) => hidden.has(index), { tick: hover.tick, hovered: hover.series })}
            hovered={hover.series}
            at={{ x: layout.x(hover.tick), y: layout.y(valueAt(series, hover)), width, height }}
            canPick={onPick !== undefined}
            annotations={annotations.filter(({ tick }) => tick === hover.tick)}
            format={format}
          />
        )}
      </div>
      {(series.length > 1 || series[0]?.previous) && (
        <Legend
          series={series}
          hidden={hidden}
          onHide={setHidden}
          onFocus={setFocused}
          limit={small ? 6 : PALETTE_SIZE + 1}
        />
      )}
      {annotations.length > 0 && (
        <ul class="visually-hidden" aria-label="Annotations">
          {annotations.map(({ tick, text }, index) => (
            <li key={index}>
              {ticks[tick]?.title}: {text}
            </li>
          ))}
        </ul>
      )}
      {hasTable && <HiddenTable label={label} ticks={ticks} series={series} unfinished={unfinished} format={format} />}
    </figure>
  );
}

const valueAt = (series: readonly ChartSeries[], { series: index, tick, isPrevious }: Point): number =>
  (isPrevious ? series[index]?.previous?.values : series[index]?.values)?.[tick] ?? 0;

function barExtent(series: readonly ChartSeries[]): [low: number, high: number] {
  const [current, previous] = [
    stackExtent(series.map(({ values }) => values)),
    stackExtent(series.map((one) => one.previous?.values ?? [])),
  ];
  return [Math.min(current[0], previous[0]), Math.max(current[1], previous[1])];
}

/** Which series the legend hides; other series are all shown at first. */
function useHiddenSeries(series: readonly ChartSeries[]) {
  const [hidden, setHidden] = useState<ReadonlySet<number>>(new Set());
  const names = series.map(({ name }) => name).join('\n');
  // biome-ignore lint/correctness/useExhaustiveDependencies: when the series change
  useEffect(() => setHidden(new Set()), [names]);
  return [hidden, setHidden] as const;
}
