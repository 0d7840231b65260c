import { invalid } from '../core/errors.ts';
import { parseTimestamp } from '../core/time/parse-timestamp.ts';

/** A date and time in a body, in ms UTC. */
export function readTimeField(attr: string, text: string): number {
  const time = parseTimestamp(text);
  if (time === undefined) throw invalid(attr, `${attr} is a date and time such as 2026-01-31T10:00:00Z.`);
  return time;
}
