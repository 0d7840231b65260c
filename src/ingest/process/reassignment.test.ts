/** Orders to the event store and chunks of events: which comes first, wherever a commit fails. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { makeTempDir, type TempDir } from '../../../test/contract/temp-dir.ts';
import { openMigratedStore } from '../../../test/support/migrated-store.ts';
import { personUuid } from '../../core/events/uuid.ts';
import { bootstrap } from '../../features/accounts/bootstrap.ts';
import { changeIdentities } from '../../features/persons/identity/change-identities.ts';
import { splitPerson } from '../../features/persons/identity/split-person.ts';
import { randomIds } from '../../lib/ids.ts';
import { openLog } from '../../lib/log.ts';
import { DATA_FILES } from '../../stores/data-files.ts';
import { openEventStore } from '../../stores/duckdb/event-store.ts';
import { type AttemptFile, openAttemptFile } from '../../stores/embedded/attempt-file.ts';
import type { EventStore } from '../../stores/events/event-store.ts';
import type { IngestStore } from '../../stores/ingest/ingest-store.ts';
import { progressAt } from '../../stores/ingest/log-progress.ts';
import { isOutage } from '../../stores/outage.ts';
import { openIngestLog, type SegmentLog } from '../../stores/segment-log/ingest-log.ts';
import { openIngestLogReader, type SegmentLogReader } from '../../stores/segment-log/ingest-log-reader.ts';
import type { SqliteStores } from '../../stores/sqlite/metadata-store.ts';
import { serializeRequestContext } from '../accept/request-context.ts';
import { DefinitionLimits } from './definition-limits.ts';
import { DefinitionRecorder } from './definition-recorder.ts';
import { Processor, type ProcessorDeps } from './processor.ts';
import { StepTimes } from './step-times.ts';

const clock = { now: () => Date.UTC(2026, 0, 15) };
const logger = openLog('silent');

let dir: TempDir;
let stores: SqliteStores;
let log: SegmentLog;
let reader: SegmentLogReader;
let events: EventStore;
let projectId: number;
let running: Processor | undefined;
let attempts: AttemptFile;

beforeEach(async () => {
  dir = makeTempDir();
  stores = await openMigratedStore(dir.path(DATA_FILES.metadata), clock.now());
  const keys = { projectKey: null, personalKey: null, admin: null };
  projectId = (await bootstrap({ metadata: stores.metadata, clock, ids: randomIds }, keys))?.projectId ?? 0;
  log = await openIngestLog(dir.path(DATA_FILES.log), { maxBytes: 1e9 });
  reader = openIngestLogReader(dir.path(DATA_FILES.log), log.head);
  attempts = openAttemptFile(dir.path(DATA_FILES.attempt));
  events = await openEventStore(dir.path(DATA_FILES.events), { memoryLimit: '64MB', threads: 1 });
  await accept('ada', 'first', { $anon_distinct_id: 'phone' }, '$identify');
  await accept('phone', 'before');
  await finish();
});
afterEach(async () => {
  await running?.stop();
  running = undefined;
  reader.close();
  attempts.close();
  await log.close();
  await events.close();
  await stores.metadata.close();
  dir.remove();
});

const accept = (distinctId: string, name: string, properties: object = {}, event = name): Promise<number> =>
  log.append({
    projectId,
    receivedAt: clock.now(),
    events: 1,
    context: serializeRequestContext({ ip: null, sentAt: null, engage: false, historical: false }),
    seed: randomIds.seed(),
    payload: Buffer.from(JSON.stringify([{ event, distinct_id: distinctId, properties }])),
  });

function makeProcessor(changes: Partial<ProcessorDeps> = {}): Processor {
  running = new Processor({
    ingest: stores.ingest,
    events,
    log: reader,
    attempts,
    clock,
    logger,
    definitions: new DefinitionRecorder(randomIds),
    limits: new DefinitionLimits({ eventNames: 1000, propertyNames: 1000 }),
    stepTimes: new StepTimes(),
    isOutage,
    onProcessed: () => undefined,
    onIdle: () => undefined,
    ...changes,
  });
  return running;
}

async function finish(changes: Partial<ProcessorDeps> = {}): Promise<void> {
  await running?.stop();
  await new Promise((resolve, reject) => {
    const processor = makeProcessor({ ...changes, onIdle: resolve });
    processor.recover().then(() => processor.wake(), reject);
  });
}

/** Splits the phone off, while the event store is left to follow by itself. */
async function split(progress = () => events.progress()): Promise<string> {
  const [project] = await stores.metadata.projects.listAll();
  if (!project) throw new Error('no project');
  const reassigner = { progress, reassign: async () => undefined };
  const deps = { metadata: stores.metadata, reassigner, clock, ids: randomIds, log: logger };
  await splitPerson(deps, { project, userId: 1, ref: { uuid: personUuid(projectId, 'ada') }, mainDistinctId: 'ada' });
  const [phone] = (
    await stores.ingest.transaction((store) => store.listPersonsByDistinctIds([{ projectId, distinctId: 'phone' }]))
  ).distinctIds;
  return phone?.personUuid ?? '';
}

const ownersOf = async (distinctId: string): Promise<unknown[]> =>
  (await events.query('select event, person_id from events where distinct_id = $1 order by event', [distinctId])).map(
    (row) => [row['event'], row['person_id']],
  );

it('a reassignment is done once, before events that are processed after it', async () => {
  const phone = await split();
  await accept('phone', 'later');
  await finish();
  expect(await ownersOf('phone')).toEqual([
    ['before', phone],
    ['later', phone],
  ]);
  expect(await stores.ingest.pendingReassignments()).toEqual([]);
});

it('a reassignment is done once where its completion was not committed', async () => {
  const phone = await split();
  let refusals = 2;
  const forgetful: IngestStore = {
    ...stores.ingest,
    transaction: (work) =>
      stores.ingest.transaction(async (store) => {
        const result = await work(store);
        if (refusals-- > 0) throw Object.assign(new Error('disk full'), { code: 'SQLITE_FULL' });
        return result;
      }),
  };
  await finish({ ingest: forgetful });
  expect(await ownersOf('phone')).toEqual([['before', phone]]);
  expect(await stores.ingest.pendingReassignments()).toEqual([]);
});

it('a reassignment made just before a chunk takes the lock is done before the chunk', async () => {
  let phone = '';
  const splitting: IngestStore = {
    ...stores.ingest,
    transaction: async (work) => {
      if (phone === '') phone = await split();
      return stores.ingest.transaction(work);
    },
  };
  await accept('phone', 'later');
  await finish({ ingest: splitting });
  expect(await ownersOf('phone')).toEqual([
    ['before', phone],
    ['later', phone],
  ]);
});

it('persons cannot be changed while the event store is ahead of the metadata store', async () => {
  const change = split(async () => progressAt((await events.position()) + 1));
  await expect(change).rejects.toMatchObject({ kind: 'unavailable', retryAfter: 2 });
  expect(await stores.ingest.pendingReassignments()).toEqual([]);
});

it('a change stands when the event store cannot follow at once', async () => {
  const reassigner = { progress: () => events.progress(), reassign: () => Promise.reject(new Error('away')) };
  const deps = { metadata: stores.metadata, reassigner, clock, ids: randomIds, log: logger };
  expect(await changeIdentities(deps, async () => 'done')).toBe('done');
});

it('exclusive work runs between chunks, and is rejected when the processor stops', async () => {
  const processor = running as Processor;
  expect(await processor.runExclusive(async () => 'ran')).toBe('ran');
  await expect(processor.runExclusive(() => Promise.reject(new Error('its own fault')))).rejects.toThrow(
    'its own fault',
  );
  await processor.stop();
  const late = processor.runExclusive(async () => 'late');
  await processor.stop();
  await expect(late).rejects.toThrow('has stopped');
});
