/** Lines and bars. */
import type { ChartSeries } from './chart-data.ts';
import { colourOf } from './rules/colours.ts';
import { barPlace, type ChartLayout } from './rules/layout.ts';
import { areaPath, bandPath, barPath, linePath } from './rules/paths.ts';
import { stackSegments } from './rules/stack.ts';

export interface MarksProps {
  layout: ChartLayout;
  /** With the index in the whole chart. */
  series: readonly (ChartSeries & { index: number })[];
  /** The first tick that is not over. */
  unfinished: number | null;
  /** The series to emphasize. */
  focused: number | null;
}

const opacityOf = (index: number, focused: number | null): number => (focused === null || focused === index ? 1 : 0.25);

export function Lines({ layout, series, unfinished, focused }: MarksProps) {
  const { x, y } = layout;
  return (
    <>
      {series.map(({ index, values, colour, previous, band }) => {
        const end = unfinished ?? values.length;
        const shared = { values, x, y };
        return (
          <g
            key={index}
            class="chart-line"
            style={{ '--colour': colourOf(colour), opacity: opacityOf(index, focused) }}
          >
            {band && <path class="band" d={bandPath({ ...band, x, y })} />}
            {series.length === 1 && !band && <path class="area" d={areaPath({ ...shared, from: 0, to: end })} />}
            {previous && (
              <path class="previous" d={linePath({ ...shared, values: previous.values, from: 0, to: values.length })} />
            )}
            <path class="solid" d={linePath({ ...shared, from: 0, to: end })} />
            {end < values.length && (
              <>
                <path class="dotted" d={linePath({ ...shared, from: Math.max(0, end - 1), to: values.length })} />
                <Dots {...shared} from={end} />
              </>
            )}
          </g>
        );
      })}
    </>
  );
}

/** Hollow points for unfinished periods. */
const Dots = ({
  values,
  from,
  x,
  y,
}: { values: ChartSeries['values']; from: number } & Pick<ChartLayout, 'x' | 'y'>) => (
  <>
    {values
      .slice(from)
      .map((value, at) => value !== null && <circle key={at} class="hollow" cx={x(from + at)} cy={y(value)} r={3.5} />)}
  </>
);

export function Bars({ layout, series, unfinished, focused }: MarksProps) {
  const count = series[0]?.values.length ?? 0;
  const hasPrevious = series.some(({ previous }) => previous);
  const current = barPaths(
    layout,
    series.map(({ values }) => values),
    hasPrevious ? 'current' : 'whole',
  );
  const before = hasPrevious
    ? barPaths(
        layout,
        series.map(({ previous }) => previous?.values ?? []),
        'previous',
      )
    : [];
  return (
    <>
      {series.map(({ index, colour }, at) => (
        <g key={index} class="chart-bar" style={{ '--colour': colourOf(colour), opacity: opacityOf(index, focused) }}>
          <path class="previous" d={before[at]?.join('')} />
          <path d={current[at]?.slice(0, unfinished ?? count).join('')} />
          {unfinished !== null && <path class="unfinished" d={current[at]?.slice(unfinished).join('')} />}
        </g>
      ))}
    </>
  );
}

/** A path for each series and tick; '' without a bar. */
function barPaths(
  layout: ChartLayout,
  rows: readonly ChartSeries['values'][],
  place: 'whole' | 'previous' | 'current',
): string[][] {
  const count = Math.max(0, ...rows.map((row) => row.length));
  const paths: string[][] = rows.map(() => []);
  for (let tick = 0; tick < count; tick++) {
    const bar = { ...barPlace(layout, tick, place), axis: layout.axis };
    const segments = stackSegments(
      rows.map((row) => row[tick] ?? null),
      layout.pixelsPerUnit,
    );
    for (const [at, segment] of segments.entries()) paths[at]?.push(segment === null ? '' : barPath(segment, bar));
  }
  return paths;
}
