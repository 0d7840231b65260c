/** Rows of a statement as a chart: which columns are the axes, and which chart suits them. */
import type { ChartSeries, ChartTick } from '../../charts/chart-data.ts';
import { formatTick, formatTickTitle } from '../../lib/dates.ts';

export interface SqlRows {
  columns: readonly string[];
  types: readonly (readonly string[])[];
  results: readonly (readonly unknown[])[];
  /** What is missing in them. */
  warnings?: readonly { message: string }[] | undefined;
}

export const DISPLAYS = ['table', 'line', 'bar', 'number'] as const;
export type Display = (typeof DISPLAYS)[number];

/** PostHog's names. */
const NAMES: Readonly<Record<Display, string>> = {
  table: 'ActionsTable',
  line: 'ActionsLineGraph',
  bar: 'ActionsBar',
  number: 'BoldNumber',
};

export const displayName = (display: Display): string => NAMES[display];

/** Null: it is chosen from the columns. */
export const readDisplay = (name: unknown): Display | null =>
  DISPLAYS.find((display) => NAMES[display] === name) ?? null;

const MAX_TICKS = 1000;
const MAX_SERIES = 20;

const typeAt = ({ types }: SqlRows, at: number): string => (types[at]?.[1] ?? '').replace(/^Nullable\((.*)\)$/, '$1');
export const isNumeric = (rows: SqlRows, at: number): boolean => /^(U?Int|Float|Decimal)/.test(typeAt(rows, at));
const isDate = (rows: SqlRows, at: number): boolean => /^Date/.test(typeAt(rows, at));

interface Axes {
  x: number;
  /** Its values name the series. */
  by: number | null;
  y: readonly number[];
}

/** The first date, or else the first column that is no number, against the columns with numbers. */
function axesOf(rows: SqlRows): Axes | null {
  const all = rows.columns.map((_, at) => at);
  const y = all.filter((at) => isNumeric(rows, at));
  const others = all.filter((at) => !y.includes(at));
  const x = others.find((at) => isDate(rows, at)) ?? others[0];
  if (x === undefined || y.length === 0) return null;
  const rest = others.filter((at) => at !== x);
  return rest.length === 1 && y.length === 1 ? { x, by: rest[0] ?? null, y } : { x, by: null, y };
}

export function chooseDisplay(rows: SqlRows): Display {
  const { results, columns } = rows;
  if (results.length === 1 && columns.length === 1 && isNumeric(rows, 0)) return 'number';
  const axes = axesOf(rows);
  if (axes === null || results.length < 2 || results.length > MAX_TICKS) return 'table';
  if (isDate(rows, axes.x)) return 'line';
  return columns.length === 2 && results.length <= 30 ? 'bar' : 'table';
}

/** What can be drawn; a table always can. */
export function possibleDisplays(rows: SqlRows): Display[] {
  const hasAxes = axesOf(rows) !== null && rows.results.length > 0;
  const hasNumber = rows.results.length > 0 && rows.columns.some((_, at) => isNumeric(rows, at));
  return DISPLAYS.filter((display) => display === 'table' || (display === 'number' ? hasNumber : hasAxes));
}

export interface SqlChart {
  ticks: ChartTick[];
  series: ChartSeries[];
  /** Rows or series that are not drawn. */
  isCut: boolean;
}

export function chartOf(rows: SqlRows): SqlChart | null {
  const axes = axesOf(rows);
  if (axes === null) return null;
  const { x, by, y } = axes;
  const named = new Map<string, Map<string, number | null>>();
  const ticks = new Map<string, ChartTick>();
  for (const row of rows.results) {
    const key = textOf(row[x]);
    if (!ticks.has(key)) ticks.set(key, tickOf(row[x], isDate(rows, x)));
    for (const at of y) {
      const name = by === null ? (rows.columns[at] ?? '') : textOf(row[by]);
      const values = named.get(name) ?? new Map<string, number | null>();
      values.set(key, numberOf(row[at]));
      named.set(name, values);
    }
  }
  const keys = isDate(rows, x) ? [...ticks.keys()].sort() : [...ticks.keys()];
  const drawn = keys.slice(0, MAX_TICKS);
  const series = [...named]
    .slice(0, MAX_SERIES)
    .map(([name, values], at) => ({ name, colour: at, values: drawn.map((key) => values.get(key) ?? null) }));
  return {
    ticks: drawn.map((key) => ticks.get(key) ?? { label: key, title: key }),
    series,
    isCut: keys.length > MAX_TICKS || named.size > MAX_SERIES,
  };
}

/** The first number of the last row, as alerts see it, and the name of its column. */
export function bigNumber(rows: SqlRows): { name: string; value: number | null } | null {
  const at = rows.columns.findIndex((_, index) => isNumeric(rows, index));
  const row = rows.results.at(-1);
  return at < 0 || row === undefined ? null : { name: rows.columns[at] ?? '', value: numberOf(row[at]) };
}

export const textOf = (value: unknown): string =>
  value === null ? 'null' : typeof value === 'object' ? JSON.stringify(value) : String(value);

function numberOf(value: unknown): number | null {
  const number = value === null || value === '' ? Number.NaN : Number(value);
  return Number.isFinite(number) ? number : null;
}

/** Days without their time. */
function tickOf(value: unknown, isTime: boolean): ChartTick {
  const text = textOf(value);
  if (!isTime || value === null) return { label: text.length > 24 ? `${text.slice(0, 23)}…` : text, title: text };
  const interval = /T(?!00:00:00)/.test(text) ? 'hour' : 'day';
  return { label: formatTick(text, interval), title: formatTickTitle(text, interval) };
}
