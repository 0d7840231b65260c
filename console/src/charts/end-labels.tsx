import type { MarksProps } from './marks.tsx';
import { colourOf } from './rules/colours.ts';
import { placeLabels } from './rules/end-labels.ts';
import { shorten } from './rules/shorten.ts';

export const MAX_LABEL_LENGTH = 18;
const LABEL_HEIGHT = 15;

/** The names of the series, at the end of their lines. */
export function EndLabels({ layout, series }: Pick<MarksProps, 'layout' | 'series'>) {
  const { right, top, bottom, y } = layout;
  const ends = series.map(({ values }) => y(values.findLast((value) => value !== null) ?? 0));
  const places = placeLabels(ends, LABEL_HEIGHT, top, bottom);
  return (
    <g class="chart-end-labels">
      {series.map(({ index, name, colour }, at) => (
        <text key={index} x={right + 10} y={(places[at] ?? 0) + 4} style={{ '--colour': colourOf(colour) }}>
          {shorten(name, MAX_LABEL_LENGTH)}
          <title>{name}</title>
        </text>
      ))}
    </g>
  );
}
