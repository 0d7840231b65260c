import type { JsonObject } from '../core/events/json.ts';
import { inTurns } from '../lib/pauses.ts';

/** About a millisecond. */
const AT_ONCE = 500;

/** Events as the payload of an entry, a few at a time. */
export async function writeEvents(events: readonly JsonObject[]): Promise<Buffer> {
  if (events.length <= AT_ONCE) return Buffer.from(JSON.stringify(events));
  const parts: Buffer[] = [];
  await inTurns(events.length, AT_ONCE, (from, to) => {
    const list = JSON.stringify(events.slice(from, to));
    parts.push(Buffer.from((from === 0 ? '[' : ',') + list.slice(1, -1)));
  });
  return Buffer.concat([...parts, Buffer.from(']')]);
}
