import fc from 'fast-check';
import type { KyselyPlugin } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { EventId, IngestStore } from '../../src/stores/ingest/ingest-store.ts';
import { NO_CHANGES } from '../../src/stores/ingest/no-changes.ts';
import type { MetadataStore } from '../../src/stores/metadata/metadata-store.ts';
import type { SqlDialect } from '../../src/stores/sql/dialect.ts';
import { sqlIngestStore } from '../../src/stores/sql/ingest/ingest-store.ts';
import { SeenEvents, type SeenOptions } from '../../src/stores/sql/seen/seen-events.ts';
import type { Db } from '../../src/stores/sql/tables.ts';

export interface SeenSetup {
  metadata: MetadataStore;
  db: Db;
  dialect: SqlDialect;
  remove(): Promise<void>;
}

/** So small that a few dozen ids fill several levels. */
const SMALL: SeenOptions = {
  filterMb: 300 / 1024 / 1024,
  sizes: { recent: 6, idleRecent: 1, pieceIds: 5, smallIds: 3, blockIds: 4, growth: 2, mergedBlocks: 2 },
};
const START = 1_768_478_400_000;

/** A process: it knows of blocks what it has read or written itself. */
interface Process {
  seen: SeenEvents;
  ingest: IngestStore;
}

const action = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      what: fc.constant('add' as const),
      ids: fc.array(fc.nat(0xffff), { minLength: 1, maxLength: 12 }),
      isTimeOrdered: fc.boolean(),
    }),
  },
  { weight: 5, arbitrary: fc.record({ what: fc.constant('pack' as const), pieces: fc.integer({ min: 1, max: 9 }) }) },
  { weight: 2, arbitrary: fc.record({ what: fc.constant('fail' as const), statement: fc.nat(14) }) },
  { weight: 1, arbitrary: fc.record({ what: fc.constant('pack all' as const) }) },
  { weight: 1, arbitrary: fc.record({ what: fc.constant('restart' as const) }) },
  { weight: 1, arbitrary: fc.record({ what: fc.constant('forget' as const), which: fc.nat() }) },
);
type Action = typeof action extends fc.Arbitrary<infer T> ? T : never;

/** Fails a statement, as if the process ended there: the transaction is undone. */
function failAt(statement: number): KyselyPlugin {
  let left = statement;
  return {
    transformQuery({ node }) {
      if (left-- === 0) throw new Error('the process ends here');
      return node;
    },
    transformResult: async ({ result }) => result,
  };
}

/** Ids of events are known for ever, in whichever form they are stored. `runs`: how many histories are tried. */
export function describeSeenEvents(name: string, open: () => Promise<SeenSetup>, runs = 30): void {
  describe(`seen events: ${name}`, () => {
    let setup: SeenSetup;
    let projectId = 0;
    let position = 0;
    beforeAll(async () => {
      setup = await open();
    });
    afterAll(() => setup.remove());

    const start = (db = setup.db): Process => {
      const seen = new SeenEvents(db, setup.dialect, SMALL);
      return { seen, ingest: sqlIngestStore(db, setup.dialect, { seen }) };
    };
    /** As the processor does: looks the ids up, and stores those that are new. */
    const add = ({ ingest }: Process, uuids: readonly string[], at = START): Promise<string[]> =>
      ingest.transaction(async (store) => {
        const ids = [...new Set(uuids)].map((uuid) => ({ projectId, uuid }));
        const known = new Set((await store.listSeenEvents(ids)).map(({ uuid }) => uuid));
        const added = ids.filter(({ uuid }) => !known.has(uuid));
        const seen = added.map((id) => ({ ...id, receivedAt: at - 400, processedAt: at }));
        const repeats = ids.filter(({ uuid }) => known.has(uuid));
        await store.apply({ ...NO_CHANGES, seen, repeats, position: ++position });
        return added.map(({ uuid }) => uuid);
      });
    const find = async ({ ingest }: Process, uuids: readonly string[], of = projectId): Promise<string[]> => {
      const ids = uuids.map((uuid) => ({ projectId: of, uuid }));
      const found = await ingest.transaction((store) => store.listSeenEvents(ids));
      return found.map(({ uuid }) => uuid).sort();
    };
    const count = async (table: 'seenEvents' | 'seenBlocks'): Promise<number> => {
      const rows = setup.db.selectFrom(table).select('projectId').where('projectId', '=', projectId);
      return (await rows.execute()).length;
    };

    const randomId = (n: number): string => {
      const mixed = (Math.imul(n + 1, 0x9e3779b1) >>> 0).toString(16).padStart(8, '0');
      return `${mixed}-0000-4000-8000-${n.toString(16).padStart(12, '0')}`;
    };
    const timedId = (n: number): string => `0197f000-${n.toString(16).padStart(4, '0')}-7000-8000-000000000000`;

    async function forget(uuid: string): Promise<void> {
      await setup.metadata.transaction(({ recovery }) => recovery.forgetSeen([{ projectId, uuid }]));
    }

    async function perform(process: Process, stored: Set<string>, step: Action): Promise<Process> {
      switch (step.what) {
        case 'add': {
          const uuids = step.ids.map(step.isTimeOrdered ? timedId : randomId);
          const fresh = [...new Set(uuids)].filter((uuid) => !stored.has(uuid));
          expect((await add(process, uuids)).sort()).toEqual(fresh.sort());
          for (const uuid of fresh) stored.add(uuid);
          return process;
        }
        case 'pack':
          for (let piece = 0; piece < step.pieces; piece++) await process.seen.packer.packSome();
          return process;
        case 'pack all':
          await process.seen.packer.packAll();
          return process;
        case 'fail': {
          const failing = start(setup.db.withPlugin(failAt(step.statement)));
          await failing.seen.packer.packAll().catch(() => undefined);
          return process;
        }
        case 'restart':
          return start();
        case 'forget': {
          const uuid = [...stored][step.which % stored.size];
          if (uuid === undefined) return process;
          await forget(uuid);
          stored.delete(uuid);
          return process;
        }
      }
    }

    it('knows exactly what was stored, whatever is packed, interrupted, restarted or forgotten', async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(action, { maxLength: 25 }), async (steps) => {
          projectId++;
          const stored = new Set<string>();
          const other = start();
          let process = start();
          for (const step of steps) process = await perform(process, stored, step);
          const others = Array.from({ length: 50 }, (_, n) => randomId(n + 0x10000));
          const asked = [...stored, ...others];
          expect(await find(process, asked)).toEqual([...stored].sort());
          expect(await find(other, asked)).toEqual([...stored].sort());
          expect(await find(process, asked, projectId + 100_000)).toEqual([]);
        }),
        { numRuns: runs },
      );
    });

    it('knows an id of two projects, recent in one and packed in the other', async () => {
      const process = start();
      const packed = ++projectId;
      await add(process, [randomId(1)]);
      await process.seen.packer.packAll();
      const recent = ++projectId;
      await add(process, [randomId(1)]);
      const ids = [packed, recent].map((id) => ({ projectId: id, uuid: randomId(1) }));
      const found = await process.ingest.transaction((store) => store.listSeenEvents(ids));
      expect(found.map((one) => one.projectId).sort((a, b) => a - b)).toEqual([packed, recent]);
    });

    it('knows nothing of a chunk that fails at whichever statement, and all of it when it is tried again', async () => {
      projectId++;
      const uuids = Array.from({ length: 5 }, (_, n) => randomId(n));
      const process = start();
      await add(process, uuids.slice(0, 2));
      for (let statement = 0, isDone = false; !isDone; statement++) {
        const failing = setup.db.withPlugin(failAt(statement));
        const chunk = sqlIngestStore(failing, setup.dialect, { seen: process.seen });
        isDone = await add({ ...process, ingest: chunk }, uuids).then(
          () => true,
          () => false,
        );
        expect(await find(process, uuids)).toEqual(isDone ? uuids.toSorted() : uuids.slice(0, 2).sort());
      }
      expect(await add(process, uuids)).toEqual([]);
    });

    it('loses nothing at whichever statement packing fails', async () => {
      projectId++;
      const uuids = Array.from({ length: 45 }, (_, n) => randomId(n));
      await add(start(), uuids.slice(0, 30));
      await start().seen.packer.packAll();
      await add(start(), uuids.slice(30));
      for (let statement = 0, isDone = false; !isDone; statement++) {
        const { seen } = start(setup.db.withPlugin(failAt(statement)));
        isDone = await seen.packer.packAll().then(
          () => true,
          () => false,
        );
        expect(await find(start(), uuids)).toEqual([...uuids].sort());
      }
      expect([await count('seenEvents'), (await count('seenBlocks')) > 10]).toEqual([0, true]);
    });

    it('has no two blocks of a level that overlap, and levels of limited size', async () => {
      projectId++;
      const process = start();
      for (let from = 0; from < 200; from += 10) {
        await add(
          process,
          Array.from({ length: 10 }, (_, n) => randomId(from + n)),
        );
        await process.seen.packer.packAll();
      }
      const blocks = await setup.db.selectFrom('seenBlocks').selectAll().where('projectId', '=', projectId).execute();
      const levels = new Set(blocks.map(({ level }) => level));
      expect(levels.size).toBeGreaterThan(2);
      for (const level of levels) {
        const ofLevel = blocks
          .filter((block) => block.level === level)
          .sort((a, b) => (a.firstUuid < b.firstUuid ? -1 : 1));
        for (const [i, { firstUuid }] of ofLevel.entries()) {
          expect(firstUuid > (ofLevel[i - 1]?.lastUuid ?? '')).toBe(true);
        }
      }
      expect(process.seen.filterBytes).toBeLessThanOrEqual(300);
    });

    it('tells when a packed event arrived and how often it was repeated', async () => {
      projectId++;
      const process = start();
      const uuids = Array.from({ length: 9 }, (_, n) => randomId(n));
      await add(process, uuids, START + 1234);
      await add(process, uuids.slice(0, 1));
      await process.seen.packer.packAll();
      await add(process, uuids.slice(0, 2));
      const { fates, recovery } = setup.metadata;
      const times = { receivedAt: START + 1000, processedAt: START + 1000 };
      expect(await fates.getSeen(projectId, randomId(0))).toEqual({ ...times, repeats: 2 });
      expect(await fates.getSeen(projectId, randomId(1))).toEqual({ ...times, repeats: 1 });
      expect(await fates.getSeen(projectId, randomId(8))).toEqual({ ...times, repeats: 0 });
      expect(await fates.getSeen(projectId, randomId(99))).toBeNull();
      await add(process, [randomId(20)], START + 5678);
      await add(process, [randomId(21)], START + 70_001);
      expect(await fates.getSeen(projectId, randomId(20))).toEqual({
        receivedAt: START + 5278,
        processedAt: START + 5678,
        repeats: 0,
      });
      expect(await recovery.latestProcessedAt()).toBe(START + 70_001);
    });

    it('lists what was processed within a time, rows and blocks', async () => {
      projectId++;
      const process = start();
      await add(process, [randomId(1), randomId(2)], START);
      await add(process, [randomId(3)], START + 60_000);
      await process.seen.packer.packAll();
      await add(process, [randomId(4)], START + 60_000);
      await add(process, [randomId(5)], START + 120_000);
      const listed: EventId[] = [];
      for await (const batch of setup.metadata.recovery.listSeen({ from: START + 50_000, to: START + 70_000 }, 2)) {
        listed.push(...batch.filter((id) => id.projectId === projectId));
      }
      expect(listed.map(({ uuid }) => uuid).sort()).toEqual([randomId(3), randomId(4)].sort());
    });

    it('forgets what was processed before a time, and a project that is deleted', async () => {
      projectId++;
      const process = start();
      const day = 24 * 3600 * 1000;
      const [old, young, newest] = [[1, 2, 3], [4, 5, 6], [7]].map((numbers) => numbers.map(randomId)) as [
        string[],
        string[],
        string[],
      ];
      await add(process, old, START);
      await add(process, young, START + 10 * day);
      await process.seen.packer.packAll();
      await add(process, newest, START + 10 * day);
      await process.ingest.forgetBefore(projectId, START + 9 * day);
      expect(await find(process, [...old, ...young, ...newest])).toEqual([...young, ...newest].sort());
      await process.ingest.forgetBefore(projectId, START + 99 * day);
      expect(await find(process, [...old, ...young, ...newest])).toEqual([]);
      expect([await count('seenEvents'), await count('seenBlocks')]).toEqual([0, 0]);
    });
  });
}
