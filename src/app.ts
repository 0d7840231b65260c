/**
 * The one place where things are built and joined, by hand. `main.ts` starts what this builds; the tests start the same.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Config } from './config.ts';
import { Failure } from './core/errors.ts';
import { Continuity } from './decide/continuity.ts';
import type { DecideDeps } from './decide/decide.ts';
import { Definitions } from './decide/definitions.ts';
import { readStatus } from './http/read-status.ts';
import { buildServer } from './http/server.ts';
import { acceptEvents } from './ingest/accept-events.ts';
import { findPending, type PendingDeps } from './ingest/find-pending.ts';
import { type IngestCounts, readIngestCounts, reportIngestCounts } from './ingest/ingest-counts.ts';
import { Ingestion } from './ingest/ingestion.ts';
import { ReadYourWrites, reportOutdated } from './ingest/read-your-writes.ts';
import { Tail } from './ingest/tail.ts';
import type { ProcessedNotice, WorkerMethods, WorkerOptions } from './ingest/worker-protocol.ts';
import { WorkerThread } from './ingest/worker-thread.ts';
import { CohortCalculations } from './insights/cohort-calculations.ts';
import { measureEvents } from './insights/measure-events.ts';
import { QueryUsage } from './insights/query-usage.ts';
import { ResultCache } from './insights/result-cache.ts';
import { type Clock, type ClockMemory, clockOn, makeClockMemory } from './lib/clock.ts';
import { type Ids, randomIds } from './lib/ids.ts';
import type { Logger } from './lib/log.ts';
import { openMetrics } from './lib/metrics.ts';
import { scanFiles } from './lib/scan-files.ts';
import { bootstrap, type FirstStart } from './manage/bootstrap.ts';
import type { EventFiling } from './manage/change-identities.ts';
import { DemoData } from './manage/demo-data.ts';
import { Erasure } from './manage/erasure.ts';
import { startHousekeeping } from './manage/housekeeping.ts';
import { KeyGuard } from './manage/key-guard.ts';
import { ProjectDirectory } from './manage/project-directory.ts';
import { Rollbacks } from './manage/rollbacks.ts';
import { Sessions } from './manage/sessions.ts';
import { SignInGuard } from './manage/sign-in-guard.ts';
import { WebhookSender } from './manage/webhook-sender.ts';
import { controlPath } from './operate/control-path.ts';
import { type Door, openDoor } from './operate/door.ts';
import { localOperator, type Operator } from './operate/operator.ts';
import { duckdbDialect } from './stores/duckdb/dialect.ts';
import { folderSnapshots } from './stores/embedded/folder-snapshots.ts';
import type { EventStore } from './stores/event-store.ts';
import { FILES } from './stores/files.ts';
import type { IngestLog } from './stores/ingest-log.ts';
import type { IngestStore } from './stores/ingest-store.ts';
import type { MetadataStore } from './stores/metadata-store.ts';
import { lockFolder } from './stores/sqlite/folder-lock.ts';
import { openIngestLog } from './stores/sqlite/ingest-log.ts';
import { openIngestLogReader } from './stores/sqlite/ingest-log-reader.ts';
import { openRelationalShelf } from './stores/sqlite/metadata-store.ts';

export interface AppOptions {
  config: Config;
  log: Logger;
  /** Tests hold the clock still through this memory. */
  clockMemory?: ClockMemory;
  ids?: Ids;
}

export interface App {
  /** Starts to listen; the address it ended up with. */
  listen(): Promise<string>;
  /** Resolves when everything accepted so far is visible to queries. */
  drain(): Promise<void>;
  /** Stops accepting, finishes what is under way, writes everything down, closes. */
  close(): Promise<void>;
  /** Keys and link to show once, or null when this was not the first start. */
  firstStart: FirstStart | null;
  metadata: MetadataStore;
  /** For those who changed a project behind the API's back: what was remembered of it is forgotten. */
  directory: Pick<ProjectDirectory, 'forget'>;
  /** Likewise for those who changed flags or cohorts. */
  definitions: Pick<Definitions, 'forgetAll'>;
  events: Pick<EventStore, 'query'>;
  /** Brings the copy of persons beside the events up to date. */
  mirrorPersons(projectId: number): Promise<void>;
  /** Looks at the rollback conditions of flags now, as happens every minute. */
  checkRollbacks(): Promise<void>;
  calculations: Pick<CohortCalculations, 'startRound' | 'settled'>;
  /** Writes down what insights asked for, as happens every few seconds. */
  usage: Pick<QueryUsage, 'flush'>;
  /** Does what operators ask for, in this process. */
  operator: Operator;
  /** Every route of the server. */
  routes(): { method: string; url: string }[];
  /** Ends the worker thread as a fault would; heard only with the setting `faults`. */
  breakWorker(): void;
}

export async function openApp(options: AppOptions): Promise<App> {
  const { config, log, ids = randomIds, clockMemory = makeClockMemory() } = options;
  const clock = clockOn(clockMemory);
  const opened: (() => Promise<void> | void)[] = [];
  const closeAll = async (): Promise<void> => {
    for (const close of opened.splice(0).reverse()) await close();
  };
  try {
    const shelves = await openShelves(config, clock, opened);
    const { metadata } = shelves;
    const firstStart = await bootstrap({ metadata, clock, ids }, initialKeys(config));
    const webhooks = new WebhookSender({
      metadata,
      clock,
      logger: log,
      publicUrl: config.publicUrl,
      isInsideAllowed: config.webhookAllowPrivate,
    });
    const onNews = (): void => webhooks.wake();
    const definitions = new Definitions(metadata);
    const results = new ResultCache(clock);
    const { ingestion, writes, thread, tail, ready } = startIngestion(
      config,
      log,
      clockMemory,
      shelves,
      definitions,
      results,
      onNews,
      opened,
    );
    const counts = (): Promise<IngestCounts> => readIngestCounts(shelves.ingest, ingestion, clock);
    const metrics = openMetrics();
    reportIngestCounts(metrics.registry, counts);
    reportOutdated(metrics.registry, writes);
    const events: App['events'] = {
      query: async (sql, values, signal) => thread.methods.query(sql, values, ...(signal ? [signal] : [])),
    };
    const mirrorPersons = async (projectId: number): Promise<void> => thread.methods.mirrorPersons(projectId);
    const directory = new ProjectDirectory({ metadata, clock });
    const filing: EventFiling = {
      position: async () => thread.methods.position(),
      refile: async () => {
        await thread.methods.refile();
        results.touchAll();
      },
    };
    const caughtUp = (): Promise<boolean> => within(CATCH_UP_MS, ingestion.caughtUp());
    const erasure = new Erasure({
      deletions: metadata.deletions,
      refile: filing.refile,
      scrubLog: () => scrubLog(shelves, caughtUp),
      scrubStores: async () => thread.methods.scrub(),
      query: events.query,
      scanFiles: (texts) => scanFiles(config.dataDir, texts),
      gatherMs: config.eraseAfterSeconds * 1000,
      clock,
      logger: log,
    });
    // On the worker's thread: going through all persons must not be in the way of requests.
    const calculations = new CohortCalculations({
      metadata,
      clock,
      logger: log,
      calculate: async (projectId, cohortId) => {
        await thread.methods.calculateCohort(projectId, cohortId);
        results.touch(projectId);
      },
    });
    opened.push(() => calculations.stop());
    const usage = new QueryUsage({ store: metadata.queryUsage, clock, logger: log });
    const usageSchedule = usage.start();
    opened.push(() => usageSchedule.stop());
    const demo = new DemoData({
      metadata,
      clock,
      ids,
      definitions,
      calculations,
      accept: (projectId, batch) => acceptEvents({ ingestion, clock, ids }, projectId, batch),
      caughtUp,
      log,
    });
    opened.push(() => demo.stop());
    let stopping = false;
    const removeEvents = async (projectId: number): Promise<void> => {
      await thread.methods.deleteBefore(projectId, END_OF_TIME);
      await thread.methods.forgetPersons(projectId);
      results.touch(projectId);
    };
    const decide: DecideDeps = {
      metadata,
      definitions,
      writes,
      continuity: new Continuity(metadata),
      clock,
      onFault: (err) => log.error({ err }, 'flags were decided without what could not be read'),
    };
    const signInGuard = new SignInGuard({ metadata, clock, ids });
    const server = await buildServer(
      {
        config,
        log,
        metadata,
        clock,
        ids,
        ingestion,
        tail,
        events,
        dialect: duckdbDialect,
        findPending: (projectId, uuid) => findPending(shelves.waiting, projectId, uuid),
        directory,
        definitions,
        filing,
        caughtUp,
        erasure,
        decide,
        calculations,
        usage,
        demo,
        metrics,
        sessions: new Sessions({ metadata, clock, ids, sessionDays: config.sessionDays, guard: signInGuard }),
        signInGuard,
        keys: new KeyGuard(clock),
        removeEvents,
        mirrorPersons,
        follow: async (projectId, question, page, signal) =>
          thread.methods.follow(projectId, question, page, ...(signal ? [signal] : [])),
        results,
        checkStores: async () => {
          await metadata.check();
          await thread.methods.query('select 1', []);
        },
        status: () =>
          readStatus({
            dataDir: config.dataDir,
            metadata,
            events: { query: events.query, promoted: async () => thread.methods.promoted() },
            counts,
          }),
        isStopping: () => stopping,
        consoleFolder: fileURLToPath(CONSOLE),
      },
      config,
    );
    opened.push(() => server.close());
    await ready;
    const housekeeping = startHousekeeping({
      metadata,
      ingest: shelves.ingest,
      removeEventsBefore: async (projectId, time) => {
        const removed = await thread.methods.deleteBefore(projectId, time);
        if (removed > 0) results.touch(projectId);
        return removed;
      },
      eventsRetentionDays: config.eventsRetentionDays,
      clock,
      logger: log,
    });
    opened.push(() => housekeeping.stop());
    webhooks.start();
    opened.push(() => webhooks.stop());
    erasure.start();
    opened.push(() => erasure.stop());
    const asking = { metadata, events, dialect: duckdbDialect, persons: metadata.eventPersons, clock, mirrorPersons };
    const rollbacks = new Rollbacks({
      metadata,
      clock,
      ids,
      definitions,
      measure: (projectId, metric, from, to) => measureEvents(asking, { projectId, ...metric, from, to }),
      logger: log,
    });
    const rollbackSchedule = rollbacks.start();
    opened.push(() => rollbackSchedule.stop());
    const operator = localOperator({
      metadata,
      ingest: shelves.ingest,
      clock,
      ids,
      ingestion,
      caughtUp: () => ingestion.caughtUp(),
      counts,
      events: { query: events.query, position: filing.position },
      asking,
      decide,
      demo,
      directory,
      removeEvents,
      touch: (projectId) => results.touch(projectId),
      snapshots: folderSnapshots(config.dataDir, async (folder) => thread.methods.snapshot(folder)),
      checkStores: async () => thread.methods.checkStores(),
    });
    let door: Door | null = null;
    // First of all that is closed: what a command has under way needs the rest.
    opened.push(async () => door?.close());
    return {
      listen: async () => {
        const address = await server.listen({ host: config.host, port: config.port });
        door = await openControl(config, operator, log);
        return address;
      },
      drain: () => ingestion.drain(),
      close: async () => {
        stopping = true;
        await closeAll();
      },
      firstStart,
      metadata,
      directory,
      definitions,
      events,
      mirrorPersons,
      checkRollbacks: () => rollbacks.check(),
      calculations,
      usage,
      operator,
      routes: () => server.knownRoutes.all(),
      breakWorker: () => thread.tell('fault'),
    };
  } catch (error) {
    await closeAll();
    throw error;
  }
}

/** A server without it serves all the same; its operators have to stop it for their commands. */
async function openControl({ dataDir }: Config, operator: Operator, log: Logger): Promise<Door | null> {
  const path = controlPath(dataDir);
  try {
    if (path === null) throw new Error('The path of DATA_DIR is too long for a socket in it.');
    return await openDoor(path, operator, log);
  } catch (err) {
    log.warn({ err }, 'commands cannot reach this server while it runs');
    return null;
  }
}

/** Longer than this nobody waits for the processing of what was accepted. */
const CATCH_UP_MS = 20_000;

/** Whether the promise is kept in time. */
async function within(ms: number, promise: Promise<void>): Promise<boolean> {
  return Promise.race([promise.then(() => true), sleep(ms, false, { ref: false })]);
}

async function scrubLog({ ingest, ingestLog }: Shelves, caughtUp: () => Promise<boolean>): Promise<void> {
  if (!(await caughtUp())) throw new Failure('unavailable', 'Too many events wait to be processed.');
  await ingestLog.trim(await ingest.position());
  await ingestLog.scrub();
}

/** The last instant that both stores can hold. */
const END_OF_TIME = Date.UTC(9999, 11, 31);

type Opened = (() => Promise<void> | void)[];

interface Shelves {
  metadata: MetadataStore;
  ingest: IngestStore;
  ingestLog: IngestLog;
  /** A look into the log from this thread. */
  waiting: PendingDeps;
}

async function openShelves(config: Config, clock: Clock, opened: Opened): Promise<Shelves> {
  mkdirSync(config.dataDir, { recursive: true, mode: 0o700 });
  const lock = lockFolder(config.dataDir);
  opened.push(() => lock.release());
  const { metadata, ingest } = await openRelationalShelf(join(config.dataDir, FILES.metadata), clock.now());
  opened.push(() => metadata.close());
  const after = await ingest.position();
  const ingestLog = openIngestLog(join(config.dataDir, FILES.log), { maxBytes: config.ingestLogMaxBytes, after });
  opened.push(() => ingestLog.close());
  // What was processed before the last stop, but not trimmed in time.
  await ingestLog.trim(after);
  const reader = openIngestLogReader(join(config.dataDir, FILES.log));
  opened.push(() => reader.close());
  return { metadata, ingest, ingestLog, waiting: { log: reader, position: () => ingest.position() } };
}

/** In the built server the worker lies beside this file; in tests this file is TypeScript and the worker is in dist/. */
const BUILT = new URL(import.meta.url.endsWith('.ts') ? '../dist/' : './', import.meta.url);
const WORKER = new URL('worker.js', BUILT);
const CONSOLE = new URL('console/', BUILT);

/** `ready` resolves when the thread has opened its stores; meanwhile the rest of the house is built. */
function startIngestion(
  config: Config,
  logger: Logger,
  clockMemory: ClockMemory,
  { ingestLog, metadata }: Shelves,
  definitions: Definitions,
  results: ResultCache,
  onNews: () => void,
  opened: Opened,
) {
  const { entries, head } = ingestLog.state();
  const writes = new ReadYourWrites({ unread: entries > 0 ? head : 0, hurry: () => thread.tell('hurry') });
  const ingestion = new Ingestion({ log: ingestLog, logger, writes, wake: () => thread.tell('wake') });
  const tail = new Tail(async (projectIds) => thread.methods.watch(projectIds));
  const options: WorkerOptions = {
    dataDir: config.dataDir,
    clockMemory,
    logLevel: logger.level,
    eventsMemoryMb: config.eventsMemoryMb,
    faults: config.faults,
  };
  const onProcessed = (chunk: ProcessedNotice): void => {
    // Before anybody who waits for the chunk goes on: they must find what it has brought.
    for (const projectId of chunk.regrouped) definitions.forget(projectId);
    for (const projectId of chunk.projects) results.touch(projectId);
    metadata.subjects.refresh();
    ingestion.onProcessed(chunk);
  };
  const onReady = (position: number): void => {
    // A thread that died may have brought some without saying so.
    definitions.forgetAll();
    results.touchAll();
    metadata.subjects.refresh();
    ingestion.onReady(position);
    tail.tell().catch((err: unknown) => logger.warn({ err }, 'live streams stay silent until the next one opens'));
  };
  const thread = new WorkerThread<WorkerMethods>(
    WORKER,
    options,
    { onReady, onProcessed, onIdle: ingestion.onIdle, onTail: (events) => tail.show(events), onNews },
    logger,
  );
  const ready = thread.start();
  opened.push(async () => {
    // Whoever waits for `ready` hears why it failed; here it only must have ended.
    await ready.catch(() => undefined);
    await thread.close();
  });
  return { ingestion, writes, thread, tail, ready };
}

const initialKeys = (config: Config) => ({
  projectKey: config.initProjectApiKey,
  personalKey: config.initPersonalApiKey,
  admin:
    config.initAdminEmail !== null && config.initAdminPassword !== null
      ? { email: config.initAdminEmail, password: config.initAdminPassword }
      : null,
});
