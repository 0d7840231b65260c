import uPlot from 'uplot';
import type { ChartSeries } from './chart-series.ts';
import { shownTicks } from './stack.ts';
import { type ChartTheme, SERIES_COLOURS } from './theme.ts';

interface PlotInput {
  kind: 'line' | 'bar';
  ticks: readonly string[];
  series: readonly ChartSeries[];
  theme: ChartTheme;
  /** For the y axis. */
  format(value: number): string;
  onCursor(plot: uPlot): void;
}

/** The options of uPlot, except size and data. */
export function plotOptions(input: PlotInput): Omit<uPlot.Options, 'width' | 'height'> {
  const { kind, ticks, onCursor } = input;
  const last = ticks.length - 1;
  // Room for half a bar at either end.
  const margin = kind === 'bar' || last === 0 ? 0.6 : Math.max(0.05, last / 100);
  return {
    legend: { show: false },
    cursor: { drag: { x: false, y: false }, y: false, points: { show: kind === 'line', size: 9 }, focus: { prox: 40 } },
    focus: { alpha: 0.35 },
    scales: {
      x: { time: false, range: [-margin, last + margin] },
      y: { range: (_plot, low, high) => uPlot.rangeNum(Math.min(0, low ?? 0), Math.max(1, high ?? 1), 0.06, true) },
    },
    axes: axesOf(input),
    series: [{}, ...seriesOf(input)],
    hooks: { setCursor: [onCursor] },
    padding: [10, 26, 0, 0],
  };
}

/** No fractional ticks on a chart of counts. */
const INTEGER_STEPS = Array.from({ length: 15 }, (_, power) => [1, 2, 5].map((step) => step * 10 ** power)).flat();

function axesOf({ ticks, theme, format, series }: PlotInput): uPlot.Axis[] {
  const isInteger = series.every(({ values }) => values.every((value) => value === null || Number.isInteger(value)));
  const shared = { stroke: theme.ink, font: theme.font };
  return [
    {
      ...shared,
      size: 30,
      grid: { show: false },
      ticks: { stroke: theme.line, size: 5 },
      splits: (plot) => shownTicks(ticks.length, plot.width - 60),
      values: (_plot, splits) => splits.map((split) => ticks[split] ?? ''),
    },
    {
      ...shared,
      grid: { stroke: theme.line, width: 1 },
      ticks: { show: false },
      ...(isInteger && { incrs: INTEGER_STEPS }),
      values: (_plot, splits) => splits.map(format),
      size: (_plot, values) => 14 + 7 * Math.max(3, ...(values ?? []).map(({ length }) => length)),
    },
  ];
}

function seriesOf({ kind, series, theme }: PlotInput): uPlot.Series[] {
  const drawn = series.map((one, index): uPlot.Series => {
    const place = one.colour ?? index;
    const colour = theme.series[place % SERIES_COLOURS] ?? theme.ink;
    if (kind === 'bar') {
      const paths = uPlot.paths.bars?.({ size: [0.72, 64] });
      // A border in the background colour separates the segments.
      return { fill: colour, stroke: theme.surface, width: 1, points: { show: false }, ...(paths && { paths }) };
    }
    return {
      stroke: colour,
      width: 2,
      points: { show: series[0]?.values.length === 1, size: 8, fill: colour },
      ...(one.isDashed ? { dash: [5, 5], width: 1.5 } : place >= SERIES_COLOURS ? { dash: [10, 3] } : {}),
    };
  });
  return kind === 'bar' ? drawn.reverse() : drawn;
}
