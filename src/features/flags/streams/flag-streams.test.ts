/** Many streams, slow ones and changes at random, over real sockets, with a source whose versions the test chooses. */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openLog } from '../../../lib/log.ts';
import { DefinitionHistory } from '../rules/definition-history.ts';
import type { DefinitionState } from './definition-versions.ts';
import type { StreamRequest } from './flag-stream.ts';
import { FlagStreams } from './flag-streams.ts';

let server: Server;
let streams: FlagStreams;
let version: number;
let hook: { onInvalidate: (projectId: number | null) => void };
let isRevoked: boolean;
const clients: Socket[] = [];

const CREDENTIAL = { id: 'key', isValid: async () => !isRevoked };
const REQUEST: StreamRequest = {
  projectId: 1,
  kind: 'version',
  credential: CREDENTIAL,
  network: 'here',
  version: null,
  endsAt: Number.POSITIVE_INFINITY,
};

/** Large enough to fill the buffers of a client that does not read. */
let flagText = '"small"';

const stateOf = (number: number): DefinitionState => {
  const history = new DefinitionHistory(0, new Map());
  history.update(number, new Map([['flag a', flagText]]));
  return { version: number, changedAt: 0, etag: `"${number}"`, history, snapshot: {} as never };
};

beforeEach(async () => {
  version = 1;
  flagText = '"small"';
  isRevoked = false;
  hook = { onInvalidate: () => undefined };
  streams = new FlagStreams({
    source: {
      read: async () => stateOf(version),
      recheck: async () => stateOf(version),
      waitFor: async () => undefined,
    },
    flagSnapshots: hook,
    clock: { now: () => 0 },
    log: openLog('silent'),
    config: { maxStreams: 5000, maxStreamsPerNetwork: 5000 },
    times: { gatherMs: 5, checkMs: 20, heartbeatMs: 200, maxStuckMs: 2500 },
  });
  server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterEach(async () => {
  streams.close();
  for (const client of clients.splice(0)) client.destroy();
  server.close();
});

async function openStream(more: Partial<StreamRequest> = {}): Promise<{ client: Socket; held: Socket }> {
  const arrived = once(server, 'connection') as Promise<[Socket]>;
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  client.on('error', () => undefined);
  clients.push(client);
  const [held] = await arrived;
  held.on('data', () => undefined).on('error', () => undefined);
  streams.open(held, '', { ...REQUEST, ...more }, stateOf(version));
  return { client, held };
}

function versionsOf(client: Socket): number[] {
  const seen: number[] = [];
  let rest = '';
  client.setEncoding('utf8').on('data', (chunk: string) => {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    seen.push(...lines.filter((line) => line.startsWith('id: ')).map((line) => Number(line.slice(4))));
  });
  return seen;
}

const changeTo = (next: number): void => {
  version = next;
  hook.onInvalidate(1);
};

describe('open streams', () => {
  it('of many clients all hear the last version, each version after the one before', async () => {
    const heard: number[][] = [];
    for (let i = 0; i < 500; i++) heard.push(versionsOf((await openStream()).client));
    for (let next = 2; next <= 40; next++) {
      changeTo(next);
      await new Promise((resolve) => setTimeout(resolve, next % 7));
    }
    await expect.poll(() => heard.every((seen) => seen.at(-1) === 40), { timeout: 10_000 }).toBe(true);
    for (const seen of heard) expect(seen).toEqual([...new Set(seen)].sort((a, b) => a - b));
    expect(streams.size).toBe(500);
  });

  it('hear of a change that nobody told', async () => {
    const { client } = await openStream();
    const seen = versionsOf(client);
    version = 7;
    await expect.poll(() => seen).toEqual([1, 7]);
  });

  it('get heartbeats', async () => {
    const { client } = await openStream();
    let text = '';
    client.setEncoding('utf8').on('data', (chunk) => {
      text += chunk;
    });
    await expect.poll(() => text.match(/^: $/gm)?.length ?? 0).toBeGreaterThan(2);
  });

  it('of a slow client do not hold up others; it gets the newest version when it reads again', async () => {
    flagText = JSON.stringify('x'.repeat(8_000_000));
    const slow = await openStream({ kind: 'full' });
    slow.client.pause();
    const quick = versionsOf((await openStream()).client);
    for (let next = 2; next <= 5; next++) {
      changeTo(next);
      await expect.poll(() => quick.at(-1)).toBe(next);
    }
    expect(slow.held.writableLength).toBeLessThan(20_000_000);
    const seen = versionsOf(slow.client);
    slow.client.resume();
    await expect.poll(() => seen, { timeout: 5000 }).toEqual([1, 5]);
  });

  it('of a client that never reads are closed', async () => {
    flagText = JSON.stringify('x'.repeat(8_000_000));
    const { client, held } = await openStream({ kind: 'full' });
    client.pause();
    await once(held, 'close');
    await expect.poll(() => streams.size).toBe(0);
  });

  it('are closed when their key is revoked, and forgotten when their client leaves', async () => {
    const [one, two] = [await openStream(), await openStream({ credential: { ...CREDENTIAL, id: 'another' } })];
    one.client.resetAndDestroy();
    await expect.poll(() => streams.size).toBe(1);
    isRevoked = true;
    two.client.resume();
    await once(two.client, 'end');
    await expect.poll(() => streams.size).toBe(0);
  });

  it('spread their clients', async () => {
    const delays: number[] = [];
    const texts: string[] = [];
    for (let i = 0; i < 200; i++) {
      const { client } = await openStream();
      client.setEncoding('utf8').on('data', (text: string) => {
        texts.push(text);
        const delay = /"version":2,.*"delayMs":(\d+)/.exec(text)?.[1];
        if (delay !== undefined) delays.push(Number(delay));
      });
    }
    changeTo(2);
    await expect.poll(() => delays.length).toBe(200);
    expect(new Set(delays)).toEqual(new Set([0, 1, 2, 3, 4]));
    const retries = texts.join('').match(/retry: \d+/g) ?? [];
    expect(new Set(retries).size).toBeGreaterThan(150);
  });
});
