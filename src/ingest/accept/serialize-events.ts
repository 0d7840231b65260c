import type { JsonObject } from '../../core/json/json.ts';
import { someInTurns } from '../../lib/in-turns.ts';

/** About a millisecond. */
const AT_ONCE = 500;

/** Events as the payload of an entry, a few at a time. */
export async function writeEvents(events: readonly JsonObject[]): Promise<Buffer> {
  const parts: Buffer[] = [];
  await someInTurns(events, AT_ONCE, (some) => {
    parts.push(Buffer.from((parts.length === 0 ? '[' : ',') + JSON.stringify(some).slice(1, -1)));
  });
  return Buffer.concat([...parts, Buffer.from(']')]);
}
