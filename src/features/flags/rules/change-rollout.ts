/**
 * Another rollout percentage for a condition. Where users are put into ranges as another product does, the ranges grow or
 * shrink at their ends: whoever is in stays in, with the same variant, while the percentage grows, and nobody comes in
 * while it shrinks. That is what the percentage of those products does, too.
 */
import type { JsonObject } from '../../../core/json/json.ts';
import { bucketingOf, coverageOf, isNotFalse, rangesOf } from './filters-shape.ts';

/** Why a percentage alone does not say who is to be in. */
export class NotOneRollout extends Error {}

export function changeRollout(group: JsonObject, percentage: number): JsonObject {
  const changed = { ...group, rollout_percentage: percentage };
  const steps = bucketingOf(group);
  if (steps.length === 0) return changed;
  const at = rolloutStep(steps);
  return { ...changed, bucketing: steps.map((step, i) => (i === at ? resize(step, percentage) : step)) };
}

/** The one step that leaves users out; the others split those who are in. */
function rolloutStep(steps: readonly JsonObject[]): number {
  const partial = steps.flatMap((step, at) => (coverageOf(step, isNotFalse) < ALL ? [at] : []));
  if (partial.length > 1) throw new NotOneRollout('several percentages decide who is in, one after the other');
  if (partial.length === 0 && steps.length > 1)
    throw new NotOneRollout('users are split several times, and none of it is a percentage');
  return partial[0] ?? 0;
}

const ALL = 100 - 1e-6;

interface Range {
  from: number;
  to: number;
  rest: JsonObject;
}

function resize(step: JsonObject, percentage: number): JsonObject {
  const of = Number(step['of']);
  const ranges = rangesOf(step).map((rest): Range => {
    const { from, to } = rest;
    return { from: Number(from), to: Number(to), rest };
  });
  ranges.sort((a, b) => a.from - b.from || a.to - b.to);
  const size = (percentage / 100) * of;
  const resized = isAtEnd(ranges, of)
    ? mirrored(resizeAll(mirrored(ranges, of), of, size), of)
    : resizeAll(ranges, of, size);
  return { ...step, ranges: resized.map(({ from, to, rest }) => ({ ...rest, from, to })) };
}

const isIn = ({ rest }: Range): boolean => isNotFalse(rest);

/** Those who are out come first, as where the first value of a flag is off: then those who are in grow downwards. */
const isAtEnd = (ranges: readonly Range[], of: number): boolean =>
  ranges.length === 2 && ranges[0]?.from === 0 && !isIn(ranges[0]) && ranges[1]?.to === of;

const mirrored = (ranges: readonly Range[], of: number): Range[] =>
  ranges.map(({ from, to, rest }) => ({ from: of - to, to: of - from, rest })).reverse();

/** `size`: of all ranges that are in. Each grows by the same share of the gap before the next. */
function resizeAll(ranges: readonly Range[], of: number, size: number): Range[] {
  const before = ranges.filter(isIn);
  const total = sum(before.map(({ from, to }) => to - from));
  const gaps = before.map(({ to }, at) => (before[at + 1]?.from ?? of) - to);
  const free = sum(gaps);
  if (before.length === 0 || gaps.some((gap) => gap < 0) || size > total + free + TINY)
    throw new NotOneRollout('its ranges leave no room for another percentage');
  const grown = free === 0 ? 0 : (size - total) / free;
  const ends = new Map(
    before.map((range, at) => {
      const { from, to } = range;
      return [range, rounded(size < total ? from + ((to - from) * size) / total : to + grown * (gaps[at] ?? 0))];
    }),
  );
  let last: { was: number; is: number } | undefined;
  return ranges.map((range) => {
    const end = ends.get(range);
    if (end !== undefined) {
      last = { was: range.to, is: Math.min(end, of) };
      return { ...range, to: last.is };
    }
    // Those who are out come directly after those who are in, as before.
    const from = last === undefined ? range.from : range.from === last.was ? last.is : Math.max(range.from, last.is);
    return { ...range, from: Math.min(from, range.to) };
  });
}

/** Buckets may be whole numbers, where 29.999999999999996 would leave out the users of number 30. */
const rounded = (end: number): number => Math.round(end * 1e9) / 1e9;

const TINY = 1e-6;
const sum = (numbers: readonly number[]): number => numbers.reduce((total, one) => total + one, 0);
