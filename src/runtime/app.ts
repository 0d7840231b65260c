/** Builds the server from its parts and connects them. `main.ts` starts what this builds, and so do the tests. */
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { FastifyInstance } from 'fastify';
import type { ProjectDirectory } from '../access/project-directory.ts';
import type { Config } from '../config.ts';
import { bootstrap, type FirstStart } from '../features/accounts/bootstrap.ts';
import { CookielessSalts, saltFolder, sharedSalts } from '../features/capture/cookieless/salts.ts';
import { CohortCalculations } from '../features/cohorts/cohort-calculations.ts';
import { ExperimentSchedule } from '../features/experiments/guard/experiment-schedule.ts';
import { Guardrails } from '../features/experiments/guard/guardrails.ts';
import type { FlagSnapshots } from '../features/flags/decide/flag-snapshots.ts';
import { Rollbacks } from '../features/flags/manage/rollbacks.ts';
import { Geoip } from '../features/geoip/geoip.ts';
import type { QueryUsage } from '../features/insights/query-usage.ts';
import { ResultCache } from '../features/insights/result-cache.ts';
import { callerFromHeaders } from '../http/api/authenticate.ts';
import { reportOutdatedDecisions } from '../ingest/accept/read-your-writes.ts';
import { reportStepTimes } from '../ingest/process/step-times.ts';
import { reportIngestCounts } from '../ingest/track/ingest-counts.ts';
import { type Clock, type ClockMemory, clockOn, makeClockMemory } from '../lib/clock.ts';
import { type Ids, randomIds } from '../lib/ids.ts';
import type { LeaderTask } from '../lib/leader-task.ts';
import type { Logger } from '../lib/log.ts';
import { type Metrics, openMetrics } from '../lib/metrics.ts';
import { startSchedule } from '../lib/schedule.ts';
import { controlPath } from '../operate/control/control-path.ts';
import { type ControlServer, openControlServer } from '../operate/control/control-server.ts';
import { dataRetention } from '../operate/data-retention.ts';
import type { OperateDeps } from '../operate/deps.ts';
import { localOperator, type Operator } from '../operate/operator.ts';
import { requireMonitoringAccess } from '../operate/status/monitoring-access.ts';
import { describeOutage, readStatus } from '../operate/status/read-status.ts';
import type { StatusRouteDeps } from '../operate/status/status-routes.ts';
import { DATA_FILES } from '../stores/data-files.ts';
import type { EventStore } from '../stores/events/event-store.ts';
import { describeLoss, readOpenLosses } from '../stores/metadata/event-losses.ts';
import type { MetadataStore } from '../stores/metadata/metadata-store.ts';
import { type AppDeps, createDeps } from './app-deps.ts';
import type { Backend, BackendOptions } from './backend.ts';
import { builtFile } from './built-file.ts';
import { cacheListeners } from './cache-listeners.ts';
import { type CloseList, closeAll } from './close-list.ts';
import { openCluster } from './cluster/backend.ts';
import { openEmbedded } from './embedded/backend.ts';
import { type AppFeature, FEATURES, tablesOf } from './features.ts';
import { LeaderTasks } from './leader-tasks.ts';
import { buildMonitoringServer, buildServer } from './server.ts';

interface AppOptions {
  config: Config;
  log: Logger;
  /** Tests stop the clock with it. */
  clockMemory?: ClockMemory;
  ids?: Ids;
  /** All of them by default; tests add their own. */
  features?: readonly AppFeature[];
}

interface App {
  /** Starts to listen; the address it ended up with. */
  listen(): Promise<string>;
  /** Rejects if the event store turns out to be unusable after the server listens. */
  opened: Promise<void>;
  /** Resolves when everything accepted so far is visible to queries. */
  drain(): Promise<void>;
  /** Stops accepting requests, finishes those that are running, and closes all stores. */
  close(): Promise<void>;
  /** Keys and link to show once, or null when this was not the first start. */
  firstStart: FirstStart | null;
  /** Does what operators ask for, in this process. */
  operator: Operator;
  /** Ends the worker thread as a fault would; only with the setting `faults`. */
  crashWorker(): void;
  /** The rest is for tests. After a change behind the API's back, the two caches have to be invalidated. */
  metadata: MetadataStore;
  /** The port for clients of PostgreSQL. */
  sqlPort(): number;
  directory: Pick<ProjectDirectory, 'invalidate'>;
  flagSnapshots: Pick<FlagSnapshots, 'invalidateAll'>;
  events: Pick<EventStore, 'query'>;
  mirrorPersons(projectId: number): Promise<void>;
  checkRollbacks(): Promise<void>;
  checkGuardrails(): Promise<void>;
  /** Starts and ends the experiments that are due. */
  followExperimentSchedule(): Promise<void>;
  calculations: Pick<CohortCalculations, 'startRound' | 'whenIdle'>;
  usage: Pick<QueryUsage, 'flush'>;
  routes(): { method: string; url: string }[];
}

export async function openApp(options: AppOptions): Promise<App> {
  const toClose: CloseList = [];
  try {
    return await buildApp(options, toClose);
  } catch (error) {
    await closeAll(toClose);
    throw error;
  }
}

const openGeoip = (config: Config, logger: Logger): Promise<Geoip> =>
  Geoip.open({
    shippedCountries: builtFile('countries.br'),
    ownCountries: join(config.dataDir, DATA_FILES.countries),
    cityFile: config.geoipFile,
    logger,
  });

async function buildApp(options: AppOptions, toClose: CloseList): Promise<App> {
  const {
    config,
    log,
    ids = randomIds,
    clockMemory = makeClockMemory(config.clockAheadMs),
    features = FEATURES,
  } = options;
  const clock = clockOn(clockMemory);
  const results = new ResultCache(clock);
  let caches: AppDeps | null = null;
  const listeners = cacheListeners(results, () => caches);
  const tables = tablesOf(features);
  const openingGeoip = openGeoip(config, log);
  // Where the backend cannot be opened, that is the error to report.
  openingGeoip.catch(() => undefined);
  const backend = await openBackend({ config, logger: log, clockMemory, listeners, tables }, toClose);
  results.onInvalidate = (projectId) => backend.broadcastChange(projectId);
  const metrics = backendMetrics(backend);
  const leaderTasks = new LeaderTasks(() => createLeaderTasks(deps, features));
  const geoip = await openingGeoip;
  toClose.push(() => geoip.close());
  const salts = await openSalts(config, backend, clock, log, toClose);
  const siteScript = builtFile('cairn.js');
  const base = { config, log, clock, ids, metrics, results, backend, leaderTasks, geoip, salts, siteScript };
  const deps: AppDeps = createDeps(base);
  caches = deps;
  startServices(deps, toClose);
  let isStopping = false;
  const server = await openServer(deps, features, () => isStopping);
  toClose.push(() => server.close());
  if (backend.slowOpening() === null) await backend.ready;
  // Only now: its keys are shown once, so nothing may keep the start from completing.
  const firstStart = await bootstrap({ metadata: backend.metadata, clock, ids }, initialAccount(config));
  for (const unknown of await deps.domains.unknownOrganizations())
    log.warn(unknown, 'a setting of single sign-on names an organization that does not exist: nobody joins it');
  const lead = (): void => {
    if (!isStopping) backend.runWhileLeader(leaderTasks);
  };
  const opened = backend.ready.then(lead);
  // Whoever started the server is told; nobody may be there to hear it.
  opened.catch(() => undefined);
  const operator = localOperator(operateDeps(deps));
  return {
    listen: () => listen(server, deps, operator, toClose),
    opened,
    drain: () => backend.ingestion.drain(),
    async close() {
      isStopping = true;
      await closeAll(toClose);
    },
    firstStart,
    operator,
    crashWorker: () => backend.crashWorker(),
    routes: () => (config.role === 'worker' ? [] : server.knownRoutes.list()),
    ...testAccess(deps),
  };
}

const HOUR_MS = 3_600_000;

/** Old salts are destroyed at the start, too: no server may have run when their time was over. */
async function openSalts(
  { databaseUrl, dataDir }: Config,
  { metadata, ready }: Backend,
  clock: Clock,
  log: Logger,
  toClose: CloseList,
): Promise<CookielessSalts> {
  const isCluster = databaseUrl !== null;
  const store = isCluster ? sharedSalts(metadata.installation, clock) : saltFolder(join(dataDir, DATA_FILES.salts));
  const salts = new CookielessSalts(store, clock);
  const destroyOld = async (): Promise<void> => {
    await salts.destroyOld();
    await metadata.cookielessVisitors.deleteExpired(clock.now());
  };
  const onError = (err: unknown): void =>
    log.error({ err }, 'what is known of earlier cookieless visitors was not destroyed');
  void ready.then(destroyOld).catch(onError);
  const options = { clock, initialDelayMs: HOUR_MS, intervalMs: HOUR_MS, run: destroyOld, onError };
  const schedule = startSchedule(options);
  toClose.push(() => schedule.stop());
  return salts;
}

/** With both URLs set, the data is in PostgreSQL and ClickHouse, otherwise in the data folder. */
function openBackend(options: BackendOptions, toClose: CloseList): Promise<Backend> {
  const { databaseUrl, clickhouseUrl } = options.config;
  return databaseUrl === null || clickhouseUrl === null
    ? openEmbedded(options, toClose)
    : openCluster(options, { databaseUrl, clickhouseUrl }, toClose);
}

const initialAccount = (config: Config) => ({
  projectKey: config.initProjectApiKey,
  personalKey: config.initPersonalApiKey,
  admin:
    config.initAdminEmail !== null && config.initAdminPassword !== null
      ? { email: config.initAdminEmail, password: config.initAdminPassword }
      : null,
});

function backendMetrics(backend: Backend): Metrics {
  const metrics = openMetrics();
  reportIngestCounts(metrics.registry, backend.counts);
  reportOutdatedDecisions(metrics.registry, backend.writes);
  reportStepTimes(metrics.registry, async () => backend.worker().stepSeconds());
  backend.reportMetrics(metrics.registry);
  return metrics;
}

const createLeaderTasks = (deps: AppDeps, features: readonly AppFeature[]): LeaderTask[] => [
  dataRetention({
    ...deps,
    eventsRetentionDays: deps.config.eventsRetentionDays,
    auditDays: deps.config.auditDays,
    logger: deps.log,
  }),
  ...features.flatMap(({ leaderTasks }) => leaderTasks?.(deps) ?? []),
];

function startServices({ usage, flagUsage, demo, mailer, keyUse, sqlRunner }: AppDeps, toClose: CloseList): void {
  void mailer.check();
  toClose.push(() => mailer.close());
  toClose.push(() => keyUse.whenWritten());
  for (const counter of [usage, flagUsage]) {
    const schedule = counter.start();
    toClose.push(() => schedule.stop());
  }
  toClose.push(() => demo.stop());
  toClose.push(() => sqlRunner.close());
}

/** A node with the role `worker` serves its status and metrics, nothing else. */
async function openServer(deps: AppDeps, features: readonly AppFeature[], isStopping: () => boolean) {
  const { backend, config, events, metadata } = deps;
  const status: StatusRouteDeps = {
    metrics: deps.metrics,
    checkStores: () => backend.isReady(),
    problems: async () => {
      const refusal = await backend.captureRefusal();
      const losses = await readOpenLosses(metadata.installation).catch(() => []);
      const outage = backend.processingOutage();
      const waiting = outage === null ? [] : [describeOutage(outage)];
      const states = [refusal, backend.slowOpening()].filter((state) => state !== null);
      return [...states, ...waiting, ...losses.map(describeLoss)];
    },
    status: () =>
      readStatus({
        dataDir: config.dataDir,
        metadata,
        events: { ...events, listPromotedProperties: async () => backend.worker().listPromotedProperties() },
        counts: backend.counts,
        outage: backend.processingOutage,
        describe: backend.describeCluster,
      }),
    requireAccess: (request) =>
      requireMonitoringAccess(request, config.monitoringPublic, (from) => callerFromHeaders(deps, from)),
    isStopping,
  };
  const options = { ...config, consoleFolder: fileURLToPath(builtFile('console/')) };
  return config.role === 'worker'
    ? buildMonitoringServer(deps, status, options)
    : buildServer(deps, features, status, options);
}

const operateDeps = (deps: AppDeps): OperateDeps => ({
  ...deps,
  whenProcessed: () => deps.ingestion.whenProcessed(),
  counts: deps.backend.counts,
  events: { query: deps.events.query, progress: deps.reassigner.progress },
  invalidateResults: (projectId) => deps.results.invalidate(projectId),
  snapshots: deps.backend.snapshots,
  checkStores: deps.backend.checkStores,
  unknownOrganizations: () => deps.domains.unknownOrganizations(),
  publicAddress: deps.config.publicUrl ?? `http://${deps.config.host}:${deps.config.port}`,
});

/** Commands are closed before everything else: they may still use all of it. */
async function listen(server: FastifyInstance, deps: AppDeps, operator: Operator, toClose: CloseList): Promise<string> {
  const { config, log } = deps;
  const address = await server.listen({ host: config.host, port: config.port });
  const { postgresPort } = deps;
  if (postgresPort !== null) {
    await postgresPort.listen();
    toClose.push(() => postgresPort.close());
    log.info({ port: postgresPort.port }, 'listening for clients of PostgreSQL');
  }
  if (config.role !== 'worker') {
    const control = await openControlSocket(config, operator, log);
    toClose.push(async () => control?.close());
  }
  return address;
}

/** Without it the server works all the same, but has to be stopped before a command can use its folder. */
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

const testAccess = ({ postgresPort, ...deps }: AppDeps) => ({
  ...storeAccess(deps),
  sqlPort: () => postgresPort?.port ?? 0,
});

type StoreAccess = Omit<AppDeps, 'postgresPort'>;

const storeAccess = ({
  metadata,
  directory,
  flagSnapshots,
  events,
  mirrorPersons,
  usage,
  leaderTasks,
}: StoreAccess) => ({
  metadata,
  directory,
  flagSnapshots,
  events,
  mirrorPersons,
  usage,
  checkRollbacks: async () => leaderTasks.get(Rollbacks)?.check(),
  checkGuardrails: async () => leaderTasks.get(Guardrails)?.check(),
  followExperimentSchedule: async () => leaderTasks.get(ExperimentSchedule)?.check(),
  calculations: {
    startRound: async () => leaderTasks.get(CohortCalculations)?.startRound(),
    whenIdle: async () => leaderTasks.get(CohortCalculations)?.whenIdle(),
  },
});
