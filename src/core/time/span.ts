/** Lengths of time as people name them: months and years go by the calendar, the rest is always as long. */
import { monthsAgo } from './parse-moment.ts';

export const SPAN_INTERVALS = ['minute', 'hour', 'day', 'week', 'month', 'year'] as const;
export type SpanInterval = (typeof SPAN_INTERVALS)[number];

/** One of the two is 0. */
export interface Span {
  months: number;
  ms: number;
}

const MINUTE = 60_000;
const DAY = 1440 * MINUTE;
const LENGTHS: Readonly<Record<SpanInterval, Span>> = {
  minute: { months: 0, ms: MINUTE },
  hour: { months: 0, ms: 60 * MINUTE },
  day: { months: 0, ms: DAY },
  week: { months: 0, ms: 7 * DAY },
  month: { months: 1, ms: 0 },
  year: { months: 12, ms: 0 },
};

/** A thousand years stand for any longer time: no event is that old, and no clock goes that far. */
const MAX_SPAN: Span = { months: 12_000, ms: 365_000 * DAY };
/** The first instant of year 1. */
const MIN_TIME_MS = -62_135_596_800_000;

export function toSpan(count: number, interval: SpanInterval): Span {
  const { months, ms } = LENGTHS[interval];
  return { months: Math.min(count * months, MAX_SPAN.months), ms: Math.min(count * ms, MAX_SPAN.ms) };
}

/** The instant that lies the span, or several of it, before `time`. Months are counted off at once: two before March 31 is January 31. */
export function subtractSpan(time: number, { months, ms }: Span, times = 1): number {
  if (months * times > MAX_SPAN.months) return MIN_TIME_MS;
  return Math.max(months === 0 ? time - ms * times : monthsAgo(months * times, time), MIN_TIME_MS);
}

export const addSpan = (time: number, { months, ms }: Span): number =>
  months === 0 ? time + ms : monthsAgo(-months, time);
