/** How long other requests wait while a large batch is received; they are sent one after the other. */
import { setTimeout as sleep } from 'node:timers/promises';
import { seeded } from '../../src/features/demo/rules/seeded-random.ts';
import { median } from './race.ts';
import { serverEvent } from './server-events.ts';

const BATCH_BYTES = 19_000_000;
const PERSONS = 5000;
/** Makes an event about 1 kB, so that the batch stays within the number of events that a request may have. */
const NOTE = 'a note '.repeat(120);
const SETTLE_MS = 3000;

/** Server events without UUIDs, so that the batch is never a duplicate. */
export function largeBatch(apiKey: string): Buffer {
  const random = seeded(19);
  const timestamp = new Date().toISOString();
  const batch: object[] = [];
  for (let bytes = 0; bytes < BATCH_BYTES; ) {
    const event = { ...serverEvent(random, batch.length % PERSONS, '', timestamp), note: NOTE };
    batch.push(event);
    bytes += JSON.stringify(event).length + 1;
  }
  return Buffer.from(JSON.stringify({ api_key: apiKey, batch }));
}

/** The longest wait of a request, ms: the median of several batches. */
export async function waitBeside(
  url: string,
  batch: Buffer,
  rounds: number,
  ask: () => Promise<unknown>,
): Promise<number> {
  const longest: number[] = [];
  for (let round = 0; round < rounds; round++) {
    let isComing = true;
    const sent = send(url, batch).finally(() => {
      isComing = false;
    });
    let most = 0;
    while (isComing) {
      const start = performance.now();
      await ask();
      most = Math.max(most, performance.now() - start);
    }
    await sent;
    longest.push(most);
    // Wait until the batch is processed.
    await sleep(SETTLE_MS);
  }
  return median(longest);
}

async function send(url: string, batch: Buffer): Promise<void> {
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(`${url}/batch/`, { method: 'POST', headers, body: new Uint8Array(batch) });
  if (response.status !== 200) throw new Error(`/batch/ answered ${response.status}: ${await response.text()}`);
  await response.arrayBuffer();
}
