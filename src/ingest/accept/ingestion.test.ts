import { afterEach, beforeEach, expect, it } from 'vitest';
import { makeTempDir, type TempDir } from '../../../test/contract/temp-dir.ts';
import { randomIds } from '../../lib/ids.ts';
import { openLog } from '../../lib/log.ts';
import { DATA_FILES } from '../../stores/data-files.ts';
import type { IngestLog } from '../../stores/ingest/ingest-log.ts';
import { progressAt } from '../../stores/ingest/log-progress.ts';
import { openIngestLog, type SegmentLog } from '../../stores/segment-log/ingest-log.ts';
import { Ingestion } from './ingestion.ts';
import { ReadYourWrites } from './read-your-writes.ts';

let dir: TempDir;
let log: SegmentLog;
beforeEach(async () => {
  dir = makeTempDir();
  log = await openIngestLog(dir.path(DATA_FILES.log), { maxBytes: 1e6 });
});
afterEach(async () => {
  await log.close();
  dir.remove();
});

const writes = new ReadYourWrites({ initialHead: 0, processNow: () => undefined });

const entry = (events: number) => ({
  projectId: 1,
  receivedAt: 0,
  events,
  context: '{}',
  seed: randomIds.seed(),
  payload: Buffer.from('[]'),
});

it('counts pending events, and wakes an idle worker', async () => {
  let woken = 0;
  const ingestion = new Ingestion({ log, logger: openLog('silent'), writes, wake: () => void woken++, maxBytes: 1e9 });
  ingestion.onIdle(0);
  await ingestion.accept(entry(3));
  await ingestion.accept(entry(2));
  expect([ingestion.pending, woken]).toEqual([5, 1]);
  const drained = ingestion.drain();
  ingestion.onProcessed({ progress: progressAt(2), events: 5 });
  await drained;
  expect(ingestion.pending).toBe(0);
});

it('corrects its count when the log could not be trimmed for a new worker', async () => {
  await log.append(entry(4));
  const refusing = { ...wrap(log), trim: () => Promise.reject(new Error('disk full')) };
  let ingestion!: Ingestion;
  await new Promise<void>((woken) => {
    ingestion = new Ingestion({ log: refusing, logger: openLog('silent'), writes, wake: woken, maxBytes: 1e9 });
    ingestion.onReady(1);
  });
  // The worker that is woken finds everything processed; only the entries are still in the file.
  expect(ingestion.pending).toBe(4);
  const drained = ingestion.drain();
  ingestion.onIdle(1);
  await drained;
  expect(ingestion.pending).toBe(0);
});

it('resolves when earlier entries are processed, without waiting for later ones', async () => {
  const ingestion = new Ingestion({ log, logger: openLog('silent'), writes, wake: () => undefined, maxBytes: 1e9 });
  await ingestion.whenProcessed();
  await ingestion.accept(entry(1));
  await ingestion.accept(entry(1));
  let isProcessed = false;
  const processed = ingestion.whenProcessed().then(() => {
    isProcessed = true;
  });
  await ingestion.accept(entry(1));
  ingestion.onProcessed({ progress: progressAt(1), events: 1 });
  await new Promise(setImmediate);
  expect(isProcessed).toBe(false);
  ingestion.onProcessed({ progress: progressAt(2), events: 1 });
  await processed;
  expect(ingestion.pending).toBe(1);
});

const wrap = (real: IngestLog): IngestLog => ({
  append: (one) => real.append(one),
  trim: (seq) => real.trim(seq),
  purge: () => real.purge(),
  refusal: () => real.refusal(),
  state: () => real.state(),
  close: () => real.close(),
});

it('says since when and why processing waits, until it goes on', () => {
  const ingestion = new Ingestion({ log, logger: openLog('silent'), writes, wake: () => undefined, maxBytes: 1e9 });
  expect(ingestion.outage).toBeNull();
  ingestion.onOutage({ since: 1000, reason: 'disk I/O error' });
  ingestion.onOutage({ since: 2000, reason: 'database is locked' });
  expect(ingestion.outage).toEqual({ since: 1000, reason: 'database is locked' });
  ingestion.onProcessed({ progress: progressAt(0), events: 0 });
  expect(ingestion.outage).toBeNull();
});

it('refuses a project that has filled its share of a log that is more than half full', async () => {
  const ingestion = new Ingestion({ log, logger: openLog('silent'), writes, wake: () => undefined, maxBytes: 1000 });
  const large = { ...entry(1), payload: Buffer.alloc(600, ' ') };
  await ingestion.accept(large);
  await expect(ingestion.accept(large)).rejects.toMatchObject({ kind: 'unavailable' });
  await ingestion.accept({ ...entry(1), projectId: 2 });
  ingestion.onProcessed({ progress: progressAt(2), events: 2 });
  await ingestion.accept(large);
});
