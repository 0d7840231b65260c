/** Durations as Django writes them: `14 00:00:00` are 14 days. */
import { invalid } from '../../../core/errors.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../../core/time/units.ts';

const PATTERN = /^(?:(\d{1,4}) )?(\d{1,2}):(\d{2}):(\d{2})$/;
const MAX_DAYS = 365;

/** In ms; at least a minute and at most a year. */
export function parseDuration(field: string, text: string): number {
  const [, days = '0', hours = '0', minutes = '0', seconds = '0'] = PATTERN.exec(text) ?? [];
  const ms =
    Number(days) * DAY_MS + Number(hours) * HOUR_MS + Number(minutes) * MINUTE_MS + Number(seconds) * SECOND_MS;
  if (ms >= MINUTE_MS && ms <= MAX_DAYS * DAY_MS) return ms;
  throw invalid(
    field,
    `${field} is a duration such as 14 00:00:00 (days hours:minutes:seconds), up to ${MAX_DAYS} days.`,
  );
}

export function formatDuration(ms: number): string {
  const part = (unit: number, within: number): string => String(Math.floor((ms % within) / unit)).padStart(2, '0');
  const time = `${part(HOUR_MS, DAY_MS)}:${part(MINUTE_MS, HOUR_MS)}:${part(SECOND_MS, MINUTE_MS)}`;
  const days = Math.floor(ms / DAY_MS);
  return days === 0 ? time : `${days} ${time}`;
}
