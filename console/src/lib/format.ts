/** Numbers and moments as people read them. Moments are shown in the project's time zone, not in the browser's. */

export type Moment = string | number | Date;

const msOf = (at: Moment): number => (at instanceof Date ? at.getTime() : typeof at === 'number' ? at : Date.parse(at));

const formats = new Map<string, Intl.DateTimeFormat>();

/** Making a format takes far longer than using it. */
function formatIn(zone: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = zone + JSON.stringify(options);
  const known = formats.get(key);
  if (known) return known;
  const made = new Intl.DateTimeFormat('en-GB', { timeZone: knownZone(zone), ...options });
  formats.set(key, made);
  return made;
}

/** A zone that this browser has never heard of is shown as UTC rather than not at all. */
export function knownZone(zone: string): string {
  try {
    return new Intl.DateTimeFormat('en-GB', { timeZone: zone }).resolvedOptions().timeZone;
  } catch {
    return 'UTC';
  }
}

const write = (at: Moment, zone: string, options: Intl.DateTimeFormatOptions): string => {
  const ms = msOf(at);
  return Number.isNaN(ms) ? '–' : formatIn(zone, options).format(ms);
};

/** 15 Jan 2026 */
export const formatDate = (at: Moment, zone: string): string =>
  write(at, zone, { day: 'numeric', month: 'short', year: 'numeric' });

/** 12:04:59 */
export const formatTime = (at: Moment, zone: string): string =>
  write(at, zone, { hour: '2-digit', minute: '2-digit', second: '2-digit' });

/** 15 Jan 2026, 12:04:59 */
export const formatMoment = (at: Moment, zone: string): string =>
  write(at, zone, {
    day: 'numeric',
    month: 'short',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
  });

const UNITS: readonly [Intl.RelativeTimeFormatUnit, number][] = [
  ['year', 31_557_600_000],
  ['month', 2_629_800_000],
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1000],
];
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });

/** '3 minutes ago', 'in 2 days', 'now' */
export function formatAgo(at: Moment, now: number): string {
  const difference = msOf(at) - now;
  if (Number.isNaN(difference)) return '–';
  const [unit, ms] = UNITS.find(([, size]) => Math.abs(difference) >= size) ?? ['second', 1000];
  return relative.format(Math.trunc(difference / ms), unit);
}

const whole = new Intl.NumberFormat('en', { maximumFractionDigits: 2 });
const compact = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });

/** 12,345.67 */
export const formatNumber = (value: number): string => whole.format(value);
/** 12.3K */
export const formatCompact = (value: number): string => (Math.abs(value) < 10_000 ? whole : compact).format(value);

/** 0.1234 → 12.3 % */
export const formatShare = (share: number): string => `${(share * 100).toFixed(1).replace(/\.0$/, '')} %`;

const SIZES = ['B', 'kB', 'MB', 'GB', 'TB', 'PB'];

/** 1.5 GB, by thousands as disks are sold */
export function formatBytes(bytes: number): string {
  const power = Math.min(SIZES.length - 1, bytes < 1 ? 0 : Math.floor(Math.log10(bytes) / 3));
  const value = bytes / 1000 ** power;
  return `${value >= 100 || power === 0 ? Math.round(value) : value.toFixed(1)} ${SIZES[power]}`;
}

/** '850 ms', '12 s', '3 min 5 s', '2 h 10 min', '4 d 3 h' */
export function formatDuration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  const seconds = Math.floor(ms / 1000);
  const parts: [number, string][] = [
    [Math.floor(seconds / 86_400), 'd'],
    [Math.floor(seconds / 3600) % 24, 'h'],
    [Math.floor(seconds / 60) % 60, 'min'],
    [seconds % 60, 's'],
  ];
  const first = parts.findIndex(([count]) => count > 0);
  return parts
    .slice(first, first + 2)
    .filter(([count]) => count > 0)
    .map(([count, unit]) => `${count} ${unit}`)
    .join(' ');
}

/** '1 event', '2 events' */
export const countOf = (count: number, one: string, many = `${one}s`): string =>
  `${formatNumber(count)} ${count === 1 ? one : many}`;
