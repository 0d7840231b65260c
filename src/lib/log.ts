/** Structured logs. Keys and addresses are shortened: enough to recognise them, too little to use them. */
import { type DestinationStream, type Logger, pino } from 'pino';

export type { Logger } from 'pino';

const PARAMETER = /([?&])([^=&]*)=([^&]{0,8})[^&]*/g;
const SECRET = new Set([
  'token',
  'api_key',
  'personal_api_key',
  'data',
  'email',
  'distinct_id',
  'main_distinct_id',
  'search',
]);

/** `personal%5Fapi_key` means `personal_api_key`. */
const nameOf = (written: string): string =>
  written
    .replace(/%([0-9a-f]{2})/gi, (_all, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
    .toLowerCase();

/** A request's URL without secrets and personal data. */
export const shortenUrl = (url: string): string =>
  url
    .replace(PARAMETER, (all, mark: string, name: string, start: string) =>
      SECRET.has(nameOf(name)) ? `${mark}${name}=${start}…` : all,
    )
    .slice(0, 500);

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
