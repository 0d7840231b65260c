/**
 * Line and bar charts, drawn by uPlot. Screen readers cannot read a canvas: `label` describes it, and the numbers are in
 * a table beside it, or in a visually hidden one with `hasTable`.
 */
import 'uplot/dist/uPlot.min.css';
import './chart.css';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import uPlot from 'uplot';
import { classes } from '../../lib/classes.ts';
import { formatCompact, formatNumber } from '../../lib/numbers.ts';
import type { ChartSeries } from './chart-series.ts';
import { plotOptions } from './plot-options.ts';
import { nearest, segmentAt, stackValues } from './stack.ts';
import { seriesColour, useChartTheme } from './theme.ts';

interface ChartProps {
  label: string;
  /** Bars are stacked. */
  kind: 'line' | 'bar';
  ticks: readonly string[];
  series: readonly ChartSeries[];
  format?(value: number): string;
  /** Makes points and bars clickable. */
  onPick?: ((series: number, tick: number) => void) | undefined;
  small?: boolean;
  hasTable?: boolean;
}

interface Hover {
  tick: number;
  series: number;
  left: number;
  width: number;
}

export function Chart(props: ChartProps) {
  const { label, kind, ticks, series, format = formatNumber, onPick, small = false, hasTable = false } = props;
  const frame = useRef<HTMLDivElement>(null);
  const theme = useChartTheme();
  const [hover, setHover] = useState<Hover | null>(null);
  const tops = useMemo(() => (kind === 'bar' ? stackValues(series.map(({ values }) => values)) : null), [kind, series]);
  const latest = useRef({ onPick, hover });
  latest.current = { onPick, hover };

  useEffect(() => {
    const { current } = frame;
    if (current === null) return;
    const rows = tops ?? series.map(({ values }) => values);
    const seriesAt = (plot: uPlot, tick: number): number => {
      const at = plot.posToVal(plot.cursor.top ?? 0, 'y');
      const column = rows.map((row) => row[tick]);
      if (!tops) return nearest(column, at);
      return segmentAt(
        series.map(({ values }) => values[tick]),
        column,
        at,
      );
    };
    const onCursor = (plot: uPlot): void => {
      const { idx, left = -1 } = plot.cursor;
      if (idx == null || left < 0) setHover(null);
      else
        setHover({
          tick: idx,
          series: seriesAt(plot, idx),
          left: left + plot.bbox.left / devicePixelRatio,
          width: plot.width,
        });
    };
    const options = plotOptions({ kind, ticks, series, theme, format: formatCompact, onCursor });
    const height = (): number => current.clientHeight;
    // Bars overlap, the lowest in front.
    const drawn = tops ? [...rows].reverse() : rows;
    const data = [ticks.map((_, index) => index), ...drawn] as uPlot.AlignedData;
    const plot = new uPlot({ ...options, width: Math.max(1, current.clientWidth), height: height() }, data, current);
    const onClick = (): void => {
      const { hover: now, onPick: pick } = latest.current;
      if (now && now.series >= 0) pick?.(now.series, now.tick);
    };
    plot.over.addEventListener('click', onClick);
    const resized = new ResizeObserver(() =>
      plot.setSize({ width: Math.max(1, current.clientWidth), height: height() }),
    );
    resized.observe(current);
    return () => {
      resized.disconnect();
      plot.destroy();
    };
  }, [kind, ticks, series, tops, theme]);

  return (
    <figure class="chart">
      <div
        class={classes('chart-frame', small && 'small', onPick && 'is-clickable')}
        ref={frame}
        role="img"
        aria-label={label}
      />
      {hover && hover.series >= 0 && <Tooltip hover={hover} {...props} format={format} />}
      {series.length > 1 && <Legend series={series} />}
      {hasTable && <HiddenTable label={label} ticks={ticks} series={series} format={format} />}
    </figure>
  );
}

const MAX_IN_TOOLTIP = 8;

function Tooltip({
  hover,
  ticks,
  series,
  format,
  onPick,
}: { hover: Hover; format(value: number): string } & ChartProps) {
  const rows = series
    .map((one, index) => ({ ...one, index, value: one.values[hover.tick] ?? null }))
    .filter(({ value }) => value !== null)
    .sort(
      (a, b) => Number(b.index === hover.series) - Number(a.index === hover.series) || (b.value ?? 0) - (a.value ?? 0),
    );
  const isRight = hover.left > hover.width / 2;
  return (
    <div
      class={classes('chart-tip', isRight && 'right')}
      aria-hidden="true"
      style={{ '--at': `${isRight ? hover.width - hover.left : hover.left}px` }}
    >
      <div class="muted">{ticks[hover.tick]}</div>
      {rows.slice(0, MAX_IN_TOOLTIP).map(({ index, name, value, colour }) => (
        <div key={index} class={classes('chart-tip-row', index === hover.series && 'is-hovered')}>
          <Swatch colour={colour ?? index} />
          <span class="truncate">{name}</span>
          <b>{format(value ?? 0)}</b>
        </div>
      ))}
      {rows.length > MAX_IN_TOOLTIP && <div class="muted">and {formatNumber(rows.length - MAX_IN_TOOLTIP)} more</div>}
      {onPick && <div class="muted">Click to view persons</div>}
    </div>
  );
}

export const Swatch = ({ colour, isDashed = false }: { colour: number; isDashed?: boolean | undefined }) => (
  <span
    class={classes('swatch', isDashed && 'dashed')}
    style={{ '--colour': seriesColour(colour) }}
    aria-hidden="true"
  />
);

const Legend = ({ series }: { series: readonly ChartSeries[] }) => (
  <ul class="chart-legend" aria-hidden="true">
    {series.slice(0, 12).map(({ name, colour, isDashed }, index) => (
      <li key={index}>
        <Swatch colour={colour ?? index} isDashed={isDashed} /> <span class="truncate">{name}</span>
      </li>
    ))}
    {series.length > 12 && <li class="muted">and {series.length - 12} more</li>}
  </ul>
);

function HiddenTable({
  label,
  ticks,
  series,
  format,
}: Pick<ChartProps, 'label' | 'ticks' | 'series'> & { format(value: number): string }) {
  return (
    <div class="visually-hidden">
      <table>
        <caption>{label}</caption>
        <thead>
          <tr>
            <td />
            {ticks.map((tick, index) => (
              <th key={index} scope="col">
                {tick}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {series.map(({ name, values }, index) => (
            <tr key={index}>
              <th scope="row">{name}</th>
              {values.map((value, tick) => (
                <td key={tick}>{value === null ? '–' : format(value)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
