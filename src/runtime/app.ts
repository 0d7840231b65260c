/**
 * The one place where things are built and joined, by hand. `main.ts` starts what this builds; the tests start the same.
 */
import { fileURLToPath } from 'node:url';
import { KeyGuard } from '../access/key-guard.ts';
import { ProjectDirectory } from '../access/project-directory.ts';
import type { Config } from '../config.ts';
import { bootstrap, type FirstStart } from '../features/accounts/bootstrap.ts';
import { Sessions } from '../features/accounts/sessions.ts';
import { SignInGuard } from '../features/accounts/sign-in-guard.ts';
import type { CohortCalculations } from '../features/cohorts/cohort-calculations.ts';
import { DemoData } from '../features/demo/demo-data.ts';
import { Continuity } from '../features/flags/decide/continuity.ts';
import type { DecideDeps } from '../features/flags/decide/decide.ts';
import { FlagSnapshots } from '../features/flags/decide/flag-snapshots.ts';
import { QueryUsage } from '../features/insights/query-usage.ts';
import { ResultCache } from '../features/insights/result-cache.ts';
import type { EventReassigner } from '../features/persons/identity/change-identities.ts';
import { acceptEvents } from '../ingest/accept/accept-events.ts';
import { reportOutdatedDecisions } from '../ingest/accept/read-your-writes.ts';
import { reportStepTimes } from '../ingest/process/step-times.ts';
import { reportIngestCounts } from '../ingest/track/ingest-counts.ts';
import { type ClockMemory, clockOn, makeClockMemory } from '../lib/clock.ts';
import { type Ids, randomIds } from '../lib/ids.ts';
import type { Logger } from '../lib/log.ts';
import { openMetrics } from '../lib/metrics.ts';
import { resolvesWithin } from '../lib/within.ts';
import { controlPath } from '../operate/control/control-path.ts';
import { type ControlServer, openControlServer } from '../operate/control/control-server.ts';
import { localOperator, type Operator } from '../operate/operator.ts';
import { readStatus } from '../operate/status/read-status.ts';
import type { EventStore } from '../stores/events/event-store.ts';
import type { MetadataStore } from '../stores/metadata/metadata-store.ts';
import {
  type Backend,
  type BackendListeners,
  type BackendOptions,
  type CloseList,
  MAX_PROCESSING_WAIT_MS,
} from './backend.ts';
import { builtFile } from './built-file.ts';
import { openCluster } from './cluster/backend.ts';
import { openEmbedded } from './embedded/backend.ts';
import { LeaderTasks } from './leader-tasks.ts';
import { buildMonitoringServer, buildServer, type ServerDeps } from './server.ts';

interface AppOptions {
  config: Config;
  log: Logger;
  /** Tests hold the clock still through this memory. */
  clockMemory?: ClockMemory;
  ids?: Ids;
}

interface App {
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
  directory: Pick<ProjectDirectory, 'invalidate'>;
  /** Likewise for those who changed flags or cohorts. */
  flagSnapshots: Pick<FlagSnapshots, 'invalidateAll'>;
  events: Pick<EventStore, 'query'>;
  /** Brings the copy of persons beside the events up to date. */
  mirrorPersons(projectId: number): Promise<void>;
  /** Looks at the rollback conditions of flags now, as happens every minute. */
  checkRollbacks(): Promise<void>;
  calculations: Pick<CohortCalculations, 'startRound' | 'whenIdle'>;
  /** Writes down what insights asked for, as happens every few seconds. */
  usage: Pick<QueryUsage, 'flush'>;
  /** Does what operators ask for, in this process. */
  operator: Operator;
  /** Every route of the server. */
  routes(): { method: string; url: string }[];
  /** Ends the worker thread as a fault would; heard only with the setting `faults`. */
  crashWorker(): void;
}

export async function openApp(options: AppOptions): Promise<App> {
  const opened: CloseList = [];
  // One that cannot be closed in order must not keep the others open.
  const closeAll = async (): Promise<void> => {
    const errors: unknown[] = [];
    for (const close of opened.splice(0).reverse()) {
      try {
        await close();
      } catch (error) {
        errors.push(error);
      }
    }
    if (errors.length > 0) throw errors.length === 1 ? errors[0] : new AggregateError(errors, 'Not all was closed.');
  };
  try {
    return await buildApp(options, opened, closeAll);
  } catch (error) {
    await closeAll();
    throw error;
  }
}

async function buildApp(options: AppOptions, opened: CloseList, closeAll: () => Promise<void>): Promise<App> {
  const { config, log, ids = randomIds, clockMemory = makeClockMemory() } = options;
  const clock = clockOn(clockMemory);
  const results = new ResultCache(clock);
  let memory: Caches | null = null;
  const set = await openBackend(
    { config, logger: log, clockMemory, listeners: listenersOf(results, () => memory) },
    opened,
  );
  const { metadata, ingestion, worker } = set;
  const firstStart = await bootstrap({ metadata, clock, ids }, initialAccount(config));
  const flagSnapshots = new FlagSnapshots(metadata);
  const directory = new ProjectDirectory({ metadata, clock });
  memory = { flagSnapshots, directory };
  results.onInvalidate = (projectId) => set.broadcastChange(projectId);
  const metrics = openMetrics();
  reportIngestCounts(metrics.registry, set.counts);
  reportOutdatedDecisions(metrics.registry, set.writes);
  reportStepTimes(metrics.registry, async () => worker().stepSeconds());
  set.reportMetrics(metrics.registry);
  const events: App['events'] = { query: async (...question) => worker().query(...question) };
  const mirrorPersons = async (projectId: number): Promise<void> => worker().mirrorPersons(projectId);
  const filing = invalidatingReassigner(results, set.reassigner);
  const removeEvents = async (projectId: number): Promise<void> => {
    await worker().deleteBefore(projectId, END_OF_TIME);
    await worker().deleteMirror(projectId);
    results.invalidate(projectId);
  };
  const chores = new LeaderTasks({
    backend: { ...set, reassigner: filing },
    config,
    clock,
    ids,
    log,
    flagSnapshots,
    results,
    removeEvents,
  });
  const calculations = { wake: () => set.wakeLeader() };
  const usage = new QueryUsage({ store: metadata.queryUsage, clock, logger: log });
  const usageSchedule = usage.start();
  opened.push(() => usageSchedule.stop());
  const caughtUp = (): Promise<boolean> => resolvesWithin(MAX_PROCESSING_WAIT_MS, ingestion.whenProcessed());
  const demo = new DemoData({
    metadata,
    clock,
    ids,
    flagSnapshots,
    calculations,
    accept: (projectId, batch) => acceptEvents({ ingestion, clock, ids }, projectId, batch),
    whenProcessed: caughtUp,
    log,
  });
  opened.push(() => demo.stop());
  let stopping = false;
  const decide: DecideDeps = {
    metadata,
    flagSnapshots,
    writes: set.writes,
    continuity: new Continuity(metadata),
    clock,
    onReadError: (err) => log.error({ err }, 'flags were decided without what could not be read'),
  };
  const signInGuard = new SignInGuard({ metadata, clock, ids });
  const deps: ServerDeps = {
    config,
    log,
    metadata,
    clock,
    ids,
    ingestion,
    tail: set.liveEvents,
    events,
    dialect: set.dialect,
    findPending: set.findPending,
    directory,
    flagSnapshots,
    reassigner: filing,
    whenProcessed: caughtUp,
    erasure: { begin: (...deletion) => chores.startErasure(...deletion) },
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
    answerQuestion: async (projectId, question, page, signal) =>
      worker().answerQuestion(projectId, question, page, ...(signal ? [signal] : [])),
    results,
    checkStores: () => set.isReady(),
    status: () =>
      readStatus({
        dataDir: config.dataDir,
        metadata,
        events: { query: events.query, listPromotedProperties: async () => worker().listPromotedProperties() },
        counts: set.counts,
        describe: set.describeCluster,
      }),
    isStopping: () => stopping,
    consoleFolder: fileURLToPath(builtFile('console/')),
  };
  const server = config.role === 'worker' ? buildMonitoringServer(deps, config) : await buildServer(deps, config);
  opened.push(() => server.close());
  await set.ready;
  set.runWhileLeader(chores);
  const operator = localOperator({
    metadata,
    ingest: set.ingest,
    clock,
    ids,
    ingestion,
    whenProcessed: () => ingestion.whenProcessed(),
    counts: set.counts,
    events: { query: events.query, position: set.reassigner.position },
    eventQueries: { metadata, events, dialect: set.dialect, persons: metadata.eventPersons, clock, mirrorPersons },
    decide,
    demo,
    directory,
    removeEvents,
    invalidateResults: (projectId) => results.invalidate(projectId),
    snapshots: set.snapshots,
    checkStores: set.checkStores,
  });
  let door: ControlServer | null = null;
  // First of all that is closed: what a command has under way needs the rest.
  opened.push(async () => door?.close());
  return {
    listen: async () => {
      const address = await server.listen({ host: config.host, port: config.port });
      if (config.role !== 'worker') door = await openControlSocket(config, operator, log);
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
    flagSnapshots,
    events,
    mirrorPersons,
    checkRollbacks: async () => chores.running?.rollbacks.check(),
    calculations: {
      startRound: async () => chores.running?.calculations.startRound(),
      whenIdle: async () => chores.running?.calculations.whenIdle(),
    },
    usage,
    operator,
    routes: () => (config.role === 'worker' ? [] : server.knownRoutes.list()),
    crashWorker: () => set.crashWorker(),
  };
}

/** A server without it serves all the same; its operators have to stop it for their commands. */
async function openControlSocket({ dataDir }: Config, operator: Operator, log: Logger): Promise<ControlServer | null> {
  const path = controlPath(dataDir);
  try {
    if (path === null) throw new Error('The path of DATA_DIR is too long for a socket in it.');
    return await openControlServer(path, operator, log);
  } catch (err) {
    log.warn({ err }, 'commands cannot reach this server while it runs');
    return null;
  }
}

/** Two addresses make the difference between one machine and many. */
function openBackend(options: BackendOptions, opened: CloseList): Promise<Backend> {
  const { databaseUrl, clickhouseUrl } = options.config;
  return databaseUrl === null || clickhouseUrl === null
    ? openEmbedded(options, opened)
    : openCluster(options, { databaseUrl, clickhouseUrl }, opened);
}

/** The last instant that both stores can hold. */
const END_OF_TIME = Date.UTC(9999, 11, 31);

/** What is remembered of the relational shelf. */
interface Caches {
  flagSnapshots: FlagSnapshots;
  directory: ProjectDirectory;
}

/** Whoever remembers something hears when it may have changed. Nothing is remembered before everything is opened. */
function listenersOf(results: ResultCache, memory: () => Caches | null): BackendListeners {
  return {
    onStored(projects, regrouped) {
      for (const projectId of regrouped) memory()?.flagSnapshots.invalidate(projectId);
      for (const projectId of projects) results.invalidateHere(projectId);
    },
    onUnknownChange() {
      memory()?.flagSnapshots.invalidateAll();
      results.invalidateAll();
    },
    onDefinitionsChanged(projectId) {
      memory()?.directory.invalidate();
      if (projectId === null) {
        memory()?.flagSnapshots.invalidateAll();
        results.invalidateAll();
      } else {
        memory()?.flagSnapshots.invalidate(projectId);
        results.invalidateHere(projectId);
      }
    },
  };
}

const invalidatingReassigner = (results: ResultCache, filing: EventReassigner): EventReassigner => ({
  position: () => filing.position(),
  async reassign() {
    await filing.reassign();
    results.invalidateAll();
  },
});

const initialAccount = (config: Config) => ({
  projectKey: config.initProjectApiKey,
  personalKey: config.initPersonalApiKey,
  admin:
    config.initAdminEmail !== null && config.initAdminPassword !== null
      ? { email: config.initAdminEmail, password: config.initAdminPassword }
      : null,
});
