/** Answers of insights as the numbers, chart and table of a digest. */
import { isJsonObject, type Json, type JsonObject } from '../../../core/json/json.ts';
import { type DigestNumber, type DigestTile, numberText } from '../../deliveries/rules/digest-tile.ts';

/** What is told of one insight. */
export type TileContent = Pick<DigestTile, 'numbers' | 'chart' | 'table' | 'note'>;

const MAX_NUMBERS = 6;
const MAX_SERIES = 6;
const MAX_ROWS = 10;
const MAX_COLUMNS = 6;

export const EMPTY: TileContent = { numbers: [], chart: null, table: null, note: null };

const objects = (result: Json): JsonObject[] => (Array.isArray(result) ? result.filter(isJsonObject) : []);
const numbersIn = (value: Json | undefined): number[] =>
  Array.isArray(value) ? value.map((one) => (typeof one === 'number' ? one : 0)) : [];
const numberOrNull = (value: Json | undefined): number | null => (typeof value === 'number' ? value : null);
const text = (value: Json | undefined): string => (typeof value === 'string' ? value : '');
const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

/** A series with a name of its own is shown under it. */
function seriesName(item: JsonObject): string {
  const { label = '', action } = item;
  const { name = '', custom_name: custom } = isJsonObject(action) ? action : {};
  if (typeof custom !== 'string' || custom === '' || typeof name !== 'string') return text(label);
  return text(label).startsWith(name) ? custom + text(label).slice(name.length) : text(label);
}

function withNote(content: Omit<TileContent, 'note'>, left: number): TileContent {
  return { ...content, note: left > 0 ? `${left} more in Cairn` : null };
}

/** `over`: the same question over time; null where it is shown as totals only. */
export function readTrends(totals: Json, previous: Json | null, over: Json | null): TileContent {
  const before = new Map(objects(previous).map((item) => [keyOf(item), numberOrNull(item['aggregated_value'])]));
  const all = objects(totals).map((item) => ({
    label: seriesName(item),
    value: numberOrNull(item['aggregated_value']),
    previous: previous === null ? null : (before.get(keyOf(item)) ?? 0),
    unit: 'count' as const,
  }));
  const isBrokenDown = objects(totals).some((item) => item['breakdown_value'] !== undefined);
  const ordered = isBrokenDown ? all.toSorted((a, b) => (b.value ?? 0) - (a.value ?? 0)) : all;
  const numbers = ordered.slice(0, MAX_NUMBERS);
  const chart = over === null ? totalsChart(numbers) : chartOver(over, numbers);
  return withNote({ numbers, chart, table: null }, all.length - numbers.length);
}

const keyOf = ({ label, breakdown_value }: JsonObject): string =>
  JSON.stringify([label ?? null, breakdown_value ?? null]);

/** Bars, where there is more than one to compare. */
function totalsChart(numbers: readonly DigestNumber[]): TileContent['chart'] {
  const [first, last] = [numbers[0], numbers.at(-1)];
  if (numbers.length < 2 || !first || !last) return null;
  const values = numbers.map(({ value }) => value ?? 0);
  return { kind: 'bars', labels: [first.label, last.label], series: [{ label: 'Total', values }] };
}

/** The series whose numbers are shown. */
function chartOver(result: Json, shown: readonly DigestNumber[]): TileContent['chart'] {
  const names = shown.map(({ label }) => label);
  const items = objects(result).filter((item) => names.includes(seriesName(item)));
  const ordered = items.toSorted((a, b) => names.indexOf(seriesName(a)) - names.indexOf(seriesName(b)));
  const series = ordered.slice(0, MAX_SERIES).map((item) => ({
    label: seriesName(item),
    values: numbersIn(item['data']),
  }));
  const labels = Array.isArray(items[0]?.['labels']) ? items[0]['labels'] : [];
  if (series.length === 0 || labels.length < 2) return null;
  return { kind: 'lines', labels: [text(labels[0]), text(labels.at(-1))], series };
}

interface Step {
  name: string;
  count: number;
}

const stepsOf = (result: Json): Step[] =>
  objects(result).map(({ name, custom_name: custom, count }) => ({
    name: text(custom) || text(name),
    count: numberOrNull(count) ?? 0,
  }));

const conversion = (steps: readonly Step[]): number | null => {
  const [first, last] = [steps[0]?.count ?? 0, steps.at(-1)?.count ?? 0];
  return first === 0 ? null : (100 * last) / first;
};

/** Of a breakdown: how many percent of each value convert. */
export function readFunnel(result: Json, previous: Json | null): TileContent {
  const groups = Array.isArray(result) && result.every(Array.isArray) ? result : null;
  if (groups !== null && groups.length > 0) {
    const groupKey = (group: Json): string => JSON.stringify(objects(group)[0]?.['breakdown_value'] ?? null);
    const before = new Map((Array.isArray(previous) ? previous : []).map((group) => [groupKey(group), group]));
    const numbers = groups.slice(0, MAX_NUMBERS).map((group): DigestNumber => {
      const earlier = before.get(groupKey(group));
      const value = objects(group)[0]?.['breakdown_value'] ?? '';
      return {
        label: [value].flat().join(', '),
        value: conversion(stepsOf(group)),
        previous: earlier === undefined ? null : conversion(stepsOf(earlier)),
        unit: 'percent',
      };
    });
    return withNote({ numbers, chart: null, table: null }, groups.length - numbers.length);
  }
  const steps = stepsOf(result);
  const earlier = previous === null ? null : stepsOf(previous);
  const counts = steps.map(
    ({ name, count }, i): DigestNumber => ({
      label: `${i + 1}. ${name}`,
      value: count,
      previous: earlier === null ? null : (earlier[i]?.count ?? 0),
      unit: 'count',
    }),
  );
  const [first, last] = [counts[0], counts.at(-1)];
  if (!first || !last) return EMPTY;
  const total: DigestNumber = {
    label: 'Conversion',
    value: conversion(steps),
    previous: earlier === null ? null : conversion(earlier),
    unit: 'percent',
  };
  const values = steps.map(({ count }) => count);
  const chart = {
    kind: 'bars' as const,
    labels: [first.label, last.label] as const,
    series: [{ label: 'Persons', values }],
  };
  return withNote(
    { numbers: [total, ...counts.slice(0, MAX_NUMBERS)], chart, table: null },
    counts.length - MAX_NUMBERS,
  );
}

/** How many percent of all cohorts came back after 1, 2, … periods; the cohorts that are old enough count. */
function retentionCurve(result: Json): (number | null)[] {
  const rows = objects(result).map(({ values }) =>
    objects(values ?? null).map(({ count }) => numberOrNull(count) ?? 0),
  );
  const periods = Math.max(0, ...rows.map(({ length }) => length));
  return Array.from({ length: Math.max(0, periods - 1) }, (_, i) => {
    const old = rows.filter(({ length }) => length > i + 1);
    const size = sum(old.map(([first = 0]) => first));
    return size === 0 ? null : (100 * sum(old.map((counts) => counts[i + 1] ?? 0))) / size;
  });
}

export function readRetention(result: Json, previous: Json | null, unit: string): TileContent {
  const curve = retentionCurve(result);
  const before = previous === null ? [] : retentionCurve(previous);
  const numbers = curve.slice(0, 3).map((value, i): DigestNumber => {
    const label = `Back after ${i + 1} ${unit}${i === 0 ? '' : 's'}`;
    return { label, value, previous: before[i] ?? null, unit: 'percent' };
  });
  const values = curve.map((value) => value ?? 0);
  const labels = [`1 ${unit}`, `${values.length} ${unit}s`] as const;
  const chart = values.length < 2 ? null : ({ kind: 'bars', labels, series: [{ label: 'Percent', values }] } as const);
  return { ...EMPTY, numbers, chart };
}

export function readLifecycle(result: Json, previous: Json | null): TileContent {
  const total = (items: Json, status: Json | undefined): number =>
    Math.abs(sum(numbersIn(objects(items).find((one) => one['status'] === status)?.['data'])));
  const items = objects(result);
  const numbers = items.map(({ status }): DigestNumber => {
    const label = text(status);
    const before = previous === null ? null : total(previous, status);
    return { label, value: total(result, status), previous: before, unit: 'count' };
  });
  const labels = Array.isArray(items[0]?.['labels']) ? items[0]['labels'] : [];
  const series = items.map((item) => ({ label: text(item['status']), values: numbersIn(item['data']) }));
  const chart =
    labels.length < 2 ? null : ({ kind: 'lines', labels: [text(labels[0]), text(labels.at(-1))], series } as const);
  return { ...EMPTY, numbers, chart };
}

export function readStickiness(result: Json, previous: Json | null, unit: string): TileContent {
  const before = new Map(objects(previous ?? []).map((item) => [seriesName(item), numbersIn(item['data'])]));
  const items = objects(result);
  const numbers = items.slice(0, MAX_NUMBERS).map((item): DigestNumber => {
    const several = (data: readonly number[]): number => sum(data.slice(1));
    const earlier = before.get(seriesName(item));
    return {
      label: `${seriesName(item)}: in 2 ${unit}s or more`,
      value: several(numbersIn(item['data'])),
      previous: earlier === undefined ? null : several(earlier),
      unit: 'count',
    };
  });
  const series = items.slice(0, MAX_SERIES).map((item) => ({
    label: seriesName(item),
    values: numbersIn(item['data']),
  }));
  const length = series[0]?.values.length ?? 0;
  const labels = [`1 ${unit}`, `${length} ${unit}s`] as const;
  return { ...EMPTY, numbers, chart: length < 2 ? null : { kind: 'bars', labels, series } };
}

/** Items of paths have their position before them: `1_/pricing`. */
export function readPaths(result: Json): TileContent {
  const edges = objects(result);
  const plain = (value: Json | undefined): string => text(value).replace(/^\d+_/, '');
  const rows = edges
    .slice(0, MAX_ROWS)
    .map(({ source, target, value }) => [plain(source), plain(target), numberText(numberOrNull(value))]);
  return withNote(
    { numbers: [], chart: null, table: { columns: ['From', 'To', 'Times'], rows } },
    edges.length - rows.length,
  );
}

interface StatementRows {
  columns: readonly string[];
  results: readonly (readonly unknown[])[];
  warnings: readonly { message: string }[];
}

/** One value alone is a number. */
export function readStatement({ warnings, ...answer }: StatementRows): TileContent {
  const { note, ...content } = readRows(answer);
  const notes = [...(note === null ? [] : [note]), ...warnings.map(({ message }) => message)];
  return { ...content, note: notes.join('. ') || null };
}

function readRows({ columns, results }: Omit<StatementRows, 'warnings'>): TileContent {
  const [only, ...others] = results;
  const value = only?.[0];
  if (columns.length === 1 && others.length === 0 && typeof value === 'number')
    return { ...EMPTY, numbers: [{ label: columns[0] ?? '', value, previous: null, unit: 'count' }] };
  const rows = results.slice(0, MAX_ROWS).map((row) => row.slice(0, MAX_COLUMNS).map(cellText));
  const left = results.length - rows.length;
  return withNote({ numbers: [], chart: null, table: { columns: columns.slice(0, MAX_COLUMNS), rows } }, left);
}

const MAX_CELL_LENGTH = 200;

function cellText(value: unknown): string {
  if (typeof value === 'number') return numberText(value);
  if (value === null || value === undefined) return '';
  return (typeof value === 'string' ? value : JSON.stringify(value)).slice(0, MAX_CELL_LENGTH);
}
