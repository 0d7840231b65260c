/** One insight of a digest, as numbers: pictures are drawn from them when the message is sent. */
import type { JsonObject } from '../../../core/json/json.ts';
import { once } from '../../../core/once.ts';

export interface DigestTile {
  name: string;
  /** In the console; null where its address is unknown. */
  url: string | null;
  /** `9 Nov to 16 Nov`; null where the insight has no dates. */
  period: string | null;
  numbers: readonly DigestNumber[];
  chart: DigestChart | null;
  /** Rows of a statement, or paths. */
  table: { columns: readonly string[]; rows: readonly (readonly string[])[] } | null;
  /** What else there is to say: why there are no numbers, or how many are left out. */
  note: string | null;
}

export interface DigestNumber {
  label: string;
  value: number | null;
  /** In the period before; null where there is nothing to compare with. */
  previous: number | null;
  unit: 'count' | 'percent';
}

export interface DigestChart {
  kind: 'lines' | 'bars';
  /** Of the first and the last value. */
  labels: readonly [string, string];
  series: readonly { label: string; values: readonly number[] }[];
}

const whole = once(() => new Intl.NumberFormat('en', { maximumFractionDigits: 0 }));
const precise = once(() => new Intl.NumberFormat('en', { maximumFractionDigits: 2 }));

/** `1,234`, `0.25`, `12.5 %` */
export function numberText(value: number | null, unit: DigestNumber['unit'] = 'count'): string {
  if (value === null) return 'no value';
  const text = (Math.abs(value) >= 1000 ? whole : precise)().format(value).replace(/^-0$/, '0');
  return unit === 'percent' ? `${text} %` : text;
}

/** `+12 %`, `-3.5 points`, `no change`; empty where there is nothing to compare with. */
export function changeText({ value, previous, unit }: DigestNumber): string {
  if (value === null || previous === null) return '';
  if (value === previous) return 'no change';
  if (unit === 'percent') return `${signed(value - previous)} points`;
  if (previous === 0) return 'was 0';
  return `${signed((100 * (value - previous)) / Math.abs(previous))} %`;
}

function signed(value: number): string {
  const size = Math.abs(value);
  const text = size >= 10 ? whole().format(size) : precise().format(Math.round(size * 10) / 10);
  return `${value < 0 ? '-' : '+'}${text}`;
}

/** For programs. */
export const tileData = ({ chart, table, numbers, ...tile }: DigestTile): JsonObject => ({
  ...tile,
  numbers: numbers.map((one) => ({ ...one })),
  chart: chart && {
    ...chart,
    labels: [...chart.labels],
    series: chart.series.map(({ label, values }) => ({ label, values: [...values] })),
  },
  table: table && { columns: [...table.columns], rows: table.rows.map((row) => [...row]) },
});
