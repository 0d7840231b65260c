import { sql } from 'kysely';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { changedSubjects } from '../../src/core/events/changed-subjects.ts';
import type { JsonObject } from '../../src/core/json/json.ts';
import { bootstrap } from '../../src/features/accounts/bootstrap.ts';
import { serializeRequestContext } from '../../src/ingest/accept/request-context.ts';
import { randomIds } from '../../src/lib/ids.ts';
import { openEventStore } from '../../src/stores/duckdb/event-store.ts';
import type { EventStore } from '../../src/stores/events/event-store.ts';
import { isLeaseLost, postgresChunkStore } from '../../src/stores/postgres/chunk-store.ts';
import { makeTempDir, type TempDir } from '../contract/temp-dir.ts';
import { describeWithPostgres, openPostgresSetup, type PostgresSetup } from '../support/postgres.ts';
import {
  openIntake,
  recordingBlockStore,
  type Shipped,
  startWorker,
  type TestIntake,
  type TestWorker,
} from '../support/workers.ts';

describeWithPostgres(() => {
  const clock = { now: () => Date.UTC(2026, 0, 15) };

  let dir: TempDir;
  let setup: PostgresSetup;
  let events: EventStore;
  let shipped: Shipped;
  let intake: TestIntake;
  let projectId: number;
  let running: TestWorker[];

  beforeEach(async () => {
    dir = makeTempDir();
    setup = await openPostgresSetup();
    const keys = { projectKey: null, personalKey: null, admin: null };
    projectId = (await bootstrap({ metadata: setup.metadata, clock, ids: randomIds }, keys))?.projectId ?? 0;
    events = await openEventStore(dir.path('events.duckdb'), { memoryLimit: '64MB', threads: 1 });
    shipped = recordingBlockStore(events);
    intake = await openIntake(setup.database.url);
    running = [];
  });

  afterEach(async () => {
    for (const worker of running) await worker.stop();
    await intake.close();
    await events.close();
    await setup.remove();
    dir.remove();
  });

  async function worker(node: string): Promise<TestWorker> {
    const one = await startWorker(setup.database.url, node, shipped.store);
    running.push(one);
    return one;
  }

  const accept = (...raws: JsonObject[]): Promise<void> =>
    intake.ingestion.accept(
      {
        projectId,
        receivedAt: clock.now(),
        events: raws.length,
        context: serializeRequestContext({ ip: null, sentAt: null, engage: false, historical: false }),
        seed: randomIds.seed(),
        payload: Buffer.from(JSON.stringify(raws)),
      },
      changedSubjects(raws, false),
      raws,
    );

  const anEvent = (id: string, n: number): JsonObject => ({
    event: 'step',
    distinct_id: id,
    uuid: randomIds.uuid(),
    properties: { n },
  });

  /** For each id the numbers of its events, in the order in which they were stored. */
  async function storedByIds(): Promise<Record<string, number[]>> {
    const rows = await events.query(
      `select distinct_id as id, cast(properties ->> 'n' as integer) as n
    from event_rows where event = 'step' order by rowid`,
      [],
    );
    const byId: Record<string, number[]> = {};
    for (const { id, n } of rows) {
      byId[String(id)] ??= [];
      byId[String(id)]?.push(Number(n));
    }
    return byId;
  }

  const upTo = (count: number): number[] => Array.from({ length: count }, (_, n) => n);
  const personOf = async (distinctId: string) =>
    (await setup.ingest.transaction((store) => store.listPersonsByDistinctIds([{ projectId, distinctId }]))).persons[0];

  it('stores what was accepted, once and in order for each id, however requests are cut', async () => {
    await worker('w1');
    const ids = ['ada', 'bo', 'cy', 'di', 'ed'];
    for (let n = 0; n < 20; n++) await accept(...ids.map((id) => anEvent(id, n)));
    await intake.ingestion.drain();
    expect(await storedByIds()).toEqual(Object.fromEntries(ids.map((id) => [id, upTo(20)])));
    const { accepted, fates, shipping, parts } = await intake.clusterStatus();
    expect({ accepted, fates, shipping }).toEqual({ accepted: 100, fates: { stored: 100 }, shipping: 0 });
    expect(parts.partitions.every(({ waiting }) => waiting === 0)).toBe(true);
  });

  it('passes over what comes a second time, also in another request', async () => {
    await worker('w1');
    const event = anEvent('ada', 0);
    await accept(event, anEvent('bo', 0));
    await accept(event);
    await intake.ingestion.drain();
    expect(await storedByIds()).toEqual({ ada: [0], bo: [0] });
    expect((await intake.clusterStatus()).fates).toEqual({ stored: 2, duplicate: 1 });
  });

  it('shares partitions among workers, and takes over from one that dies', async () => {
    const first = await worker('w1');
    await expect.poll(() => first.workers.held.length, { timeout: 5000 }).toBe(9);
    const second = await worker('w2');
    await expect.poll(() => [first, second].map((one) => one.workers.held.length), { timeout: 10_000 }).toEqual([5, 4]);
    running = [second];
    await first.die();
    const died = performance.now();
    await accept(...['ada', 'bo', 'cy', 'di', 'ed', 'flo', 'gil'].map((id) => anEvent(id, 0)));
    await intake.ingestion.drain();
    expect(performance.now() - died).toBeLessThan(10_000);
    expect(second.workers.held.length).toBe(9);
    expect(Object.keys(await storedByIds())).toHaveLength(7);
  });

  it('hands everything over at once when a worker stops in peace', async () => {
    const first = await worker('w1');
    await expect.poll(() => first.workers.held.length, { timeout: 5000 }).toBe(9);
    const second = await worker('w2');
    await expect.poll(() => second.workers.held.length, { timeout: 10_000 }).toBe(4);
    running = [second];
    await first.stop();
    await expect.poll(() => second.workers.held.length, { timeout: 1400 }).toBe(9);
  });

  it('lets no worker commit whose lease another has taken', async () => {
    await accept(anEvent('ada', 0));
    const { rows } = await sql<{ partition: number }>`select partition from log_entries`.execute(setup.db);
    const { partition = 0 } = rows[0] ?? {};
    const name = `log:${partition}`;
    await sql`insert into leases (name, holder, token, expires_at) values (${name}, 'new', 2, 'infinity')`.execute(
      setup.db,
    );
    const store = postgresChunkStore(setup.db);
    const settle = (node: string, token: number, before: number): Promise<unknown> =>
      store.transaction((tx) =>
        tx.finish(node, [{ partition, lease: { name, token }, seqs: [before + 1], events: 1, bytes: 9 }], {
          events: 1,
          projects: [projectId],
          receivedAt: 0,
          overrides: [],
          rows: Buffer.from('x'),
        }),
      );
    await expect(settle('old', 1, 0)).rejects.toSatisfy(isLeaseLost);
    await expect(settle('new', 1, 0)).rejects.toSatisfy(isLeaseLost);
    // Whoever has the lease but believes in entries of long ago is no better off.
    await expect(settle('new', 2, 7)).rejects.toSatisfy(isLeaseLost);
    const left = async () =>
      (await sql`select 1 from log_entries union all select 2 from event_blocks`.execute(setup.db)).rows;
    expect(await left()).toHaveLength(1);
    await settle('new', 2, 0);
    expect(await sql`select events from event_blocks`.execute(setup.db)).toMatchObject({ rows: [{ events: 1 }] });
    await sql`delete from event_blocks`.execute(setup.db);
  });

  it('sends the same shipment again after a failure, and stores nothing twice', async () => {
    shipped.failures.push('before', 'after', 'before');
    await worker('w1');
    for (let n = 0; n < 10; n++) await accept(anEvent('ada', n), anEvent('bo', n));
    await intake.ingestion.drain();
    expect(await storedByIds()).toEqual({ ada: upTo(10), bo: upTo(10) });
    const [first, second, third] = shipped.sent;
    expect([second?.position, third?.position]).toEqual([first?.position, first?.position]);
    expect(Buffer.concat([...(second?.blocks ?? [])])).toEqual(Buffer.concat([...(first?.blocks ?? [])]));
  });

  it('keeps processing while the event store is away, and counts what waits as pending', async () => {
    shipped.failures.push(...Array<'before'>(6).fill('before'));
    await worker('w1');
    await accept(anEvent('ada', 0), anEvent('bo', 0));
    await intake.ingestion.whenProcessed();
    expect(await intake.clusterStatus()).toMatchObject({
      accepted: 2,
      fates: { stored: 2 },
      shipping: 2,
      isShipping: true,
    });
    await intake.ingestion.drain();
    expect(await storedByIds()).toEqual({ ada: [0], bo: [0] });
  });

  it('merges persons of different partitions without losing anybody', async () => {
    await worker('w1');
    await worker('w2');
    const users = Array.from({ length: 12 }, (_, n) => `user ${n}`);
    await Promise.all(
      users.map(async (user) => {
        for (let n = 0; n < 3; n++) {
          const anon = `${user} anon ${n}`;
          await accept(anEvent(anon, n));
          await accept({
            event: '$identify',
            distinct_id: user,
            uuid: randomIds.uuid(),
            properties: { $anon_distinct_id: anon, $set: { [`n${n}`]: n } },
          });
        }
      }),
    );
    await intake.ingestion.drain();
    const owners = await events.query(
      `select count(distinct person_id) as persons, count(*) as events from events where event = 'step'`,
      [],
    );
    expect(owners).toEqual([{ persons: 12, events: 36 }]);
    for (const user of users) expect((await personOf(user))?.properties).toMatchObject({ n0: 0, n1: 1, n2: 2 });
  });

  it('lets a decision on another node wait for what was acknowledged here', async () => {
    const other = await openIntake(setup.database.url, 'other');
    await accept({ event: '$set', distinct_id: 'ada', uuid: randomIds.uuid(), properties: { $set: { plan: 'pro' } } });
    await expect.poll(() => other.writes.settled(projectId, ['ada']) !== undefined).toBe(true);
    expect(intake.writes.settled(projectId, ['ada'])).toBeInstanceOf(Promise);
    expect(other.writes.settled(projectId, ['bo'])).toBeUndefined();
    await worker('w1');
    await expect.poll(() => other.writes.settled(projectId, ['ada']), { timeout: 5000 }).toBeUndefined();
    expect((await personOf('ada'))?.properties).toMatchObject({ plan: 'pro' });
    await other.close();
  });

  it('has persons copied and events removed by whoever keeps the event store', async () => {
    const owner = await worker('w1');
    await expect.poll(() => owner.owner.isOwner, { timeout: 5000 }).toBe(true);
    const other = await worker('w2');
    await accept({ ...anEvent('ada', 0), $set: { plan: 'pro' } });
    await intake.ingestion.drain();
    expect(other.owner.isOwner).toBe(false);
    await other.owner.mirrorPersons(projectId);
    expect(await events.query('select count(*) as n from person_rows', [])).toEqual([{ n: 1 }]);
    expect(await other.owner.deleteBefore(projectId, Date.UTC(2030, 0))).toBe(1);
    expect(await events.query('select count(*) as n from event_rows', [])).toEqual([{ n: 0 }]);
  });
});
