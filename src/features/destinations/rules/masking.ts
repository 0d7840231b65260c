/** Masking: of events that are alike, only some are sent. */
import { createHash } from 'node:crypto';
import { invalid } from '../../../core/errors.ts';
import { isJsonObject, type Json } from '../../../core/json/json.ts';
import { checkTemplate, renderTemplate, type TemplateValues } from './template.ts';

export interface Masking {
  /** A template; events are alike if it becomes the same. */
  hash: string;
  /** Seconds. */
  ttl: number;
  /** Null: one within the time. Otherwise the first, and then each of this number. */
  threshold: number | null;
}

/** How many events that are alike there were, up to when they count together. */
export interface Mask {
  hash: string;
  endsAt: number;
  events: number;
}

const MIN_TTL = 60;
const MAX_TTL = 86_400;

export function readMasking(given: Json | undefined): Masking | null {
  if (given === undefined || given === null) return null;
  if (!isJsonObject(given)) throw invalid('masking', 'masking is an object with hash and ttl.');
  const { hash, ttl, threshold = null } = given;
  if (typeof hash !== 'string' || hash === '')
    throw invalid('masking', 'masking.hash says which events are alike, such as "{person.id}".');
  checkTemplate(hash, 'masking');
  if (typeof ttl !== 'number' || !Number.isInteger(ttl) || ttl < MIN_TTL || ttl > MAX_TTL)
    throw invalid('masking', `masking.ttl is a number of seconds, from ${MIN_TTL} to ${MAX_TTL}.`);
  if (threshold !== null && (typeof threshold !== 'number' || !Number.isInteger(threshold) || threshold < 2))
    throw invalid('masking', 'masking.threshold is a whole number from 2 on, or null.');
  return { hash, ttl, threshold };
}

export const maskHash = ({ hash }: Masking, values: TemplateValues): string =>
  createHash('sha256')
    .update(JSON.stringify(renderTemplate(hash, values)))
    .digest('base64url')
    .slice(0, 22);

/**
 * Counts an event that was received then, and whether it is sent. By the time of its arrival, not by a clock: so the same
 * events are chosen when they are looked at again after a crash.
 */
export function applyMask(
  { ttl, threshold }: Masking,
  before: Mask | undefined,
  hash: string,
  receivedAt: number,
): { mask: Mask; isSent: boolean } {
  if (before === undefined || receivedAt >= before.endsAt)
    return { mask: { hash, endsAt: receivedAt + ttl * 1000, events: 1 }, isSent: true };
  const events = before.events + 1;
  return { mask: { ...before, events }, isSent: threshold !== null && events % threshold === 0 };
}
