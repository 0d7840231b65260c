/** Structured logs. Keys and addresses are shortened: enough to recognise them, too little to use them. */
import { type DestinationStream, type Logger, pino } from 'pino';

export type { Logger } from 'pino';

const PARAMETER = /([?&])([^=&]*)(?:(=)([^&]*))?/g;
/** Enough is shown to recognise them. */
const KEYS = new Set(['token', 'api_key', 'personal_api_key']);
const KEY_START = 8;
/** Numbers and choices that say nothing about anybody. */
const HARMLESS = new Set([
  ...['limit', 'offset', 'page', 'format', 'v', 'ver', 'compression', 'beacon', 'ip', 'refresh', 'interval', 'insight'],
  ...[
    'display',
    'date_from',
    'date_to',
    'basic',
    'saved',
    'order',
    'scope',
    'type',
    'project_id',
    'delete_events',
    'delete_names',
  ],
]);
const HARMLESS_VALUE = /^[\w.,:+-]{0,40}$/;
const HARMLESS_NAME = /^[\w$.%[\]-]{0,60}$/;

/** `personal%5Fapi_key` means `personal_api_key`. */
const nameOf = (written: string): string =>
  written
    .replace(/%([0-9a-f]{2})/gi, (_all, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
    .toLowerCase();

/** A request's URL with the names of its parameters, without values: they may be keys, or about persons. */
export const shortenUrl = (url: string): string =>
  url
    .replace(PARAMETER, (_all, mark: string, name: string, equals = '', value = '') => {
      const shownName = HARMLESS_NAME.test(name) && !name.includes('%40') ? name : '…';
      return `${mark}${shownName}${equals}${equals === '' ? '' : shortenValue(nameOf(name), value)}`;
    })
    .slice(0, 500);

function shortenValue(name: string, value: string): string {
  if (value === '' || (HARMLESS.has(name) && HARMLESS_VALUE.test(value))) return value;
  return KEYS.has(name) ? `${value.slice(0, KEY_START)}…` : '…';
}

/** `203.0.113.7` → `203.0.113.x`; likewise the last part of an IPv6 address. */
export const shortenAddress = (address: string): string =>
  address.includes(':') ? address.replace(/[^:]*$/, 'x') : address.replace(/\d+$/, 'x');

/** Writes to standard output unless another destination is given. */
export function openLog(level: string, destination?: DestinationStream): Logger {
  const options = {
    level,
    base: { name: 'cairn' },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
    serializers: {
      err: pino.stdSerializers.err,
      req: (request: { method: string; url: string; ip: string }) => ({
        method: request.method,
        url: shortenUrl(request.url),
        from: shortenAddress(request.ip),
      }),
      res: (reply: { statusCode: number }) => ({ status: reply.statusCode }),
    },
  };
  return destination ? pino(options, destination) : pino(options);
}
