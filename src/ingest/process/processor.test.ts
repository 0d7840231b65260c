import { afterEach, beforeEach, expect, it } from 'vitest';
import { makeTempDir, type TempDir } from '../../../test/contract/temp-dir.ts';
import { openMigratedStore } from '../../../test/support/migrated-store.ts';
import { bootstrap } from '../../features/accounts/bootstrap.ts';
import { randomIds } from '../../lib/ids.ts';
import { openLog } from '../../lib/log.ts';
import { DATA_FILES } from '../../stores/data-files.ts';
import { openEventStore } from '../../stores/duckdb/event-store.ts';
import { EventStoreInvalidated } from '../../stores/duckdb/invalidated.ts';
import { type AttemptFile, openAttemptFile } from '../../stores/embedded/attempt-file.ts';
import type { EventStore, SqlRow } from '../../stores/events/event-store.ts';
import type { IngestChanges, IngestStore } from '../../stores/ingest/ingest-store.ts';
import { isOutage } from '../../stores/outage.ts';
import { openIngestLog, type SegmentLog } from '../../stores/segment-log/ingest-log.ts';
import { openIngestLogReader, type SegmentLogReader } from '../../stores/segment-log/ingest-log-reader.ts';
import type { SqliteStores } from '../../stores/sqlite/metadata-store.ts';
import { serializeRequestContext } from '../accept/request-context.ts';
import { DefinitionLimits } from './definition-limits.ts';
import { DefinitionRecorder } from './definition-recorder.ts';
import { Processor, type ProcessorDeps } from './processor.ts';
import { StepTimes } from './step-times.ts';

/** Real stores in a folder of their own; the tests wrap one of them to make it fail where it hurts. */
const clock = { now: () => Date.UTC(2026, 0, 15) };
const diskFull = (): Error => Object.assign(new Error('database or disk is full'), { code: 'SQLITE_FULL' });

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

const accept = (...raws: object[]): Promise<number> =>
  log.append({
    projectId,
    receivedAt: clock.now(),
    events: raws.length,
    context: serializeRequestContext({ ip: null, sentAt: null, engage: false, historical: false }),
    seed: randomIds.seed(),
    payload: Buffer.from(JSON.stringify(raws)),
  });

const anEvent = (name: string, more: object = {}): object => ({ event: name, distinct_id: 'ada', ...more });

function makeProcessor(changes: Partial<ProcessorDeps> = {}): Processor {
  running = new Processor({
    ingest: stores.ingest,
    events,
    log: reader,
    attempts,
    clock,
    logger: openLog('silent'),
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

/** Works until the log is empty. */
function finish(changes: Partial<ProcessorDeps> = {}): Promise<number> {
  return new Promise((resolve, reject) => {
    const processor = makeProcessor({ ...changes, onIdle: resolve });
    processor.recover().then(() => processor.wake(), reject);
  });
}

const names = async (): Promise<unknown[]> =>
  (await events.query('select event from event_rows order by rowid', [])).map((row: SqlRow) => row['event']);

/** A store whose first `times` transactions fail when they commit. */
function refusingCommits(times: number, onRefusal: () => Promise<unknown> = async () => undefined): IngestStore {
  let left = times;
  return {
    ...stores.ingest,
    transaction: (work) =>
      stores.ingest.transaction(async (store) => {
        const result = await work(store);
        if (left-- <= 0) return result;
        await onRefusal();
        throw diskFull();
      }),
  };
}

it('stores nothing twice when the second commit fails and more events arrive before the retry', async () => {
  await accept(anEvent('first'), anEvent('second'));
  const ingest = refusingCommits(1, () => accept(anEvent('third')));
  await finish({ ingest });
  expect(await names()).toEqual(['first', 'second', 'third']);
  expect(await stores.ingest.getCounts()).toEqual({ stored: 3 });
});

it('finishes after a restart the chunk between the two commits, and only that', async () => {
  await accept(anEvent('$identify', { properties: { $anon_distinct_id: 'anon', $set: { plan: 'free' } } }));
  const broken = makeProcessor({ ingest: refusingCommits(Infinity) });
  await expect(broken.recover()).resolves.toBe(0);
  broken.wake();
  await expect.poll(() => events.position()).toBe(1);
  await broken.stop();
  expect(await stores.ingest.position()).toBe(0);
  await accept(anEvent('later'));
  await finish();
  expect(await names()).toEqual(['$identify', 'later']);
  expect(await stores.ingest.getCounts()).toEqual({ stored: 2 });
});

it('makes a dead letter of one failing event, and stores the others', async () => {
  const uuid = randomIds.uuid();
  await accept(anEvent('before'), anEvent('poison', { uuid }), anEvent('after'));
  await accept(anEvent('behind'));
  const definitions = new DefinitionRecorder(randomIds);
  const chunk = definitions.startChunk.bind(definitions);
  definitions.startChunk = (now) => {
    const seen = chunk(now);
    const record = seen.record.bind(seen);
    seen.record = (event, groups) => {
      if (event.event === 'poison') throw new Error('this one hurts');
      record(event, groups);
    };
    return seen;
  };
  await finish({ definitions });
  expect(await names()).toEqual(['before', 'after', 'behind']);
  expect(await stores.ingest.getCounts()).toEqual({ stored: 3, dead_lettered: 1 });

  // Once the rule is fixed, the same event is no duplicate of the dead letter.
  await running?.stop();
  await accept(anEvent('poison', { uuid }));
  await finish();
  expect(await names()).toEqual(['before', 'after', 'behind', 'poison']);
});

/** A store that rejects every chunk with an event of this name, as a constraint would. */
const refusing = (name: string): IngestStore => ({
  ...stores.ingest,
  transaction: (work) =>
    stores.ingest.transaction((store) =>
      work({
        ...store,
        apply: async (changes: IngestChanges) => {
          if (changes.events.some((event) => event.name === name)) throw new Error('constraint failed');
          await store.apply(changes);
        },
      }),
    ),
});

it('stores nothing of an entry that the metadata store rejects, and continues with the next', async () => {
  await accept(anEvent('before'));
  await accept(anEvent('poison'), anEvent('innocent'));
  await accept(anEvent('behind'));
  await finish({ ingest: refusing('poison') });
  expect(await names()).toEqual(['before', 'behind']);
  expect(await stores.ingest.getCounts()).toEqual({ stored: 2, dead_lettered: 2 });
});

it('counts nothing as stored that the event store rejects, also if the disk is full when it becomes a dead letter', async () => {
  await accept(anEvent('poison'));
  await accept(anEvent('behind'));
  const rejecting: EventStore = {
    ...wrap(events),
    write: async (batch) => {
      if (batch.events.some(({ event }) => event === 'poison')) throw new Error('rejected');
      await events.write(batch);
    },
  };
  await finish({ events: rejecting, ingest: refusingCommits(1) });
  expect(await names()).toEqual(['behind']);
  expect(await stores.ingest.getCounts()).toEqual({ stored: 1, dead_lettered: 1 });
  expect(await events.progress()).toEqual(await stores.ingest.progress());
});

it('starts even if the entry to be finished cannot be processed', async () => {
  await accept(anEvent('poison'));
  // What a crash between the commits of setting an entry aside leaves behind.
  await events.write({ events: [], overrides: [], position: 1 });
  await accept(anEvent('behind'));
  await finish({ ingest: refusing('poison') });
  expect(await names()).toEqual(['behind']);
  expect(await stores.ingest.getCounts()).toEqual({ stored: 1, dead_lettered: 1 });
});

it('reports when the engine of the event store is lost, which only a new thread can repair', async () => {
  await accept(anEvent('one'));
  const lost = { ...wrap(events), write: () => Promise.reject(new EventStoreInvalidated(new Error('FATAL Error'))) };
  const outage = await new Promise((resolve) => {
    makeProcessor({ events: lost, onOutage: resolve }).wake();
  });
  expect(outage).toBeInstanceOf(EventStoreInvalidated);
});

it('throws when entries are missing whose events are stored', async () => {
  await events.write({ events: [], overrides: [], position: 7 });
  await expect(makeProcessor().recover()).rejects.toThrow('missing entries 1 to 7');
});

const wrap = (store: EventStore): EventStore => ({
  position: () => store.position(),
  progress: () => store.progress(),
  write: (batch) => store.write(batch),
  query: (sql, values) => store.query(sql, values),
  queryColumns: (sql, values) => store.queryColumns(sql, values),
  writeParquet: (...args) => store.writeParquet(...args),
  mirrorPosition: (id) => store.mirrorPosition(id),
  listMirroredProjects: () => store.listMirroredProjects(),
  mirrorPersons: (slice) => store.mirrorPersons(slice),
  deleteMirror: (id) => store.deleteMirror(id),
  deleteBefore: (id, time) => store.deleteBefore(id, time),
  addPlaces: (...asked) => store.addPlaces(...asked),
  reassign: (orders) => store.reassign(orders),
  purge: () => store.purge(),
  prepareSessions: (projectId) => store.prepareSessions(projectId),
  maintain: (now) => store.maintain(now),
  needsMaintenance: (now) => store.needsMaintenance(now),
  listPromotedProperties: () => store.listPromotedProperties(),
  size: () => store.size(),
  close: () => store.close(),
});

it('queues a webhook message once, however often the second commit fails', async () => {
  const { metadata } = stores;
  await accept(anEvent('seen'));
  await finish();
  await running?.stop();
  const [seen] = await metadata.definitions.listEvents(projectId);
  await metadata.definitions.updateEvent(projectId, seen?.id ?? '', { postToSlack: true });
  await metadata.projects.update(projectId, { slackIncomingWebhook: 'https://hooks.example.org/' });
  await accept(anEvent('seen'), anEvent('not marked'), anEvent('seen'));
  let refusals = 2;
  const chunks: number[] = [];
  const ingest: IngestStore = {
    ...stores.ingest,
    transaction: (work) =>
      stores.ingest.transaction(async (store) => {
        const result = await work(store);
        if (refusals-- > 0) throw diskFull();
        return result;
      }),
  };
  await finish({ ingest, onProcessed: ({ messages }) => chunks.push(messages) });
  expect(await metadata.outbox.listByProject(projectId)).toMatchObject([{ event: 'seen', count: 2 }]);
  expect(chunks).toEqual([1]);
});

it('does not query for marked events where no project has a webhook', async () => {
  const asked: (readonly number[])[] = [];
  const ingest: IngestStore = {
    ...stores.ingest,
    transaction: (work) =>
      stores.ingest.transaction((store) =>
        work({
          ...store,
          listWebhookEvents: (projectIds) => {
            asked.push(projectIds);
            return store.listWebhookEvents(projectIds);
          },
        }),
      ),
  };
  await accept(anEvent('seen'));
  await finish({ ingest });
  expect(asked.flat()).toEqual([]);
});

/** One request of another project. */
async function anotherProject(): Promise<(...raws: object[]) => Promise<number>> {
  const [first] = await stores.metadata.projects.listAll();
  if (!first) throw new Error('no project');
  const { id: _, ...project } = first;
  const other = await stores.metadata.projects.create({ ...project, uuid: randomIds.uuid(), apiToken: 'phc_other' });
  return (...raws) =>
    log.append({
      projectId: other.id,
      receivedAt: clock.now(),
      events: raws.length,
      context: serializeRequestContext({ ip: null, sentAt: null, engage: false, historical: false }),
      seed: randomIds.seed(),
      payload: Buffer.from(JSON.stringify(raws)),
    });
}

const FLOOD = 12;
/** Two of them are more than the share of a project that is not alone. */
const FLOOD_EVENTS = 1800;
const flood = async (): Promise<void> => {
  for (let n = 0; n < FLOOD; n++) {
    await accept(
      ...Array.from({ length: FLOOD_EVENTS }, (_, i) => anEvent(`flood ${n}`, { distinct_id: `a${i % 7}` })),
    );
  }
};

it('takes turns between projects, so that one is not delayed by the flood of another', async () => {
  const acceptOther = await anotherProject();
  await flood();
  await acceptOther(anEvent('small 1'));
  await acceptOther(anEvent('small 2'));
  const chunks: string[][] = [];
  await finish({ onProcessed: ({ stored }) => chunks.push([...new Set(stored.map(({ event }) => event))]) });
  expect(chunks[0]).toEqual(['flood 0', 'small 1', 'small 2']);
  expect(chunks.flat().filter((name) => name.startsWith('flood'))).toEqual(
    Array.from({ length: FLOOD }, (_, n) => `flood ${n}`),
  );
  expect(await stores.ingest.getCounts()).toEqual({ stored: FLOOD * FLOOD_EVENTS + 2 });
  expect(await stores.ingest.progress()).toEqual({ position: FLOOD + 2, ahead: new Map() });
});

it('stores nothing twice when the second commit of a chunk fails in which projects took turns', async () => {
  const acceptOther = await anotherProject();
  await flood();
  await acceptOther(anEvent('small'));
  await finish({ ingest: refusingCommits(3, () => acceptOther(anEvent('later'))) });
  expect((await names()).filter((name) => name === 'small' || name === 'later')).toHaveLength(4);
  expect(await stores.ingest.getCounts()).toEqual({ stored: FLOOD * FLOOD_EVENTS + 4 });
  expect(await names()).toHaveLength(FLOOD * FLOOD_EVENTS + 4);
});

it('finishes after a restart a chunk in which projects took turns', async () => {
  const acceptOther = await anotherProject();
  await flood();
  await acceptOther(anEvent('small'));
  const broken = makeProcessor({ ingest: refusingCommits(Infinity) });
  await broken.recover();
  broken.wake();
  await expect.poll(async () => (await events.progress()).ahead.size).toBe(1);
  await broken.stop();
  expect((await stores.ingest.progress()).position).toBe(0);
  await finish();
  expect((await names()).filter((name) => name === 'small')).toHaveLength(1);
  expect(await names()).toHaveLength(FLOOD * FLOOD_EVENTS + 1);
});

/** An engine that breaks down over events of this name, and ends the process. */
const breakingOver = (name: string): EventStore => ({
  ...wrap(events),
  write: (batch) =>
    batch.events.some(({ event }) => event === name)
      ? Promise.reject(new EventStoreInvalidated(new Error('INTERNAL Error: assertion failed')))
      : events.write(batch),
});

/** Starts it again after each breakdown, until the log is empty; how often it broke down. */
async function restartUntilDone(store: EventStore): Promise<number> {
  for (let breakdowns = 0; ; breakdowns++) {
    const isBroken = await new Promise<boolean>((resolve, reject) => {
      const onOutage = (): void => resolve(true);
      const processor = makeProcessor({ events: store, suspectPauseMs: 0, onOutage, onIdle: () => resolve(false) });
      processor.recover().then(() => processor.wake(), reject);
    });
    await running?.stop();
    if (!isBroken) return breakdowns;
  }
}

it.each([
  { what: 'alone in its chunk', others: [] as string[] },
  { what: 'among others', others: ['one', 'two', 'three'] },
])(
  'sets an entry aside that ends the process, and three times more when it is tried again: $what',
  async ({ others }) => {
    for (const name of others) await accept(anEvent(name));
    await accept(anEvent('poison'), anEvent('beside it'));
    for (const name of others) await accept(anEvent(`${name} after`));
    expect(await restartUntilDone(breakingOver('poison'))).toBe(4);
    expect(await names()).toEqual([...others, ...others.map((name) => `${name} after`)]);
    expect(await stores.ingest.getCounts()).toMatchObject({ dead_lettered: 2 });
    const { items } = await stores.metadata.deadLetters.list(projectId, { limit: 10, offset: 0 });
    expect(items.map(({ requestEvents, payload }) => [requestEvents, JSON.parse(payload).length])).toEqual([[2, 2]]);
  },
);

it('does not try an entry again at once that may have ended the process on its own, nor those behind it', async () => {
  await accept(anEvent('suspect'));
  await accept(anEvent('behind'));
  const mark = { entries: [1], tries: 1 };
  attempts.write(mark);
  await finish({ suspectPauseMs: 60_000 });
  await running?.stop();
  expect(await names()).toEqual([]);
  expect(attempts.read()).toEqual(mark);
  await finish({ suspectPauseMs: 50 });
  await expect.poll(names).toEqual(['suspect', 'behind']);
  expect(await stores.ingest.getCounts()).toEqual({ stored: 2 });
});

it('does not suspect entries because of an outage of a store', async () => {
  await accept(anEvent('one'));
  for (let n = 0; n < 4; n++) {
    const outage = new Promise((resolve) => {
      const processor = makeProcessor({ ingest: refusingCommits(1), onOutage: resolve });
      processor.recover().then(() => processor.wake(), resolve);
    });
    await outage;
    await running?.stop();
  }
  await finish();
  expect(await names()).toEqual(['one']);
  expect(await stores.ingest.getCounts()).toEqual({ stored: 1 });
});
