/** When a delivery that failed is tried again. */
import { createHash } from 'node:crypto';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../../core/time/units.ts';

/** After each attempt but the last: ten attempts in about a day. Doubling from half a minute would end after four hours. */
const DELAYS_MS = [
  30 * SECOND_MS,
  MINUTE_MS,
  2 * MINUTE_MS,
  10 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  4 * HOUR_MS,
  7 * HOUR_MS,
  10 * HOUR_MS,
];
/** Deliveries that failed together are not tried again together. */
const MAX_SHARE_OF_CHANCE = 0.2;

/**
 * After the attempt with this number, counted from 1, and not before the receiver wants it. Null: it was the last one. The
 * chance in it comes from the key, so that it needs no source of its own.
 */
export function retryDelay(key: string, attempt: number, retryAfterMs: number): number | null {
  const usual = DELAYS_MS[attempt - 1];
  if (usual === undefined) return null;
  const chance = createHash('sha256').update(`${key} ${attempt}`).digest().readUInt32BE(0) / 0xffffffff;
  const delay = usual * (1 + MAX_SHARE_OF_CHANCE * (2 * chance - 1));
  return Math.max(Math.round(delay), retryAfterMs);
}
