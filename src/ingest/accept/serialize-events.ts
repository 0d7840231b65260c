import { stringifyExact } from '../../core/json/exact-json.ts';
import type { JsonObject } from '../../core/json/json.ts';
import { eachBatch } from '../../lib/in-batches.ts';

/** About a millisecond. */
const BATCH_SIZE = 500;

/** Events as the payload of a log entry, serialized in batches. */
export async function serializeEvents(events: readonly JsonObject[]): Promise<Buffer> {
  const parts: Buffer[] = [];
  await eachBatch(events, BATCH_SIZE, (batch) => {
    parts.push(Buffer.from((parts.length === 0 ? '[' : ',') + stringifyExact(batch).slice(1, -1)));
  });
  return Buffer.concat([...parts, Buffer.from(']')]);
}
