/** What is said about an alert, in words that people and programs understand. */
import type { AlertBounds } from '../../core/alerts/judge.ts';
import { slotName } from '../../core/alerts/slots.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../core/time/units.ts';
import type { Message } from '../deliveries/rules/message.ts';
import type { Alert } from './store/alert-store.ts';

export type AlertMessageType = Extract<Message['type'], `alert.${string}`>;

interface Told {
  type: AlertMessageType;
  alert: Pick<Alert, 'id' | 'name' | 'insightId' | 'definition'>;
  projectName: string;
  /** Of the insight, or what is watched. */
  subject: string;
  slot: { start: number; end: number };
  value: number | null;
  label: string | null;
  bounds: AlertBounds | null;
  /** When it began to fire. */
  since: number | null;
  notes: readonly string[];
  /** What is missing in the value. */
  warnings: readonly string[];
  reason: string | null;
  url: string | null;
  now: number;
}

const number = (value: number): string => String(Math.round(value * 100) / 100);

function boundsText({ lower, upper }: AlertBounds): string {
  if (lower !== null && upper !== null) return `${number(lower)} to ${number(upper)}`;
  if (lower !== null) return `at least ${number(lower)}`;
  return upper === null ? 'anything' : `at most ${number(upper)}`;
}

/** `2 h`, `3 d 4 h`, `10 min` */
function durationText(ms: number): string {
  const parts = [
    [Math.floor(ms / DAY_MS), 'd'],
    [Math.floor((ms % DAY_MS) / HOUR_MS), 'h'],
    [Math.floor((ms % HOUR_MS) / MINUTE_MS), 'min'],
  ] as const;
  const shown = parts.filter(([count]) => count > 0).map(([count, unit]) => `${count} ${unit}`);
  return shown.slice(0, 2).join(' ') || 'less than a minute';
}

function textOf({ type, value, since, slot, reason, notes }: Told): string {
  const what = value === null ? 'unknown' : number(value);
  switch (type) {
    case 'alert.firing':
      return notes.length > 0 ? notes.join('; ') : `The value is ${what}.`;
    case 'alert.reminder':
      return `It is still firing: the value is ${what}, since ${slotName(since ?? slot.start)}.`;
    case 'alert.cleared':
      return `Back to ${what}; lasted ${durationText(slot.start - (since ?? slot.start))}.`;
    case 'alert.errored':
      return `It could not be checked three times in a row: ${reason ?? 'unknown'}`;
    case 'alert.test':
      return 'This is a test: somebody wanted to see whether messages arrive.';
  }
}

const TITLES: Record<AlertMessageType, string> = {
  'alert.firing': 'Firing',
  'alert.reminder': 'Still firing',
  'alert.cleared': 'Cleared',
  'alert.errored': 'Cannot be checked',
  'alert.test': 'Test',
};

export function alertMessage(told: Told): Message {
  const { type, alert, projectName, subject, slot, value, label, bounds, since, notes, warnings, url, now } = told;
  const facts = [
    { name: 'Project', value: projectName },
    { name: 'Watched', value: label === null ? subject : `${subject}, ${label}` },
    ...(value === null ? [] : [{ name: 'Value', value: number(value) }]),
    ...(bounds === null ? [] : [{ name: 'Usual', value: boundsText(bounds) }]),
    { name: 'Time', value: `${slotName(slot.start)} to ${slotName(slot.end)}` },
    ...warnings.map((warning) => ({ name: 'Note', value: warning })),
  ];
  const isFlagChange = type === 'alert.firing' && alert.definition.config.type === 'FlagChangeConfig';
  return {
    type: isFlagChange ? 'flag.changed' : type,
    timestamp: now,
    title: `${TITLES[type]}: ${alert.name}`,
    text: textOf(told),
    facts,
    url,
    data: {
      alert: { id: alert.id, name: alert.name, insight: alert.insightId, condition: alert.definition.condition },
      slot: slotName(slot.start),
      value,
      bounds: bounds === null ? null : { lower: bounds.lower, upper: bounds.upper },
      breakdown_value: label,
      since: since === null ? null : new Date(since).toISOString(),
      notes: [...notes],
      warnings: [...warnings],
      reason: told.reason,
      test: type === 'alert.test',
      url,
    },
  };
}
