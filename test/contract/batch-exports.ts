/** What a store keeps of exports, their runs and files, and of events that came too late for theirs. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type {
  BatchExport,
  ExportBackfill,
  ExportRun,
} from '../../src/features/batch-exports/store/batch-export-store.ts';
import type { IngestStore, LateEvents } from '../../src/stores/ingest/ingest-store.ts';
import { NO_CHANGES } from '../../src/stores/ingest/no-changes.ts';
import type { MetadataStore } from '../../src/stores/metadata/metadata-store.ts';
import { uuidOf } from './events.ts';

const NOW = 1_768_478_400_000;
const PAGE = { limit: 100, offset: 0 };

const anExport = (id: string, rest: Partial<BatchExport> = {}): BatchExport => ({
  id,
  projectId: 1,
  name: 'Lake',
  model: 'events',
  destination: { type: 'Folder', prefix: 'x', fileFormat: 'JSONLines', compression: 'gzip', maxFileSizeMb: 64 },
  interval: 'hour',
  filters: { properties: [{ key: 'plan', value: 'pro' }] },
  paused: false,
  pausedReason: null,
  startAt: null,
  endAt: null,
  exportedUntil: NOW,
  personPosition: null,
  createdAt: NOW,
  createdBy: 7,
  updatedAt: NOW,
  ...rest,
});

const aRun = (id: string, startAt: number, rest: Partial<ExportRun> = {}): ExportRun => ({
  id,
  projectId: 1,
  exportId: 'a',
  startAt,
  endAt: startAt + 10,
  status: 'Starting',
  claimedAt: NOW,
  attempts: 0,
  failingSince: null,
  retryAt: null,
  error: null,
  records: 0,
  bytes: 0,
  earlierParts: 0,
  fromPosition: null,
  manifest: null,
  upload: null,
  createdAt: NOW,
  finishedAt: null,
  updatedAt: NOW,
  ...rest,
});

const late = (uuids: readonly string[], firstCreated: number, lastCreated: number): LateEvents => ({
  projectId: 1,
  exportId: 'a',
  uuids,
  firstTimestamp: 5,
  lastTimestamp: 6,
  firstCreated,
  lastCreated,
});

interface Setup {
  metadata: MetadataStore;
  ingest: Pick<IngestStore, 'transaction'>;
}

export function describeBatchExports(name: string, open: () => Promise<Setup>): void {
  describe(`batch exports: ${name}`, () => {
    let store: MetadataStore;
    let ingest: Setup['ingest'];
    let position = 0;
    const addLate = (...rows: LateEvents[]) =>
      ingest.transaction((chunk) => chunk.apply({ ...NO_CHANGES, late: rows, position: ++position }));
    beforeEach(async () => {
      ({ metadata: store, ingest } = await open());
    });
    afterEach(() => store.close());

    it('returns an export unchanged, in its project only, until it is deleted with all it has', async () => {
      const { batchExports } = store;
      await batchExports.create(anExport('a'));
      expect(await batchExports.get(1, 'a')).toEqual(anExport('a'));
      expect(await batchExports.get(2, 'a')).toBeNull();
      const changed = anExport('a', {
        paused: true,
        pausedReason: 'it is full',
        personPosition: { change: 4, id: 2 },
        startAt: NOW,
        endAt: NOW + 5,
      });
      await batchExports.update(changed);
      await batchExports.create(anExport('b', { projectId: 2, createdBy: null }));
      expect((await batchExports.list(1, PAGE)).items).toEqual([changed]);
      expect((await batchExports.listActive()).map(({ id }) => id)).toEqual(['b']);
      await batchExports.saveRun(aRun('r', 10));
      await addLate(late([uuidOf(1)], 1, 2));
      await batchExports.delete('a');
      expect(await batchExports.listAll(1)).toEqual([]);
      expect([
        await batchExports.listUnfinishedRuns(),
        await batchExports.countLateReceived('a', { from: 0, until: 9 }),
      ]).toEqual([[], 0]);
    });

    it('is known to processing, unless it is of persons', async () => {
      await store.batchExports.create(anExport('a'));
      await store.batchExports.create(anExport('b', { model: 'persons' }));
      await store.batchExports.create(anExport('c', { model: 'sessions', paused: true, exportedUntil: 7 }));
      expect(await ingest.transaction((chunk) => chunk.listExports([1, 2]))).toEqual([
        { id: 'a', projectId: 1, exportedUntil: NOW },
        { id: 'c', projectId: 1, exportedUntil: 7 },
      ]);
      expect(await ingest.transaction((chunk) => chunk.listExports([]))).toEqual([]);
    });

    it('keeps runs by their interval, with their files', async () => {
      const { batchExports } = store;
      await batchExports.saveRun(aRun('r1', 10));
      const upload = { name: 'x', uploadId: 'u' };
      const second = aRun('r2', 20, {
        status: 'FailedRetryable',
        retryAt: NOW,
        upload,
        fromPosition: { change: 1, id: 2 },
      });
      await batchExports.saveRun(aRun('r2', 20));
      await batchExports.saveRun(second);
      expect(await batchExports.getRun('a', 'r2')).toEqual(second);
      expect(await batchExports.getRun('b', 'r2')).toBeNull();
      expect([(await batchExports.getRunAt('a', 19))?.id, (await batchExports.getRunAt('a', 30))?.id]).toEqual([
        'r1',
        undefined,
      ]);
      expect([await batchExports.getNextStart('a', 10), await batchExports.getNextStart('a', 20)]).toEqual([20, null]);
      expect((await batchExports.listRuns('a', PAGE)).items.map(({ id }) => id)).toEqual(['r2', 'r1']);
      expect((await batchExports.listUnfinishedRuns()).map(({ id }) => id)).toEqual(['r1', 'r2']);
      const part = { number: 0, name: 'part-000', records: 3, bytes: 99, sha256: 'ab', position: '{"late":1}' };
      await batchExports.createPart(aRun('r1', 10), part);
      expect(await batchExports.listParts('r1')).toEqual([part]);
      expect((await batchExports.listRunsWithFiles('a', { from: 15, until: 100 })).map(({ id }) => id)).toEqual(['r1']);
      expect(await batchExports.listRunsWithFiles('a', { from: 20, until: 100 })).toEqual([]);
      await batchExports.saveRun(aRun('r1', 10, { status: 'Completed', records: 3 }));
      expect(await batchExports.countRuns()).toContainEqual({ status: 'Completed', runs: 1, records: 3 });
      await batchExports.deleteParts('r1');
      expect(await batchExports.listParts('r1')).toEqual([]);
      await expect(batchExports.saveRun(aRun('r3', 10))).rejects.toThrow();
    });

    it('keeps backfills until they are done', async () => {
      const { batchExports } = store;
      const backfill: ExportBackfill = {
        id: 'f',
        projectId: 1,
        exportId: 'a',
        startAt: 0,
        endAt: 30,
        nextStart: 0,
        createdAt: NOW,
        createdBy: null,
        finishedAt: null,
      };
      await batchExports.createBackfill(backfill);
      expect(await batchExports.listUnfinishedBackfills()).toEqual([backfill]);
      await batchExports.updateBackfill({ ...backfill, nextStart: 30, finishedAt: NOW });
      expect(await batchExports.listUnfinishedBackfills()).toEqual([]);
      expect((await batchExports.listBackfills('a', PAGE)).items[0]?.nextStart).toBe(30);
    });

    it('gives late events to one run, and finds them by when they were received', async () => {
      const { batchExports } = store;
      const uuids = [1, 2, 3, 4].map(uuidOf);
      await addLate(late(uuids.slice(0, 2), 10, 12), late(uuids.slice(2, 3), 30, 30));
      await batchExports.assignLate('a', 'r1');
      await addLate(late(uuids.slice(3), 11, 40));
      await batchExports.assignLate('a', 'r2');
      const all = await batchExports.listLate('r1', 'a', 0, 100);
      expect(all.map((row) => row.uuids)).toEqual([uuids.slice(0, 2), uuids.slice(2, 3)]);
      expect(all[0]).toMatchObject({ firstTimestamp: 5, lastTimestamp: 6 });
      expect(await batchExports.listLate('r1', 'a', 0, 1)).toEqual([all[0]]);
      expect((await batchExports.listLate('r1', 'a', all[0]?.id ?? 0, 1)).map(({ id }) => id)).toEqual([all[1]?.id]);
      const received = await batchExports.listLateReceived('a', { from: 12, until: 30 });
      expect(received.map(({ runId, uuids: found }) => [runId, found])).toEqual([
        ['r1', uuids.slice(0, 2)],
        ['r2', uuids.slice(3)],
      ]);
      expect(await batchExports.countLateReceived('a', { from: 13, until: 30 })).toBe(1);
    });
  });
}
