import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { anEntry, describeIngestLog, type LogSetup, type TestedLog } from '../../../test/contract/ingest-log.ts';
import { describeWithPostgres, freshDatabase, type TestDatabase } from '../../../test/support/postgres.ts';
import type { PartitionedLog, Positions } from '../cluster/partitioned-log.ts';
import { openPartitionedLog } from './partitioned-log.ts';
import { openPool } from './pool.ts';
import { readPartitionEntries } from './read-partitions.ts';

describeWithPostgres(() => {
  let database: TestDatabase;
  let pool: pg.Pool;
  beforeAll(async () => {
    database = await freshDatabase();
    pool = await openPool(database.url, { size: 4 });
  });
  afterAll(async () => {
    await pool.end();
    await database.drop();
  });

  /** Not by `truncate`: its locks would get into the way of a log that looks how much waits. */
  async function empty(): Promise<void> {
    for (const table of ['log_entries', 'log_progress', 'log_partitions']) await pool.query(`delete from ${table}`);
  }

  /** A log of one partition is a plain log. What is processed is what is trimmed. */
  async function openPlain(maxBytes: number): Promise<TestedLog> {
    const log = await openPartitionedLog(database.url, { maxBytes, partitions: 1, pollIntervalMs: 5 });
    let last = (await log.heads()).get(0) ?? 0;
    return {
      async append(entry) {
        const seq = (await log.append([{ ...entry, partition: 0 }])).get(0) ?? 0;
        last = Math.max(last, seq);
        return seq;
      },
      async trim(seq) {
        // Nobody has processed what has not been acknowledged.
        const upTo = Math.min(seq, last);
        await pool.query(
          `with deleted as (
          delete from log_entries where seq <= $1
          returning seq, events, octet_length(payload) as bytes
        ) update log_progress p set position = greatest(p.position, g.seq), events = p.events + g.events,
            bytes = p.bytes + g.bytes
          from (select max(seq) as seq, sum(events) as events, sum(bytes) as bytes from deleted) g where g.seq is not null`,
          [upTo],
        );
        // Until it has looked again, also on a busy machine.
        await new Promise((resolve) => setTimeout(resolve, 200));
      },
      async state() {
        const { accepted, events, bytes, oldestReceivedAt } = await log.state();
        const head = (await log.heads()).get(0) ?? 0;
        const { rows } = await pool.query('select count(*)::integer as n from log_entries');
        return { head, accepted, entries: rows[0].n, events, bytes, oldestReceivedAt };
      },
      close: () => log.close(),
    };
  }

  function makeSetup(isFresh = true): LogSetup {
    let isEmpty = !isFresh;
    return {
      async openLog({ maxBytes }) {
        if (!isEmpty) await empty();
        isEmpty = true;
        return openPlain(maxBytes);
      },
      openReader: async () => ({
        read: async (seq, maxEvents, maxBytes) =>
          (await readPartitionEntries(pool, new Map([[0, seq]]), maxEvents, maxBytes)).map(
            ({ partition: _, ...entry }) => entry,
          ),
        close: () => undefined,
      }),
      copy: () => makeSetup(false),
      remove: async () => undefined,
    };
  }

  describeIngestLog('PostgreSQL, one partition', makeSetup, { boundsEvents: false });

  describe('the partitioned log', () => {
    const PARTITIONS = 8;
    beforeEach(empty);

    const open = (): Promise<PartitionedLog> =>
      openPartitionedLog(database.url, { maxBytes: 1e9, partitions: PARTITIONS, pollIntervalMs: 50, node: 'n1' });
    const entryIn = (partition: number, text: string) => ({ ...anEntry({ payload: Buffer.from(text) }), partition });
    const start = (): Map<number, number> => new Map(Array.from({ length: PARTITIONS }, (_, n) => [n, 0]));

    it('keeps the number of partitions it was created with', async () => {
      const first = await open();
      const second = await openPartitionedLog(database.url, { maxBytes: 1e9, partitions: 32 });
      expect([first.partitions, second.partitions]).toEqual([PARTITIONS, PARTITIONS]);
      await Promise.all([first.close(), second.close()]);
    });

    it('numbers each partition separately, and returns the positions of each request', async () => {
      const log = await open();
      const positions: Positions[] = await Promise.all([
        log.append([entryIn(0, 'a'), entryIn(3, 'b')]),
        log.append([entryIn(3, 'c')]),
        log.append([entryIn(3, 'd'), entryIn(5, 'e')]),
      ]);
      expect(positions.map((one) => Object.fromEntries(one))).toEqual([{ 0: 1, 3: 1 }, { 3: 2 }, { 3: 3, 5: 1 }]);
      const read = await readPartitionEntries(
        pool,
        new Map([
          [3, 1],
          [5, 0],
        ]),
        100,
        1000,
      );
      expect(read.map(({ partition, seq, payload }) => [partition, seq, payload.toString()])).toEqual([
        [3, 2, 'c'],
        [5, 1, 'e'],
        [3, 3, 'd'],
      ]);
      await log.close();
    });

    it('alternates between partitions when not everything fits, without gaps', async () => {
      const log = await open();
      for (let n = 0; n < 5; n++) await log.append([entryIn(1, `one ${n}`)]);
      await log.append([entryIn(2, 'two')]);
      const read = await readPartitionEntries(
        pool,
        new Map([
          [1, 0],
          [2, 0],
        ]),
        3,
        1000,
      );
      expect(read.map(({ partition, seq }) => [partition, seq])).toEqual([
        [1, 1],
        [2, 1],
        [1, 2],
      ]);
      await log.close();
    });

    it('gives a reader every entry once and in order while many nodes write', async () => {
      const NODES = 6;
      const REQUESTS = 120;
      const logs = await Promise.all(Array.from({ length: NODES }, open));
      const cursor = start();
      const seen: string[] = [];
      let isWriting = true;
      const follow = async (): Promise<void> => {
        for (let more = true; more; ) {
          // Read before the entries: what is written meanwhile may be missing in them.
          const mayGrow = isWriting;
          const entries = await readPartitionEntries(pool, cursor, 50, 1e6);
          more = mayGrow || entries.length > 0;
          for (const { partition, seq, payload } of entries) {
            expect(seq).toBe((cursor.get(partition) ?? 0) + 1);
            cursor.set(partition, seq);
            seen.push(payload.toString());
          }
        }
      };
      const following = follow();
      const write = async (log: PartitionedLog, node: number): Promise<void> => {
        // Each writer awaits its request before the next, to keep the order.
        for (let n = 0; n < REQUESTS; n++) {
          const partitions = [n % PARTITIONS, (n * 5 + node) % PARTITIONS, (n * 3 + 7 * node) % PARTITIONS];
          await log.append(
            [...new Set(partitions)].map((partition) => entryIn(partition, `${node} ${n} ${partition}`)),
          );
        }
      };
      await Promise.all(logs.flatMap((log, node) => [write(log, node), write(log, node + NODES)]));
      isWriting = false;
      await following;
      const heads = await logs[0]?.heads();
      expect([...cursor]).toEqual([...(heads ?? [])].sort(([a], [b]) => a - b));
      expect(new Set(seen).size).toBe(seen.length);
      for (const writer of new Set(seen.map((text) => text.split(' ')[0]))) {
        for (let partition = 0; partition < PARTITIONS; partition++) {
          const own = seen
            .map((text) => text.split(' ').map(Number))
            .filter(([node, , place]) => node === Number(writer) && place === partition)
            .map(([, n = 0]) => n);
          expect(own).toEqual([...own].sort((a, b) => a - b));
        }
      }
      await Promise.all(logs.map((log) => log.close()));
    });

    it('keeps its limit when reading the pending size is slow', async () => {
      const log = await openPartitionedLog(database.url, {
        maxBytes: 1000,
        partitions: PARTITIONS,
        pollIntervalMs: 60,
      });
      const client = await pool.connect();
      await client.query('begin');
      await client.query('lock table log_progress in access exclusive mode');
      const large = entryIn(0, 'x'.repeat(600));
      await log.append([large]);
      // Several polls are due meanwhile; all of them wait for the lock.
      await new Promise((resolve) => setTimeout(resolve, 300));
      await client.query('commit');
      client.release();
      await new Promise((resolve) => setTimeout(resolve, 15));
      await expect(log.append([large])).rejects.toMatchObject({ kind: 'unavailable' });
      await log.close();
    });

    it('notifies every node of new entries and changed subjects', async () => {
      const listener = new pg.Client({ connectionString: database.url });
      await listener.connect();
      await listener.query('listen cairn');
      const message = new Promise<string>((resolve) =>
        listener.once('notification', ({ payload = '' }) => resolve(payload)),
      );
      const log = await open();
      await log.append([entryIn(4, 'x')], [[4, 7, ['mark']]]);
      expect(JSON.parse(await message)).toEqual({ came: { from: 'n1', heads: { 4: 1 }, changed: [[4, 7, ['mark']]] } });
      await log.close();
      await listener.end();
    });
  });
});
