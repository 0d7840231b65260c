import type { Failure } from '../../../core/errors.ts';
import { invalidPayload } from '../../../core/events/extract-events.ts';
import { parseTimestamp, withinSupportedYears } from '../../../core/time/parse-timestamp.ts';

import type { QueryValues } from '../../../http/public/decode/decode-request.ts';

interface SentAtSources {
  query: QueryValues;
  /** `sent_at` of the envelope or the single event; not `sentAt`, which old Python SDKs take from another clock. */
  body: unknown;
  form: string | undefined;
}

/** When the client sent the request by its own clock, ms; null where it is not given. Throws where it is no date. */
export function sentAtOf(sources: SentAtSources): number | null {
  const query = sources.query.get('_') || sources.query.get('sent_at');
  if (query) return digitsOrDate(query);
  const { body } = sources;
  if (body !== undefined && body !== null && body !== '') return isoDate(body);
  return sources.form ? digitsOrDate(sources.form) : null;
}

/** More than 11 digits before the point are milliseconds, fewer are seconds. */
function digitsOrDate(text: string): number {
  if (!/^\d+(?:\.\d+)?$/.test(text)) return isoDate(text);
  const isMillis = (text.split('.', 1)[0] ?? '').length > 11;
  return checked(withinSupportedYears(Number(text) * (isMillis ? 1 : 1000)), text);
}

function isoDate(value: unknown): number {
  if (typeof value !== 'string') throw invalidSentAt('expected a date as text');
  return checked(parseTimestamp(value), value);
}

function checked(ms: number | undefined, given: string): number {
  if (ms === undefined) throw invalidSentAt(`'${given.slice(0, 50)}' is not a date`);
  return ms;
}

const invalidSentAt = (why: string): Failure => invalidPayload(`Malformed request data, invalid sent at: ${why}`);
