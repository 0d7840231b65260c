/**
 * The picture of a chart, as SVG without any text: names come in every script, and a server has no fonts for them. The
 * mail has names and numbers beside the picture.
 */
import type { DigestChart } from './digest-tile.ts';

export const CHART_WIDTH = 560;
export const CHART_HEIGHT = 160;
const MARGIN = 6;
const GRID_LINES = 4;
/** The first is also that of a single series. Distinguishable with the usual kinds of color blindness. */
const CHART_COLORS = ['#1d4aff', '#e8590c', '#2b8a3e', '#862e9c', '#c92a2a', '#0b7285'] as const;
/** More points than the picture has are merged, the highest of each group counts. */
const MAX_POINTS = 280;

export const colorOf = (index: number): string => CHART_COLORS[index % CHART_COLORS.length] ?? CHART_COLORS[0];

/** The lowest and highest value of the axis: zero is always on it. */
export function chartRange({ series }: DigestChart): { low: number; high: number } {
  const values = series.flatMap((one) => one.values).filter(Number.isFinite);
  const low = values.reduce((least, value) => Math.min(least, value), 0);
  const high = values.reduce((most, value) => Math.max(most, value), 0);
  return high === low ? { low, high: low + 1 } : { low, high };
}

export function chartSvg(chart: DigestChart): string {
  const { low, high } = chartRange(chart);
  const y = (value: number): number =>
    round(MARGIN + (CHART_HEIGHT - 2 * MARGIN) * (1 - ((Number.isFinite(value) ? value : 0) - low) / (high - low)));
  const grid = Array.from({ length: GRID_LINES + 1 }, (_, i) => {
    const at = y(low + ((high - low) * i) / GRID_LINES);
    return `<path d="M0 ${at}H${CHART_WIDTH}" stroke="#e2e4e8" stroke-width="1"/>`;
  });
  const zero = `<path d="M0 ${y(0)}H${CHART_WIDTH}" stroke="#8a8f98" stroke-width="1"/>`;
  const shapes = chart.kind === 'bars' ? bars(chart, y) : lines(chart, y);
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${CHART_WIDTH}" height="${CHART_HEIGHT}" viewBox="0 0 ${CHART_WIDTH} ${CHART_HEIGHT}">`,
    `<rect width="${CHART_WIDTH}" height="${CHART_HEIGHT}" fill="#ffffff"/>`,
    ...grid,
    zero,
    ...shapes,
    '</svg>',
  ].join('');
}

const round = (value: number): number => Math.round(value * 10) / 10;

function lines({ series }: DigestChart, y: (value: number) => number): string[] {
  return series.flatMap(({ values }, index) => {
    const merged = mergePoints(values);
    const x = (i: number): number =>
      round(merged.length < 2 ? CHART_WIDTH / 2 : MARGIN + ((CHART_WIDTH - 2 * MARGIN) * i) / (merged.length - 1));
    const points = merged.map((value, i) => `${x(i)} ${y(value)}`);
    const color = colorOf(index);
    if (points.length === 0) return [];
    const area = `<path d="M${x(0)} ${y(0)}L${points.join('L')}L${x(points.length - 1)} ${y(0)}Z" fill="${color}" fill-opacity="0.1"/>`;
    const line = `<path d="M${points.join('L')}" fill="none" stroke="${color}" stroke-width="2.5" stroke-linejoin="round" stroke-linecap="round"/>`;
    const dot = `<circle cx="${x(points.length - 1)}" cy="${y(merged.at(-1) ?? 0)}" r="4" fill="${color}"/>`;
    return [...(series.length === 1 ? [area] : []), line, dot];
  });
}

/** Bars of one index stand beside each other. */
function bars({ series }: DigestChart, y: (value: number) => number): string[] {
  const merged = series.map(({ values }) => mergePoints(values));
  const groups = Math.max(1, ...merged.map(({ length }) => length));
  const step = (CHART_WIDTH - 2 * MARGIN) / groups;
  const width = Math.max(1, Math.min(60, (step * 0.7) / Math.max(1, series.length)));
  return merged.flatMap((values, index) =>
    values.map((value, i) => {
      const left = round(MARGIN + step * (i + 0.5) + width * (index - series.length / 2));
      const top = Math.min(y(value), y(0));
      const height = round(Math.abs(y(value) - y(0)));
      return `<rect x="${left}" y="${top}" width="${round(width)}" height="${height}" fill="${colorOf(index)}"/>`;
    }),
  );
}

function mergePoints(values: readonly number[]): readonly number[] {
  if (values.length <= MAX_POINTS) return values;
  const size = Math.ceil(values.length / MAX_POINTS);
  return Array.from({ length: Math.ceil(values.length / size) }, (_, i) =>
    values.slice(i * size, (i + 1) * size).reduce((most, value) => Math.max(most, value)),
  );
}
