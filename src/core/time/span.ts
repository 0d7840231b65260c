/** Lengths of time: months and years go by the calendar (in UTC), the rest is a fixed number of milliseconds. */
import { addUnits } from './interval.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, WEEK_MS } from './units.ts';

export const SPAN_INTERVALS = ['minute', 'hour', 'day', 'week', 'month', 'year'] as const;
export type SpanInterval = (typeof SPAN_INTERVALS)[number];

/** One of the two is 0. */
export interface Span {
  months: number;
  ms: number;
}

const LENGTHS: Readonly<Record<SpanInterval, Span>> = {
  minute: { months: 0, ms: MINUTE_MS },
  hour: { months: 0, ms: HOUR_MS },
  day: { months: 0, ms: DAY_MS },
  week: { months: 0, ms: WEEK_MS },
  month: { months: 1, ms: 0 },
  year: { months: 12, ms: 0 },
};

/** Longer spans count as a thousand years, so that every result is a valid date. */
const MAX_SPAN: Span = { months: 12_000, ms: 365_000 * DAY_MS };
/** The first instant of year 1. */
const MIN_TIME_MS = -62_135_596_800_000;

export function toSpan(count: number, interval: SpanInterval): Span {
  const { months, ms } = LENGTHS[interval];
  return { months: Math.min(count * months, MAX_SPAN.months), ms: Math.min(count * ms, MAX_SPAN.ms) };
}

/** `time` minus the span, `times` over. Months are subtracted at once: two before 31 March is 31 January. */
export function subtractSpan(time: number, { months, ms }: Span, times = 1): number {
  if (months * times > MAX_SPAN.months) return MIN_TIME_MS;
  return Math.max(months === 0 ? time - ms * times : addUnits(time, -months * times, 'month', 'UTC'), MIN_TIME_MS);
}

export const addSpan = (time: number, { months, ms }: Span): number =>
  months === 0 ? time + ms : addUnits(time, months, 'month', 'UTC');
