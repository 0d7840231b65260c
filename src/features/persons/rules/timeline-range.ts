import { type DateContext, type DateFields, readPointRange, resolveDates } from '../../../core/time/read-date-range.ts';

export interface TimelineDates extends DateFields {
  /** The question asks for one value for each interval, so the same date twice means the interval that begins there. */
  isSeries: boolean;
}

/** Both ends belong to it, as the response shows them; ms UTC. */
export interface TimelineRange {
  from: number;
  to: number;
}

export function timelineRange(dates: TimelineDates, context: DateContext): TimelineRange {
  const { dateFrom, dateTo, interval, isSeries } = dates;
  const isPoint = isSeries && dateFrom !== undefined && dateFrom === dateTo;
  const { from, until } = isPoint ? readPointRange(dateFrom, interval, context) : resolveDates(dates, context);
  // Clients know hourly ranges by their full minute or hour.
  const hasFullEnd = interval === 'hour' && (isPoint || dateTo === undefined);
  return { from, to: hasFullEnd ? until : until - 1 };
}
