import { isHotProperty, propertyText } from '../../core/events/hot-properties.ts';
import type { Json } from '../../core/json/json.ts';
import { MAX_KEY_LENGTH } from './property-usage.ts';

/** Of the columns that there may be, how many are for properties that nobody has asked for yet. */
export const MAX_USUAL_COLUMNS = 12;

/** Fewer events are read from JSON fast enough. */
export const MIN_EVENTS_FOR_USUAL = 50_000;

/** The share of events that must have the property. */
const MIN_SHARE = 0.01;
/** More different values than this share of the events: ids, prices. Nobody breaks events down by them. */
const MAX_DISTINCT_SHARE = 0.5;
/** Long texts, such as addresses, take space and time to write. */
const MAX_MEAN_LENGTH = 32;

interface Seen {
  key: string;
  events: number;
  length: number;
  texts: Set<string>;
}

/**
 * The properties that are worth a column before anybody asks for them, given a sample of events. Properties of the
 * product come before those that SDKs add, which start with `$`; then the most frequent ones.
 */
export function usualProperties(sample: readonly Readonly<Record<string, Json>>[]): string[] {
  const seen = new Map<string, Seen>();
  for (const properties of sample) {
    for (const [key, value] of Object.entries(properties)) count(seen, key, value);
  }
  return [...seen.values()]
    .filter((one) => one.events >= sample.length * MIN_SHARE && isWorthColumn(one))
    .sort((a, b) => fromSdk(a) - fromSdk(b) || b.events - a.events)
    .slice(0, MAX_USUAL_COLUMNS)
    .map(({ key }) => key);
}

function count(seen: Map<string, Seen>, key: string, value: Json): void {
  if (isHotProperty(key) || key.length > MAX_KEY_LENGTH || value === null || typeof value === 'object') return;
  const one = seen.get(key) ?? { key, events: 0, length: 0, texts: new Set() };
  seen.set(key, one);
  const text = propertyText(value) ?? '';
  one.events++;
  one.length += text.length;
  one.texts.add(text);
}

/** A property that always has the same value tells nothing. */
const isWorthColumn = ({ events, length, texts }: Seen): boolean =>
  texts.size > 1 && texts.size <= events * MAX_DISTINCT_SHARE && length <= events * MAX_MEAN_LENGTH;

const fromSdk = ({ key }: Seen): number => (key.startsWith('$') ? 1 : 0);
