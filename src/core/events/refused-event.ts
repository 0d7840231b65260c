/**
 * What is logged in place of an event that is not taken, such as one that is too large: enough to tell the project about
 * it. It is dropped, with a warning, when it is processed.
 */
import { isJsonObject, type JsonObject } from '../json/json.ts';

/** Why an event of a visitor without cookies is not taken. */
export type CookielessRefusal = (typeof COOKIELESS_REFUSALS)[number];

const COOKIELESS_REFUSALS = [
  'cookieless_off',
  'cookieless_disallowed_event',
  'cookieless_disallowed_identify',
  'cookieless_missing_user_agent',
  'cookieless_missing_ip',
  'cookieless_missing_host',
  'cookieless_out_of_date',
] as const;

export const REFUSAL_REASONS = ['event_too_large', 'event_has_too_many_keys', ...COOKIELESS_REFUSALS] as const;

export type RefusalReason = (typeof REFUSAL_REASONS)[number];

export interface Refusal {
  reason: RefusalReason;
  bytes: number;
  keys: number;
}

const FIELD = '$cairn_refused';
const REASONS: ReadonlySet<unknown> = new Set(REFUSAL_REASONS);

export const refusedEvent = (outline: JsonObject, { reason, bytes, keys }: Refusal): JsonObject => ({
  ...outline,
  [FIELD]: { reason, bytes, keys },
});

export function refusalOf(event: JsonObject): Refusal | undefined {
  const given = event[FIELD];
  if (!isJsonObject(given) || !REASONS.has(given['reason'])) return undefined;
  return { reason: given['reason'] as RefusalReason, bytes: Number(given['bytes']), keys: Number(given['keys']) };
}
