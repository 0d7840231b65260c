import type { Annotation, ChartTick } from './chart-data.ts';
import type { ChartLayout } from './rules/layout.ts';
import { shownTicks } from './rules/scale.ts';

interface AxesProps {
  layout: ChartLayout;
  ticks: readonly ChartTick[];
  /** What the values count. */
  unit: string;
  format(value: number): string;
}

/** Grid lines, the labels of both axes, and the unit. */
export function Axes({ layout, ticks, unit, format }: AxesProps) {
  const { left, right, bottom, valueTicks, x, y } = layout;
  const labelWidth = 24 + 7 * Math.max(0, ...ticks.map(({ label }) => label.length));
  return (
    <g class="chart-axes">
      <text x={4} y={12}>
        {unit}
      </text>
      {valueTicks.map((value) => (
        <g key={value}>
          <line x1={left} x2={right} y1={y(value)} y2={y(value)} />
          <text x={left - 8} y={y(value) + 4} text-anchor="end">
            {format(value)}
          </text>
        </g>
      ))}
      {shownTicks(ticks.length, right - left, labelWidth).map((tick) => (
        <text key={tick} x={x(tick)} y={bottom + 20} text-anchor="middle">
          {ticks[tick]?.label}
        </text>
      ))}
    </g>
  );
}

/** Drawn after the bars, so that nothing covers the line at 0. */
export const ZeroLine = ({ layout: { left, right, axis } }: { layout: ChartLayout }) => (
  <line class="chart-zero" x1={left} x2={right} y1={axis} y2={axis} />
);

/** A line where something happened, and a mark below the axis with how much did. The tooltip has the texts. */
export function Annotations({ layout, annotations }: { layout: ChartLayout; annotations: readonly Annotation[] }) {
  const counts = new Map<number, number>();
  for (const { tick } of annotations) counts.set(tick, (counts.get(tick) ?? 0) + 1);
  return (
    <g class="chart-annotations">
      {[...counts].map(([tick, count]) => (
        <g key={tick} transform={`translate(${layout.x(tick)} 0)`}>
          <line y1={layout.top} y2={layout.bottom + 28} />
          <circle cy={layout.bottom + 36} r={7} />
          <text y={layout.bottom + 39.5} text-anchor="middle">
            {count > 9 ? '+' : count}
          </text>
        </g>
      ))}
    </g>
  );
}

interface UnfinishedBandProps {
  layout: ChartLayout;
  kind: 'line' | 'bar';
  /** The first unfinished tick. */
  from: number;
  /** The pattern to fill it with. */
  hatch: string;
}

/** A hatched background, with a label, behind what can still change. */
export function UnfinishedBand({ layout, kind, from, hatch }: UnfinishedBandProps) {
  const { left, right, top, bottom, x, band } = layout;
  const start = kind === 'bar' ? x(from) - band / 2 : Math.max(left, x(from) - band);
  return (
    <g class="chart-unfinished">
      <rect x={start} y={top} width={Math.max(0, right - start)} height={bottom - top} fill={`url(#${hatch})`} />
      <text x={right} y={top - 7} text-anchor="end">
        Unfinished
      </text>
    </g>
  );
}

export const Hatch = ({ id }: { id: string }) => (
  <pattern id={id} class="chart-hatch" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
    <line x1="0" y1="0" x2="0" y2="6" />
  </pattern>
);
