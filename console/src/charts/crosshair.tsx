import type { MarksProps } from './marks.tsx';
import { colourOf } from './rules/colours.ts';

/** A line at the nearest tick, with a mark on every series. */
export function Crosshair({
  layout,
  series,
  tick,
  kind,
}: Pick<MarksProps, 'layout' | 'series'> & { tick: number; kind: 'line' | 'bar' }) {
  const { x, y, top, bottom } = layout;
  const at = x(tick);
  return (
    <g class="chart-crosshair">
      <line x1={at} x2={at} y1={top} y2={bottom} />
      {kind === 'line' &&
        series.flatMap(({ index, colour, values, previous }) =>
          [previous?.values[tick], values[tick]].map(
            (value, which) =>
              value != null && (
                <circle
                  key={`${index}.${which}`}
                  class={which === 0 ? 'previous' : undefined}
                  cx={at}
                  cy={y(value)}
                  r={which === 0 ? 3.5 : 5}
                  style={{ '--colour': colourOf(colour) }}
                />
              ),
          ),
        )}
    </g>
  );
}
