import type { Json } from '../../src/core/json/json.ts';

export type Properties = Readonly<Record<string, Json>>;

/** A property as text: empty where it is missing, `null` where it is null. */
export const textIn = (properties: Properties, key: string): string =>
  Object.hasOwn(properties, key) ? textOf(properties[key] ?? null) : '';

/** Texts as they are, all else as JSON in the notation of the event stores. */
export const textOf = (value: Json): string => (typeof value === 'string' ? value : jsonOf(value));

function jsonOf(value: Json): string {
  if (typeof value === 'number') return String(value).replace('e+', 'e');
  if (typeof value === 'string') return `"${Array.from(value, characterOf).join('')}"`;
  if (Array.isArray(value)) return `[${value.map(jsonOf).join(',')}]`;
  if (typeof value !== 'object' || value === null) return String(value);
  return `{${Object.entries(value)
    .map(([key, inner]) => `${jsonOf(key)}:${jsonOf(inner)}`)
    .join(',')}}`;
}

/** Codes of control characters have capital letters. */
function characterOf(character: string): string {
  const written = JSON.stringify(character).slice(1, -1);
  return written.startsWith('\\u00') ? `\\u${written.slice(2).toUpperCase()}` : written;
}

/** Spaces do not count. */
export function numberOf(text: string): number | null {
  const digits = text.split(' ').join('');
  return /^[-+]?(\d+([.]\d*)?|[.]\d+)(e[-+]?\d+)?$/i.test(digits) ? Number(digits) : null;
}

/** The moment that a text in a filter stands for, in ms; `isDay` where it has no time of day. */
export function momentOf(text: string): { ms: number; isDay: boolean } | null {
  const whole = exactMoment(text);
  if (whole !== null) return { ms: whole, isDay: text.length === 10 && !/^\d+$/.test(text) };
  const start = exactMoment(Array.from(text).slice(0, 10).join(''));
  return start === null ? null : { ms: start, isDay: false };
}

function exactMoment(text: string): number | null {
  if (/^\d{9,10}$/.test(text)) return Number(text) * 1000;
  const european = /^(\d\d)\/(\d\d)\/(\d{4})$/.exec(text);
  if (european !== null) return utc(Number(european[3]), Number(european[2]), Number(european[1]));
  const iso = /^(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:[.]\d+)?)?(?:Z|([-+])(\d\d):?(\d\d))?)?$/.exec(
    text,
  );
  if (iso === null) return null;
  const [year, month, day, hour, minute, second] = iso.slice(1, 7).map((part) => Number(part ?? 0)) as number[];
  const [sign, zoneHours, zoneMinutes] = [iso[7], Number(iso[8] ?? 0), Number(iso[9] ?? 0)];
  const date = utc(year ?? 0, month ?? 0, day ?? 0);
  const isTime = (hour ?? 0) < 24 && (minute ?? 0) < 60 && (second ?? 0) < 60 && zoneHours < 15 && zoneMinutes < 60;
  if (date === null || !isTime) return null;
  const offset = (sign === '-' ? -1 : 1) * (zoneHours * 60 + zoneMinutes);
  return date + (((hour ?? 0) * 60 + (minute ?? 0) - offset) * 60 + (second ?? 0)) * 1000;
}

/** Null for days that do not exist. */
function utc(year: number, month: number, day: number): number | null {
  const ms = new Date(Date.UTC(2000, month - 1, day)).setUTCFullYear(year, month - 1, day);
  const date = new Date(ms);
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day ? ms : null;
}
