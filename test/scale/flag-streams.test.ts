/** Changes of flags made at one node are heard at another: two processes with ROLE=web on one PostgreSQL. */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { everybody } from '../contract/flag-builders.ts';
import { makeTempDir } from '../contract/temp-dir.ts';
import { call } from '../support/client.ts';
import { type ClusterStores, makeStoresWithoutClickHouse } from '../support/cluster-stores.ts';
import { type EventSource, listen } from '../support/event-source.ts';
import { freePort } from '../support/free-port.ts';
import { describeWithPostgres } from '../support/postgres.ts';
import { type ServerProcess, startServerProcess } from '../support/server-process.ts';

const PROJECT_KEY = 'phc_faults_project_key';
const PERSONAL_KEY = 'phx_faults_personal_key';
const CHANGES = 25;
/** Longer than a node that missed a message needs to notice. */
const QUIET_MS = 1500;

describeWithPostgres(() => {
  const folder = makeTempDir();
  let stores: ClusterStores;
  let one: ServerProcess;
  let two: ServerProcess;
  let portOfTwo: number;
  let flagId: number;
  const open: EventSource[] = [];

  const start = (name: string, port = 0): Promise<ServerProcess> =>
    startServerProcess(folder.path(name), {
      env: {
        ROLE: 'web',
        PORT: String(port),
        DATABASE_URL: stores.config.databaseUrl ?? '',
        CLICKHOUSE_URL: stores.config.clickhouseUrl ?? '',
      },
    });

  beforeAll(async () => {
    stores = await makeStoresWithoutClickHouse();
    portOfTwo = await freePort();
    one = await start('one');
    two = await start('two', portOfTwo);
    const made = await api(one, 'POST', '/api/projects/1/feature_flags/', { key: 'step', filters: valued(0) });
    expect(made.status).toBe(201);
    flagId = made.body.id;
  });
  afterAll(async () => {
    for (const source of open) source.close();
    await one?.kill();
    await two?.kill();
    await stores?.remove();
    folder.remove();
  });

  const api = (node: ServerProcess, method: string, path: string, body?: unknown) =>
    call(node.url, method, path, { key: PERSONAL_KEY, ...(body === undefined ? {} : { body }) });
  /** On for everybody, with the number of the change as its payload. */
  const valued = (n: number) => ({ ...everybody(100), payloads: { true: String(n) } });
  const change = async (node: ServerProcess, n: number): Promise<void> => {
    const { status } = await api(node, 'PATCH', `/api/projects/1/feature_flags/${flagId}/`, { filters: valued(n) });
    expect(status).toBe(200);
  };

  async function hear(
    node: ServerProcess,
    path: string,
    { key = PERSONAL_KEY, lastId }: { key?: string; lastId?: string } = {},
  ): Promise<EventSource> {
    const headers = { authorization: `Bearer ${key}`, ...(lastId === undefined ? {} : { 'last-event-id': lastId }) };
    const source = await listen(node.url, path, headers);
    expect(source.status).toBe(200);
    open.push(source);
    return source;
  }

  /** All flags by OFREP: the value of the change, and where changes are told. */
  async function evaluate(node: ServerProcess, etag?: string) {
    const query = etag === undefined ? '' : `?flagConfigEtag=${encodeURIComponent(etag)}`;
    const { body } = await call(node.url, 'POST', `/ofrep/v1/evaluate/flags${query}`, {
      key: PROJECT_KEY,
      body: { context: { targetingKey: 'ada' } },
    });
    const [flag] = body.flags;
    return { payload: Number(flag.metadata.payload), stream: body.eventStreams[0].endpoint.requestUri as string };
  }

  const STREAM = '/flags/definitions/stream';

  it('tells every change once, to every kind of client, with values that are not older', {
    timeout: 180_000,
  }, async () => {
    // The channel comes from one node and is opened at the other.
    const { stream, payload: before } = await evaluate(one);
    const provider = await hear(two, stream);
    const sdk = await hear(two, STREAM);
    const relay = await hear(two, `${STREAM}?full=true`);
    let { version } = (await sdk.next()).data;
    expect((await relay.next()).data.version).toBe(version);
    for (let n = before + 1; n <= before + CHANGES; n++) {
      await change(one, n);
      version++;
      const told = await provider.next();
      expect(told).toMatchObject({ id: String(version), data: { type: 'refetchEvaluation', etag: `"${version}"` } });
      for (const node of [two, one]) expect((await evaluate(node, told.data.etag)).payload).toBe(n);
      const heard = await sdk.next();
      const etags = await Promise.all([one, two].map((node) => definitionsEtag(node)));
      expect([heard.id, etags]).toEqual([String(version), [heard.data.etag, heard.data.etag]]);
      const changed = await relay.next();
      expect(changed.data.put.map((flag: { filters: unknown }) => flag.filters)).toEqual([valued(n)]);
      expect(changed.data).toMatchObject({ version, drop: [], cohorts: {} });
    }
    // A change that shows nothing is none.
    await api(one, 'PATCH', `/api/projects/1/feature_flags/${flagId}/`, { filters: valued(before + CHANGES) });
    await sleep(QUIET_MS);
    expect([provider, sdk, relay].map((source) => source.waiting())).toEqual([0, 0, 0]);
  });

  const definitionsEtag = async (node: ServerProcess): Promise<string | null> =>
    (await api(node, 'GET', '/flags/definitions')).headers.get('etag');

  it('never tells an older version to a client that comes from the other node', { timeout: 180_000 }, async () => {
    const source = await hear(one, STREAM);
    let last = (await source.next()).data.version;
    for (let n = 1; n <= CHANGES; n++) {
      await change(one, 1000 + n);
      const heard = await source.next();
      expect(heard.data.version).toBe(last + 1);
      last = heard.data.version;
      const moved = await hear(two, STREAM, { lastId: String(last) });
      expect((await moved.next()).data.version).toBe(last);
      const full = await hear(two, `${STREAM}?full=true`, { lastId: String(last) });
      expect((await full.next()).data.version).toBe(last);
      moved.close();
      full.close();
    }
  });

  it('changes at both nodes get one number each, in an order that both tell', { timeout: 180_000 }, async () => {
    const sources = [await hear(one, STREAM), await hear(two, STREAM)];
    const [first] = await Promise.all(sources.map(async (source) => (await source.next()).data.version as number));
    for (let n = 1; n <= CHANGES; n++) await change(n % 2 === 0 ? one : two, 2000 + n);
    await sleep(QUIET_MS);
    const etag = await definitionsEtag(one);
    expect(await definitionsEtag(two)).toBe(etag);
    const heard = await Promise.all(sources.map((source) => takeAll(source)));
    for (const versions of heard) {
      const numbers = versions.map(({ data }) => data.version as number);
      expect(numbers).toEqual([...new Set(numbers)].sort((a, b) => a - b));
      expect(numbers[0]).toBeGreaterThan(first ?? 0);
      expect(versions.at(-1)?.data.etag).toBe(etag);
    }
    expect(heard[0]?.at(-1)?.data).toEqual(heard[1]?.at(-1)?.data);
  });

  async function takeAll(source: EventSource) {
    const events = [];
    while (source.waiting() > 0) events.push(await source.next());
    return events;
  }

  it('a client that comes back to a restarted node gets the current state', { timeout: 180_000 }, async () => {
    const { stream } = await evaluate(two);
    const [sdk, relay, provider] = [
      await hear(two, STREAM),
      await hear(two, `${STREAM}?full=true`),
      await hear(two, stream),
    ];
    const known = (await sdk.next()).data;
    expect((await relay.next()).data.version).toBe(known.version);
    await two.kill();
    await Promise.all([sdk, relay, provider].map((source) => source.ended));
    await change(one, 3001);
    await change(one, 3002);
    two = await start('two', portOfTwo);
    const lastId = String(known.version);
    const etag = await definitionsEtag(one);
    const now = (await (await hear(two, STREAM, { lastId })).next()).data;
    expect(now.etag).toBe(etag);
    expect(now.version).toBeGreaterThan(known.version);
    const reset = await (await hear(two, `${STREAM}?full=true`, { lastId })).next();
    expect(reset).toMatchObject({ event: 'reset', data: { version: now.version, etag } });
    expect(reset.data.put.map((flag: { filters: unknown }) => flag.filters)).toEqual([valued(3002)]);
    const back = await hear(two, stream, { lastId });
    const told = await back.next();
    expect(told.data.etag).toBe(`"${now.version}"`);
    expect((await evaluate(two, told.data.etag)).payload).toBe(3002);
    // And the next change comes again, once.
    await change(one, 3003);
    expect((await back.next()).data.etag).toBe(`"${now.version + 1}"`);
    await sleep(QUIET_MS);
    expect(back.waiting()).toBe(0);
  });
});
