/** An entry of the log whose processing needs more memory than there is: the server gets past it, and loses nothing. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { serializeRequestContext } from '../../src/ingest/accept/request-context.ts';
import { randomIds } from '../../src/lib/ids.ts';
import { openFolder } from '../support/poison.ts';
import { type ServerProcess, startServerProcess } from '../support/server-process.ts';

let dataDir: string;
let server: ServerProcess | null = null;
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'cairn-poison-'));
});
afterEach(async () => {
  await server?.kill();
  rmSync(dataDir, { recursive: true, force: true });
});

/** Parsed, every list takes many times its three bytes. */
const POISON = `{"event":"poison","distinct_id":"a","properties":{"lists":[${'[],'.repeat(6_000_000)}[]]}}`;
const event = (name: string): string => JSON.stringify({ event: name, distinct_id: 'a', properties: {} });

/** As the log of an earlier version may have it, which accepted larger events. */
async function addToLog(payloads: readonly string[]): Promise<void> {
  const { log, close } = await openFolder(dataDir);
  const context = serializeRequestContext({ ip: null, sentAt: null, engage: false, historical: false });
  for (const payload of payloads) {
    const entry = { projectId: 1, receivedAt: Date.now(), events: 1, context, seed: randomIds.seed() };
    await log.append({ ...entry, payload: Buffer.from(payload) });
  }
  await close();
}

const start = () => startServerProcess(dataDir, { env: { NODE_OPTIONS: '--max-old-space-size=128' } });

/** Starts the process again whenever it has ended, as a supervisor does. */
async function startUntilAllIsProcessed(): Promise<ServerProcess> {
  for (;;) {
    const running = await start();
    server = running;
    while (running.child.exitCode === null && running.child.signalCode === null) {
      const pending = await running.status().then(
        ({ ingest }) => ingest.pending,
        () => null,
      );
      if (pending === 0) return running;
      await sleep(200);
    }
  }
}

it('makes a dead letter of it, and stores the others', { timeout: 240_000 }, async () => {
  await (await start()).stop();
  await addToLog([event('before'), POISON, event('behind')]);
  const running = await startUntilAllIsProcessed();
  const { results } = (await running.get('/api/projects/1/events/')).body;
  expect(results.map((stored: { event: string }) => stored.event).sort()).toEqual(['before', 'behind']);
  const { ingest } = await running.status();
  expect(ingest).toMatchObject({ accepted: 3, stored: 2, dead_lettered: 1, pending: 0 });
  await running.kill();
  const again = await startUntilAllIsProcessed();
  expect((await again.status()).ingest).toMatchObject({ stored: 2, dead_lettered: 1, lost: 0 });
});
