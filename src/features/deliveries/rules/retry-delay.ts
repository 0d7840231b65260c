/** When a delivery that failed is tried again. */
import { createHash } from 'node:crypto';
import { SECOND_MS } from '../../../core/time/units.ts';

const MAX_ATTEMPTS = 10;
const FIRST_DELAY_MS = 30 * SECOND_MS;
/** Deliveries that failed together are not tried again together. */
const MAX_SHARE_OF_CHANCE = 0.2;

/**
 * After the attempt with this number, counted from 1: half a minute, a minute, two … and not before the receiver wants
 * it. Null: it was the last one. The chance in it comes from the key, so that it needs no source of its own.
 */
export function retryDelay(key: string, attempt: number, retryAfterMs: number): number | null {
  if (attempt >= MAX_ATTEMPTS) return null;
  const chance = createHash('sha256').update(`${key} ${attempt}`).digest().readUInt32BE(0) / 0xffffffff;
  const delay = FIRST_DELAY_MS * 2 ** (attempt - 1) * (1 + MAX_SHARE_OF_CHANCE * (2 * chance - 1));
  return Math.max(Math.round(delay), retryAfterMs);
}
