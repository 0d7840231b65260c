import { DAY_MS } from '../time/units.ts';

/**
 * Dates in filters: ISO 8601, `DD/MM/YYYY`, or seconds since 1970 with nine or ten digits. If the whole text is none of
 * these, its first ten characters are tried, so that milliseconds work too. UTC unless it has a zone; fractions of a
 * second are ignored. The event stores use the same patterns.
 */
const DATE = '\\d{4}-\\d{2}-\\d{2}';
const TIME = '([01]\\d|2[0-3]):[0-5]\\d(:[0-5]\\d(\\.\\d+)?)?';
const ZONE = '(Z|[+-](0\\d|1[0-4]):?[0-5]\\d)';

export const DATE_PATTERNS = {
  iso: `${DATE}([T ]${TIME}${ZONE}?)?`,
  european: '\\d{2}/\\d{2}/\\d{4}',
  seconds: '\\d{9,10}',
} as const;

export const DATE_PREFIX_LENGTH = 10;

const wholeText = (pattern: string): RegExp => new RegExp(`^(?:${pattern})$`);
const ISO = wholeText(DATE_PATTERNS.iso);
const ISO_PARTS = new RegExp(`^(${DATE})(?:[T ](\\d{2}:\\d{2})(:\\d{2})?(?:\\.\\d+)?(.*))?$`);
const EUROPEAN = wholeText(DATE_PATTERNS.european);
const SECONDS = wholeText(DATE_PATTERNS.seconds);

/** Ms UTC, at a full second; null where the text is no date. */
export const parseFilterDate = (text: string): number | null =>
  // A quick test: most texts are no dates.
  /^\d/.test(text) ? (parseOne(text) ?? parseOne(datePrefix(text))) : null;

const datePrefix = (text: string): string =>
  [...text.slice(0, DATE_PREFIX_LENGTH * 2)].slice(0, DATE_PREFIX_LENGTH).join('');

function parseOne(text: string): number | null {
  if (SECONDS.test(text)) return Number(text) * 1000;
  if (EUROPEAN.test(text)) {
    const [day = '', month = '', year = ''] = text.split('/');
    return instant(`${year}-${month}-${day}`, '00:00:00', 'Z');
  }
  if (!ISO.test(text)) return null;
  const [, date = '', minutes = '00:00', seconds = ':00', zone = ''] = ISO_PARTS.exec(text) ?? [];
  return instant(date, minutes + seconds, zone === '' ? 'Z' : zone.replace(/(\d\d)(\d\d)$/, '$1:$2'));
}

/** Null for dates that do not exist, such as 30 February. */
function instant(date: string, time: string, zone: string): number | null {
  const day = Date.parse(`${date}T00:00:00Z`);
  if (Number.isNaN(day) || new Date(day).toISOString().slice(0, 10) !== date) return null;
  return Date.parse(`${date}T${time}${zone}`);
}

/** The range that a filter's value stands for: a day where it has no time, else one second. */
export function dateSpan(value: string): { from: number; to: number } | null {
  const from = parseFilterDate(value);
  if (from === null) return null;
  const isDay = value.length === DATE_PREFIX_LENGTH && !SECONDS.test(value);
  return { from, to: from + (isDay ? DAY_MS : 1000) };
}
