import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { anEvent, uuidOf } from '../../../test/contract/events.ts';
import { makeDatabase, type TestDatabase, TIMEOUTS } from '../../../test/support/clickhouse.ts';
import { describeWithClickHouse } from '../../../test/support/describe-clickhouse.ts';
import { type Fault, type FaultyProxy, startFaultyProxy } from '../../../test/support/faulty-proxy.ts';
import type { BlockStore } from '../cluster/block-store.ts';
import { packBlock } from '../cluster/event-block.ts';
import { isOutage } from '../outage.ts';
import { openClickHouseEventStore } from './event-store.ts';

vi.setConfig(TIMEOUTS);

await describeWithClickHouse('a shipment over a faulty connection', (server) => {
  let database: TestDatabase;
  let proxy: FaultyProxy;
  let store: BlockStore;
  let position = 0;

  beforeAll(async () => {
    database = await makeDatabase(server);
    proxy = await startFaultyProxy(database.options.url);
    store = await openClickHouseEventStore({ ...database.options, url: proxy.url });
  });
  afterAll(async () => {
    await store?.close();
    await proxy?.close();
    await database?.drop();
  });

  const [r, x, z] = [uuidOf(1), uuidOf(2), uuidOf(3)];

  it.each<{ at: string; part: string; fault: Fault }>([
    { at: 'before the events have arrived', part: 'insert into event_rows', fault: 'request lost' },
    { at: 'when the events have arrived', part: 'insert into event_rows', fault: 'answer lost' },
    { at: 'when the merges have arrived', part: 'insert into person_override_rows', fault: 'answer lost' },
    { at: 'before the position has arrived', part: 'insert into store_notes', fault: 'request lost' },
    { at: 'when the position has arrived', part: 'insert into store_notes', fault: 'answer lost' },
  ])('is stored exactly once when retried after a fault $at', async ({ part, fault }) => {
    const projectId = 10 + position;
    await store.writeBlocks({ blocks: [], overrides: [{ projectId, from: x, to: z }], position: ++position });
    // Two months, and so two parts; and merges that lead elsewhere when they are followed twice.
    const months = [1_700_000_000_000, 1_710_000_000_000];
    const blocks = months.map((timestamp) =>
      packBlock([r, x, z].map((id) => anEvent({ projectId, personId: id, distinctId: id, timestamp }))),
    );
    const overrides = [
      { projectId, from: r, to: x },
      { projectId, from: z, to: r },
    ];
    const shipment = { blocks, overrides, position: ++position };
    proxy.failNext(part, fault);
    const failure = await store.writeBlocks(shipment).catch((error: unknown) => error);
    expect([isOutage(failure), String(failure)]).toEqual([true, expect.stringContaining('ClickHouse does not answer')]);
    await store.writeBlocks(shipment);
    await store.writeBlocks(shipment);
    const rows = await store.query(
      'select person_id, count(*) as n, count(distinct uuid) as ids from events where project_id = $1 group by 1',
      [projectId],
    );
    expect(rows).toEqual([{ person_id: r, n: 6, ids: 6 }]);
    expect(await store.position()).toBe(position);
  });

  it('stores an equal batch at another position', async () => {
    const events = [anEvent({ projectId: 5 })];
    await store.write({ events, overrides: [], position: ++position });
    await store.write({ events, overrides: [], position: ++position });
    expect(await store.query('select count(*) as n from event_rows where project_id = 5', [])).toEqual([{ n: 2 }]);
  });

  it('cancels an aborted query', async () => {
    const leaving = new AbortController();
    const asked = store.query('select sleep(3) as n', [], leaving.signal);
    setTimeout(() => leaving.abort(new Error('gone')), 50);
    await expect(asked).rejects.toThrow('gone');
    await expect(store.queryColumns('select 1 as n', [], leaving.signal)).rejects.toThrow('gone');
  });

  it('reports that the server is unreachable', async () => {
    const away = openClickHouseEventStore({ url: 'http://127.0.0.1:1/nowhere' });
    const failure = await away.catch((error: unknown) => error);
    expect([isOutage(failure), String(failure)]).toEqual([true, expect.stringContaining('ClickHouse does not answer')]);
  });
});
