/** The form of a digest, and what is sent for it. */
import type { Digest, DigestWrite } from '../../api/digests.ts';

export const WEEKDAYS = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'] as const;

export interface DigestDraft {
  title: string;
  targetType: DigestWrite['target_type'];
  targetValue: string;
  frequency: DigestWrite['frequency'];
  interval: string;
  weekdays: readonly string[];
  /** Which of the weekdays in a month; empty: the day of the start. */
  position: string;
  /** As the browser's field has it, in the time of the browser. */
  start: string;
  externalRecipients: boolean;
}

export interface DigestSubject {
  dashboard?: number;
  insight?: number;
}

const twoDigits = (value: number): string => String(value).padStart(2, '0');

/** `2026-11-16T08:00`, in the time of the browser. */
export const fieldTime = (at: Date): string =>
  `${at.getFullYear()}-${twoDigits(at.getMonth() + 1)}-${twoDigits(at.getDate())}T${twoDigits(at.getHours())}:${twoDigits(at.getMinutes())}`;

/** Each Monday at eight, to whoever subscribes. */
export function newDraft(title: string, email: string, now: Date): DigestDraft {
  const start = new Date(now);
  start.setDate(start.getDate() + 1);
  start.setHours(8, 0, 0, 0);
  return {
    title: title.slice(0, 255),
    targetType: 'email',
    targetValue: email,
    frequency: 'weekly',
    interval: '1',
    weekdays: ['monday'],
    position: '',
    start: fieldTime(start),
    externalRecipients: false,
  };
}

export const draftOf = (digest: Digest): DigestDraft => ({
  title: digest.title,
  targetType: digest.target_type as DigestDraft['targetType'],
  targetValue: digest.target_value,
  frequency: digest.frequency as DigestDraft['frequency'],
  interval: String(digest.interval),
  weekdays: digest.byweekday ?? [],
  position: digest.bysetpos === null ? '' : String(digest.bysetpos),
  start: fieldTime(new Date(digest.start_date)),
  externalRecipients: digest.external_recipients,
});

/** Days are for weeks, and for months with a position. */
export function bodyOf(draft: DigestDraft): Omit<DigestWrite, 'dashboard' | 'insight'> {
  const { frequency, position } = draft;
  const hasPosition = frequency === 'monthly' && position !== '';
  const weekdays = frequency === 'weekly' || hasPosition ? [...draft.weekdays] : [];
  return {
    title: draft.title,
    target_type: draft.targetType,
    target_value: draft.targetValue,
    frequency,
    interval: Number(draft.interval),
    byweekday: weekdays.length === 0 ? null : weekdays,
    bysetpos: hasPosition && weekdays.length > 0 ? Number(position) : null,
    start_date: new Date(draft.start).toISOString(),
    external_recipients: draft.externalRecipients,
  };
}

/** What is missing before it can be sent; null: nothing. */
export function problemOf({ targetType, targetValue, start, interval }: DigestDraft): string | null {
  if (targetType === 'email' && !targetValue.includes('@')) return 'Add an address.';
  if (targetType === 'webhook' && targetValue.trim() === '') return 'Add the address of the webhook.';
  if (Number.isNaN(Date.parse(start))) return 'Choose the first time.';
  if (!(Number(interval) >= 1)) return 'Every is a number from 1.';
  return null;
}
