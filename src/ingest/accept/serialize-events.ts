import type { JsonObject } from '../../core/json/json.ts';
import { eachBatch } from '../../lib/in-turns.ts';

/** About a millisecond. */
const BATCH_SIZE = 500;

/** Events as the payload of an entry, a few at a time. */
export async function serializeEvents(events: readonly JsonObject[]): Promise<Buffer> {
  const parts: Buffer[] = [];
  await eachBatch(events, BATCH_SIZE, (some) => {
    parts.push(Buffer.from((parts.length === 0 ? '[' : ',') + JSON.stringify(some).slice(1, -1)));
  });
  return Buffer.concat([...parts, Buffer.from(']')]);
}
