import { appendFileSync, readdirSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { randomIds } from '../../src/lib/ids.ts';
import { differences } from '../../src/operate/move/checksums.ts';
import { continueSequences } from '../../src/operate/move/continue-sequences.ts';
import { copyLog } from '../../src/operate/move/copy-log.ts';
import { copyTable } from '../../src/operate/move/copy-tables.ts';
import type { MoveProgress } from '../../src/operate/move/progress.ts';
import { type MoveSource, openSource } from '../../src/operate/move/source.ts';
import { type MovedTable, movedTables } from '../../src/operate/move/tables.ts';
import { claimTarget, MoveTarget } from '../../src/operate/move/target.ts';
import { compareLog } from '../../src/operate/move/verify-log.ts';
import { compareTable } from '../../src/operate/move/verify-tables.ts';
import { DATA_FILES } from '../../src/stores/data-files.ts';
import { NO_FEATURE_TABLES } from '../../src/stores/sql/feature-tables.ts';
import { filesOf, makeInstallation } from '../support/moving.ts';
import { describeWithPostgres, freshDatabase, type TestDatabase } from '../support/postgres.ts';
import { startServer } from '../support/server.ts';

describeWithPostgres(() => {
  const silent: MoveProgress = { begin: () => undefined, add: () => undefined, end: () => undefined };

  class Crash extends Error {}

  /** Ends the run after so many pieces, when each has been written. */
  function crashAfter(pieces: number): MoveProgress {
    let left = pieces;
    return {
      ...silent,
      add() {
        if (left-- <= 0) throw new Crash();
      },
    };
  }

  describe('moving the tables and the log', () => {
    let folder: string;
    let before: string[];
    let source: MoveSource;
    let database: TestDatabase;
    let target: MoveTarget;
    let tables: MovedTable[];

    const open = async (): Promise<void> => {
      source = await openSource(folder);
      target = await MoveTarget.open({
        databaseUrl: database.url,
        logPartitions: 8,
        now: 0,
        tables: NO_FEATURE_TABLES,
      });
      isOpen = true;
      tables = await movedTables(source.metadata, target);
      await claimTarget(
        target,
        source.identity,
        tables.map(({ name }) => name),
      );
    };
    let isOpen = false;
    const close = async (): Promise<void> => {
      if (!isOpen) return;
      isOpen = false;
      source.close();
      await target.close();
    };
    const copyAll = async (progress: MoveProgress): Promise<void> => {
      for (const table of tables) await copyTable(source.metadata, target, table, progress, { rows: 3, bytes: 1e6 });
      await copyLog(source, target, randomIds, progress, { events: 3, bytes: 1e6 });
      await target.transaction(() => continueSequences(source, target, tables));
    };
    const wrong = async (): Promise<string[]> => {
      const found: string[] = [];
      for (const table of tables) {
        const { source: here, target: there } = await compareTable(source.metadata, target, table, silent);
        found.push(...differences(here, there).map((project) => `${table.name} ${project}`));
      }
      const log = await compareLog(source, target);
      return [...found, ...differences(log.source, log.target).map((project) => `log ${project}`)];
    };

    beforeAll(async () => {
      folder = await makeInstallation();
      before = filesOf(folder);
      database = await freshDatabase({ empty: true });
    });
    afterAll(async () => {
      await close();
      await database?.drop();
      rmSync(folder, { recursive: true, force: true });
    });

    it('goes on wherever it was ended, and brings every row once', async () => {
      await open();
      let crashes = 0;
      for (let isDone = false; !isDone; ) {
        try {
          await copyAll(crashAfter(crashes % 4));
          isDone = true;
        } catch (error) {
          if (!(error instanceof Crash)) throw error;
          crashes++;
          await close();
          await open();
        }
      }
      expect(crashes).toBeGreaterThan(10);
      expect(await wrong()).toEqual([]);
      // As if it had been processed there: the books add up.
      const [log] = await target.rows(
        'select sum(p.events)::int as accepted, sum(p.events - d.events)::int as waiting from log_partitions p join log_progress d using (partition)',
      );
      expect(log).toEqual({ accepted: source.logTotals.accepted, waiting: 15 });
      const [entries] = await target.rows('select count(*)::int as n, sum(events)::int as events from log_entries');
      expect(entries?.['events']).toBe(15);
      expect(entries?.['n']).toBeGreaterThan(5);
    });

    it('brings every table that is no index and not of one engine alone, with something in nearly each', async () => {
      const counts = new Map(
        tables.map(({ name }) => [
          name,
          Number(source.metadata.prepare(`select count(*) from "${name}"`).pluck().get()),
        ]),
      );
      expect(counts.size).toBeGreaterThan(30);
      for (const table of [
        'persons',
        'person_merges',
        'retired_person_uuids',
        'flag_overrides',
        'cohort_members',
        'dead_letters',
        'groups',
      ])
        expect(counts.get(table), table).toBeGreaterThan(0);
    });

    it('leaves the e-mails of persons to the target, which generates them', async () => {
      const emails = 'select uuid, email from persons where email is not null order by uuid';
      const copied = await target.rows(emails);
      expect(copied).toEqual(source.metadata.prepare(emails).all());
      expect(copied).toMatchObject([{ email: '"bo@example.org"' }]);
      expect(tables.find(({ name }) => name === 'persons')?.columns).not.toContain('email');
    });

    it('gives new rows numbers that were never given', async () => {
      const given = source.metadata.prepare('select name, seq from sqlite_sequence').all() as {
        name: string;
        seq: number;
      }[];
      expect(given.length).toBeGreaterThan(8);
      for (const { name, seq } of given.filter((one) => tables.some((table) => table.name === one.name))) {
        const column = tables.find((table) => table.name === name)?.key[0];
        const [row] = await target.rows<{ next: number }>(
          `select ${name === 'person_refilings' ? `nextval('event_queue')` : `nextval(pg_get_serial_sequence($1, $2))`} as next`,
          name === 'person_refilings' ? [] : [name, column],
        );
        expect([name, Number(row?.next) > seq]).toEqual([name, true]);
      }
      const change = source.metadata.prepare('select change from person_change').pluck().get();
      expect(await target.rows('select last_value as change from person_changes')).toEqual([{ change }]);
    });

    it('sees a row that was changed, one that is missing, one too many, and an event that waits', async () => {
      const tampered = async (...statements: string[]): Promise<string[]> => {
        await target.client.query('begin');
        for (const statement of statements) await target.client.query(statement);
        // The comparison is a transaction of its own, so what is tried is kept and taken back by a copy of the row.
        await target.client.query('commit');
        return wrong();
      };
      expect(await tampered(`update feature_flags set filters = filters || ' ' where key = 'pro-only'`)).toEqual([
        'feature_flags 1',
      ]);
      expect(await tampered(`update feature_flags set filters = rtrim(filters) where key = 'pro-only'`)).toEqual([]);
      const entry = `partition = (select min(partition) from log_entries)`;
      expect(
        await tampered(
          `create table aside as select * from log_entries where ${entry}`,
          `delete from log_entries where ${entry}`,
        ),
      ).toEqual(['log 1']);
      expect(await tampered('insert into log_entries select * from aside', 'drop table aside')).toEqual([]);
      expect(await tampered(`insert into event_properties values (2, 'visit', 'never')`)).toEqual([
        'event_properties 2',
      ]);
      expect(await tampered(`delete from event_properties where property = 'never'`)).toEqual([]);
      expect(await tampered(`delete from users where email = 'ada@example.org'`)).toEqual(['users ']);
    });

    it('refuses another source, a source that was used since, and a second mover', async () => {
      const options = { databaseUrl: database.url, logPartitions: 8, now: 0, tables: NO_FEATURE_TABLES };
      await expect(MoveTarget.open(options)).rejects.toThrow(/Another move/);
      const { identity } = source;
      await expect(claimTarget(target, { ...identity, installation: 'x' }, [])).rejects.toThrow(
        /another installation was moved/,
      );
      await expect(claimTarget(target, { ...identity, state: 'x' }, [])).rejects.toThrow(
        /has changed since the move started/,
      );
      await target.client.query(`insert into leases (name) values ('chores')`);
      await expect(claimTarget(target, identity, [])).rejects.toThrow(/a server has been started on it/);
    });

    it('leaves every file as it was', async () => {
      await close();
      expect(filesOf(folder)).toEqual(before);
    });
  });

  describe('a target that is not empty', () => {
    let database: TestDatabase;
    beforeEach(async () => {
      database = await freshDatabase();
      return () => database.drop();
    });

    it('is refused', async () => {
      const target = await MoveTarget.open({
        databaseUrl: database.url,
        logPartitions: 8,
        now: 0,
        tables: NO_FEATURE_TABLES,
      });
      await target.client.query(`insert into organizations values ('o', 'Others', 'others', 0, 0)`);
      const claimed = claimTarget(target, { installation: 'a', state: 'b' }, ['projects', 'organizations']);
      await expect(claimed).rejects.toThrow('The target is not empty: its table organizations is not empty.');
      await target.close();
    });
  });

  describe('a source', () => {
    let folder: string;
    beforeAll(async () => {
      folder = await makeInstallation(0);
    });
    afterAll(() => rmSync(folder, { recursive: true, force: true }));

    it('must be an installation', async () => {
      await expect(openSource(join(folder, 'nowhere'))).rejects.toThrow(/There is no installation in .*nowhere/);
    });

    it('must not be in use', async () => {
      const server = await startServer({ dataDir: folder });
      await expect(openSource(folder)).rejects.toThrow(/A server is running on/);
      await server.close();
    });

    const notCleanly = /not stopped cleanly\. Start and stop a server .* then move/;

    it.each([`${DATA_FILES.metadata}-wal`, `${DATA_FILES.events}.wal`])(
      'must have been stopped cleanly: %s',
      async (name) => {
        writeFileSync(join(folder, name), 'a journal');
        await expect(openSource(folder)).rejects.toThrow(notCleanly);
        rmSync(join(folder, name));
      },
    );

    it('must have been stopped cleanly: the ingest log', async () => {
      const [segment = ''] = readdirSync(join(folder, DATA_FILES.log));
      const path = join(folder, DATA_FILES.log, segment);
      const { size } = statSync(path);
      appendFileSync(path, 'half a record');
      await expect(openSource(folder)).rejects.toThrow(notCleanly);
      truncateSync(path, size);
    });

    it('must be processed as far as its events are', async () => {
      const server = await startServer({ dataDir: folder });
      await server.tamper(`update ingest_position set position = position - 1`);
      await server.close();
      await expect(openSource(folder)).rejects.toThrow(/were processed only in part\. Start and stop a server/);
    });
  });
});
