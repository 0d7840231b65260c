/** How long others wait while a large batch comes in: somebody asks again and again, one request after the other. */
import { setTimeout as sleep } from 'node:timers/promises';

const BATCH_BYTES = 19_000_000;
const SETTLE_MS = 3000;

/** Of events as a server sends them. */
export function largeBatch(apiKey: string): Buffer {
  const batch: object[] = [];
  for (let bytes = 0; bytes < BATCH_BYTES; ) {
    const event = {
      event: 'viewed',
      distinct_id: `visitor-${batch.length % 5000}`,
      timestamp: new Date(Date.UTC(2024, 0, 1) + batch.length).toISOString(),
      properties: {
        $lib: 'posthog-node',
        url: `https://example.org/${batch.length}`,
        price: batch.length / 2,
        plan: 'pro',
      },
    };
    batch.push(event);
    bytes += JSON.stringify(event).length + 1;
  }
  return Buffer.from(JSON.stringify({ api_key: apiKey, batch }));
}

/** The longest that anybody waited, ms: the middle one of several batches. */
export async function waitBeside(
  url: string,
  batch: Buffer,
  rounds: number,
  ask: () => Promise<unknown>,
): Promise<number> {
  const longest: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const sent = send(url, batch);
    let isComing = true;
    const done = sent.finally(() => {
      isComing = false;
    });
    let most = 0;
    while (isComing) {
      const start = performance.now();
      await ask();
      most = Math.max(most, performance.now() - start);
    }
    await done;
    longest.push(most);
    // What came is processed, and not in the way of the next.
    await sleep(SETTLE_MS);
  }
  return longest.sort((a, b) => a - b)[Math.floor(rounds / 2)] as number;
}

async function send(url: string, batch: Buffer): Promise<void> {
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(`${url}/batch/`, { method: 'POST', headers, body: new Uint8Array(batch) });
  if (response.status !== 200) throw new Error(`/batch/ answered ${response.status}: ${await response.text()}`);
  await response.arrayBuffer();
}
