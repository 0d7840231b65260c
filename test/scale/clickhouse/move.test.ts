import { type ChildProcess, spawn } from 'node:child_process';
import { cpSync, rmSync } from 'node:fs';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { copyEvents, type ShipmentLimits } from '../../../src/operate/move/copy-events.ts';
import type { MoveProgress } from '../../../src/operate/move/progress.ts';
import { openSource } from '../../../src/operate/move/source.ts';
import { MoveTarget } from '../../../src/operate/move/target.ts';
import { openClickHouseEventStore } from '../../../src/stores/clickhouse/event-store.ts';
import { NO_FEATURE_TABLES } from '../../../src/stores/sql/feature-tables.ts';
import { makeDatabase, type TestDatabase, TIMEOUTS } from '../../support/clickhouse.ts';
import type { ClusterStores } from '../../support/cluster-stores.ts';
import { describeWithClickHouse } from '../../support/describe-clickhouse.ts';
import { startFaultyProxy } from '../../support/faulty-proxy.ts';
import { answersOf, CONFIG, filesOf, makeInstallation } from '../../support/moving.ts';
import { askServer, freshDatabase } from '../../support/postgres.ts';
import { startServer } from '../../support/server.ts';

const silent: MoveProgress = { begin: () => undefined, add: () => undefined, end: () => undefined };
const SMALL: ShipmentLimits = { window: 2, events: 5, bytes: 1e9, overrides: 1 };

vi.setConfig(TIMEOUTS);

await describeWithClickHouse('a move to many machines', (server) => {
  let folder: string;
  let before: string[];
  let setup: ClusterStores;
  let clickhouse: TestDatabase;
  let database: Awaited<ReturnType<typeof freshDatabase>>;

  beforeAll(async () => {
    folder = await makeInstallation();
    before = filesOf(folder);
    database = await freshDatabase({ empty: true });
    clickhouse = await makeDatabase(server);
    const { url, ...clickhouseOptions } = clickhouse.options;
    setup = {
      config: { databaseUrl: database.url, clickhouseUrl: url, clickhouseOptions },
      remove: async () => undefined,
    };
  }, TIMEOUTS.hookTimeout);

  afterAll(async () => {
    await clickhouse?.drop();
    await database?.drop();
    for (const path of [folder, `${folder}-copy`]) rmSync(path, { recursive: true, force: true });
  }, TIMEOUTS.hookTimeout);

  /** The command itself, in a process of its own; killed as soon as it says `killAt`. */
  async function run(killAt?: string): Promise<{ code: number | null; output: string }> {
    const { databaseUrl, clickhouseUrl, clickhouseOptions } = setup.config;
    const addresses = ['--to-database-url', String(databaseUrl), '--to-clickhouse-url', String(clickhouseUrl)];
    const child: ChildProcess = spawn(process.execPath, ['scripts/cairn.js', 'move', '--from', folder, ...addresses], {
      // The addresses of the test run are no settings of the command.
      env: {
        ...process.env,
        CLICKHOUSE_URL: undefined,
        DATABASE_URL: undefined,
        CAIRN_CLICKHOUSE_OPTIONS: JSON.stringify(clickhouseOptions),
      },
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on('data', (data: Buffer) => {
        output += data.toString();
        if (killAt !== undefined && output.includes(killAt)) child.kill('SIGKILL');
      });
    }
    const code = await new Promise<number | null>((resolve) => void child.on('close', resolve));
    return { code, output };
  }

  it('can be killed at any time, and nobody starts a server on half of an installation', async () => {
    for (const killAt of ['feature_flags', 'waiting events']) {
      const { code, output } = await run(killAt);
      expect([code, output]).toEqual([null, expect.stringContaining(killAt)]);
    }
    const started = startServer({ stores: 'large', setup });
    await expect(started).rejects.toThrow(/is being moved to this database, and not all of it has arrived/);
  });

  it('sends a shipment again of which nobody knows whether it has arrived', async () => {
    const proxy = await startFaultyProxy(clickhouse.options.url);
    const source = await openSource(folder);
    const { url, options } = { url: database.url, options: clickhouse.options };
    const target = await MoveTarget.open({ databaseUrl: url, logPartitions: 16, now: 0, tables: NO_FEATURE_TABLES });
    try {
      for (const [part, fault] of [
        ['insert into event_rows', 'request lost'],
        ['insert into event_rows', 'answer lost'],
        ['insert into store_notes', 'answer lost'],
        ['insert into person_override_rows', 'answer lost'],
      ] as const) {
        const store = await openClickHouseEventStore({ ...options, url: proxy.url });
        proxy.failNext(part, fault);
        const copying = copyEvents({ events: source.events, store, target, progress: silent, limits: SMALL });
        await expect(copying).rejects.toThrow();
        await store.close();
      }
      expect(await target.getMark('shipment')).toMatchObject({ part: 'overrides', from: 0, to: 1 });
    } finally {
      await target.close();
      source.close();
      await proxy.close();
    }
  });

  it('ends with a comparison of everything, and leaves the folder as it was', async () => {
    const { code, output } = await run();
    expect([code, output]).toEqual([0, expect.stringContaining('Both sides are equal.')]);
    expect(output).toMatch(/\nevents +14 +14 {2}same\n/);
    expect(output).toMatch(/\nmerged persons +2 +2 {2}same\n/);
    expect(output).toMatch(/\nwaiting events +15 +15 {2}same\n/);
    expect(filesOf(folder)).toEqual(before);
  });

  it('says in which project and on which day something differs', async () => {
    const change = (to: string): Promise<void> =>
      clickhouse.run(
        `alter table ${new URL(clickhouse.options.url).pathname.slice(1)}.event_rows update properties = ${to}
        where event = 'visit' and timestamp < 0 settings mutations_sync = 1`,
      );
    await change(`concat(properties, ' ')`);
    await askServer(database.url, `update persons set properties = properties || ' ' where project_id = 2`);
    const { code, output } = await run();
    expect([code, output]).toEqual([1, expect.stringContaining('The two sides differ.')]);
    expect(output).toContain('events: project 1, 1969-12-31: 1 rows, different content');
    expect(output).toContain('persons: project 2: 1 rows, different content');
    expect(output.match(/DIFFERENT/g)).toHaveLength(2);
    await change('trim(properties)');
    await askServer(database.url, `update persons set properties = rtrim(properties)`);
  });

  it('gives a large set that answers as the embedded one does', async () => {
    cpSync(folder, `${folder}-copy`, { recursive: true });
    const small = await startServer({ dataDir: `${folder}-copy`, config: CONFIG });
    await small.drain();
    await small.mirrorPersons();
    const expected = await answersOf(small);
    await small.close();
    expect(expected.persons.length).toBeGreaterThan(5);
    expect(expected.counters).toMatchObject({ pending: 0, dead_lettered: 1 });

    const large = await startServer({ stores: 'large', setup, config: CONFIG });
    try {
      await large.drain();
      expect(await answersOf(large)).toEqual(expected);
    } finally {
      await large.close();
    }
    expect((await run()).output).toContain('The move is complete, and a server has used the target since.');
  });
});
