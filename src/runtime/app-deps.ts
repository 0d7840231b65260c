/** What features are built from. Each takes what its `deps.ts` names; the compiler checks that it is here. */
import { join } from 'node:path';
import { KeyGuard } from '../access/key-guard.ts';
import { KeyUse } from '../access/key-use.ts';
import { ProjectDirectory } from '../access/project-directory.ts';
import type { Config } from '../config.ts';
import { Factors } from '../features/accounts/factors/factors.ts';
import { Passkeys } from '../features/accounts/factors/passkeys.ts';
import { KeyNetworks } from '../features/accounts/key-networks.ts';
import { Provider } from '../features/accounts/oidc/provider.ts';
import { oidcSettings } from '../features/accounts/oidc/settings.ts';
import { SingleSignOn } from '../features/accounts/oidc/single-sign-on.ts';
import { SsoDomains } from '../features/accounts/oidc/sso-domains.ts';
import { Sessions } from '../features/accounts/sessions.ts';
import { SignInGuard } from '../features/accounts/sign-in-guard.ts';
import { SignedCookies } from '../features/accounts/signed-cookies.ts';
import { SigningSecret } from '../features/accounts/signing-secret.ts';
import type { ChangePreview } from '../features/approvals/change-requests.ts';
import { findExportedRuns } from '../features/batch-exports/find-exported-runs.ts';
import { Cookieless } from '../features/capture/cookieless/cookieless.ts';
import type { CookielessSalts } from '../features/capture/cookieless/salts.ts';
import { EventRate } from '../features/capture/event-rate.ts';
import type { CaptureDeps } from '../features/capture/public/deps.ts';
import { logEvents } from '../features/capture/public/log-events.ts';
import { DemoData } from '../features/demo/demo-data.ts';
import { countEvents } from '../features/events/count-events.ts';
import { serializeLocalDefinitions } from '../features/flags/api/local-definitions.ts';
import type { BlastRadiusDeps } from '../features/flags/decide/blast-radius.ts';
import { Continuity } from '../features/flags/decide/continuity.ts';
import type { DecideDeps } from '../features/flags/decide/decide.ts';
import { type FlagSnapshot, FlagSnapshots } from '../features/flags/decide/flag-snapshots.ts';
import { measureChange } from '../features/flags/decide/measure-change.ts';
import { RecentDecisions } from '../features/flags/decide/recent-decisions.ts';
import type { FlagDeps } from '../features/flags/manage/flags.ts';
import { flagCreator, flagUpdater } from '../features/flags/manage/make-approved-change.ts';
import type { RollbackDeps } from '../features/flags/manage/rollbacks.ts';
import { ChannelTokens } from '../features/flags/streams/channel-tokens.ts';
import { DefinitionVersions } from '../features/flags/streams/definition-versions.ts';
import { FlagStreams } from '../features/flags/streams/flag-streams.ts';
import { FlagUsage } from '../features/flags/usage/flag-usage.ts';
import { FlagLastUses } from '../features/flags/usage/last-uses.ts';
import type { Geoip } from '../features/geoip/geoip.ts';
import { answerSavedQuestions } from '../features/insights/api/answer-saved-questions.ts';
import { QueryUsage } from '../features/insights/query-usage.ts';
import type { ResultCache } from '../features/insights/result-cache.ts';
import { deletePersons } from '../features/persons/delete/delete-many.ts';
import { Erasure } from '../features/persons/delete/erasure.ts';
import type { EventReassigner } from '../features/persons/identity/change-identities.ts';
import { scheduleMaker } from '../features/scheduled-changes/make-approved-schedule.ts';
import { removeAbandonedFolders } from '../features/sql/abandoned-folders.ts';
import { clickhouseEngine } from '../features/sql/clickhouse-engine.ts';
import { copyEngine } from '../features/sql/copy-engine.ts';
import { PostgresPort, type PostgresPortDeps } from '../features/sql/postgres/postgres-port.ts';
import { statementRecorder } from '../features/sql/record-statement.ts';
import { RunningQueries } from '../features/sql/running-queries.ts';
import { SavedStatements } from '../features/sql/saved-statements.ts';
import { SqlQueries } from '../features/sql/sql-queries.ts';
import { SqlRunner } from '../features/sql/sql-runner.ts';
import type { StatementEngine } from '../features/sql/statement-engine.ts';
import { StatementSlots } from '../features/sql/statement-slots.ts';
import { answerWebOverviews } from '../features/web-analytics/api/answer-web.ts';
import { Admission } from '../http/admission/admission.ts';
import { KeyRate } from '../http/api/key-rate.ts';
import { requestLogger } from '../http/request-log.ts';
import { acceptEvents } from '../ingest/accept/accept-events.ts';
import type { Clock } from '../lib/clock.ts';
import { freeDiskShare } from '../lib/disk-space.ts';
import { txtLookUp } from '../lib/dns.ts';
import type { Ids } from '../lib/ids.ts';
import type { Logger } from '../lib/log.ts';
import { Mailer } from '../lib/mailer.ts';
import type { Metrics } from '../lib/metrics.ts';
import { resolvesWithin } from '../lib/resolves-within.ts';
import type { FileScan } from '../lib/scan-files.ts';
import { SecretKey, secretKeyFile } from '../lib/secret-key.ts';
import { DATA_FILES } from '../stores/data-files.ts';
import type { EventStore } from '../stores/events/event-store.ts';
import { type Backend, MAX_PROCESSING_WAIT_MS } from './backend.ts';
import { builtFile } from './built-file.ts';
import { guides } from './guides.ts';
import type { LeaderTasks } from './leader-tasks.ts';
import type { WorkerMethods } from './worker-protocol.ts';

/** What everything else is built from. */
interface BaseDeps {
  config: Config;
  log: Logger;
  clock: Clock;
  ids: Ids;
  metrics: Metrics;
  /** Cached answers of insights; invalidated by every change that may affect one. */
  results: ResultCache;
  backend: Backend;
  leaderTasks: LeaderTasks;
  geoip: Geoip;
  salts: CookielessSalts;
  siteScript: URL;
}

export type AppDeps = ReturnType<typeof createDeps>;

export function createDeps(base: BaseDeps) {
  const admission = new Admission(base.config, base.metrics.registry);
  const cookieless = new Cookieless(base.salts, base.backend.metadata.cookielessVisitors);
  const logAnswer = requestLogger(base);
  const shared = { ...base, ...storeDeps(base), ...eventDeps(base), admission, cookieless, logAnswer };
  const withFlags = { ...shared, ...flagDeps(shared), ...accountDeps(shared), ...insightDeps(shared), guides };
  const withSql = { ...withFlags, ...sqlDeps(base) };
  return {
    ...withSql,
    postgresPort: postgresPort(withSql),
    ...approvalDeps(withFlags),
    logEvents: (...args: Parameters<CaptureDeps['logEvents']>) => logEvents(withFlags, ...args),
    flagLastUses: new FlagLastUses(withFlags),
    demo: newDemoData(withFlags),
  };
}

const storeDeps = ({ backend, leaderTasks, config, clock }: BaseDeps) => ({
  metadata: backend.metadata,
  ingest: backend.ingest,
  ingestion: backend.ingestion,
  tail: backend.liveEvents,
  findPending: backend.findPending,
  /** True when everything accepted so far has been processed, false when that takes too long. */
  whenProcessed: (): Promise<boolean> => resolvesWithin(MAX_PROCESSING_WAIT_MS, backend.ingestion.whenProcessed()),
  /** How long the oldest event that waits to be processed has waited. */
  lagMs: async (): Promise<number> => (await backend.counts()).lagMs,
  freeDiskShare: (): Promise<number> => freeDiskShare(config.dataDir),
  /** Every stored event that was received before then can be queried. On one machine that is every one. */
  async queryableBefore(): Promise<number> {
    if (config.databaseUrl === null) return Number.POSITIVE_INFINITY;
    const { lagMs } = await backend.counts();
    return lagMs === 0 ? Number.POSITIVE_INFINITY : clock.now() - lagMs;
  },
  /** Everything that was accepted before then is stored and can be queried. */
  async processedBefore(): Promise<number> {
    const { lagMs } = await backend.counts();
    return lagMs === 0 ? Number.POSITIVE_INFINITY : clock.now() - lagMs;
  },
  /** Nodes of a cluster are expected to agree about the time this well. */
  clockSkewMs: config.databaseUrl === null ? 0 : MAX_CLOCK_SKEW_MS,
  exportFolder: join(config.dataDir, DATA_FILES.exports),
  purgeLog: () => backend.purgeLog(),
  purgeStores: async (): Promise<void> => backend.worker().purge(),
  removeLeftovers: async (): Promise<number> => (await backend.snapshots?.removeLeftovers()) ?? 0,
  scanFiles: (texts: readonly string[]): Promise<FileScan> => backend.scanFiles(texts),
  /** Woken when a cohort waits to be calculated. */
  calculations: { wake: () => backend.wakeLeader() },
  erasure: {
    begin(deletionId: string, searchTexts: readonly string[]) {
      const erasure = leaderTasks.get(Erasure);
      if (erasure) erasure.begin(deletionId, searchTexts);
      else backend.wakeLeader();
    },
  },
});

const MAX_CLOCK_SKEW_MS = 30_000;

/** Null: it is not wanted. */
function postgresPort(deps: PostgresPortDeps & { config: Config }): PostgresPort | null {
  const { host, role, sqlPort: port, sqlTlsCert: cert, sqlTlsKey: key } = deps.config;
  if (port === null || role === 'worker') return null;
  return new PostgresPort(deps, { host, port, tls: cert === null || key === null ? null : { cert, key } });
}

function sqlDeps({ config, clock, ids, log, backend, results }: BaseDeps) {
  const { sqlTimeoutSeconds: timeoutSeconds, sqlMemoryMb: memoryMb, sqlStaleSeconds: staleSeconds } = config;
  removeAbandonedFolders().catch((err: unknown) => log.warn({ err }, 'temporary folders of killed servers are left'));
  const sqlRunner = new SqlRunner({ programs: builtFile('./'), timeoutSeconds, memoryMb });
  const running = { runner: sqlRunner, slots: new StatementSlots(), clock, ids, timeoutSeconds };
  const mirrorPersons = async (projectId: number): Promise<void> => backend.worker().mirrorPersons(projectId);
  const engineOf = (source: NonNullable<Backend['sql']>): StatementEngine =>
    'copy' in source
      ? copyEngine({ ...running, ...source })
      : clickhouseEngine({ ...running, ...source, mirrorPersons });
  const sql = new SqlQueries({
    clock,
    engine: backend.sql === null ? null : engineOf(backend.sql),
    staleSeconds,
    limits: { seconds: timeoutSeconds, memoryMb },
    isUnlimited: config.apiRequestsPerMinute === null,
    record: statementRecorder({ metadata: backend.metadata, clock, ids, log }),
  });
  return {
    sqlRunner,
    sql,
    statements: new SavedStatements({ sql, results, clock }),
    runningQueries: new RunningQueries(clock),
  };
}

/** The latest time that both event stores can hold. */
const END_OF_TIME = Date.UTC(9999, 11, 31);

/** Events are read and changed on the worker thread. `worker()` throws while there is none, hence the `async`. */
function eventDeps({ backend: { worker, dialect, metadata, reassigner }, results, clock, config }: BaseDeps) {
  const query: EventStore['query'] = async (...args) => worker().query(...args);
  const answerQuestion: WorkerMethods['answerQuestion'] = async (projectId, question, page, signal) =>
    worker().answerQuestion(projectId, question, page, ...(signal ? [signal] : []));
  const answerWeb: WorkerMethods['answerWeb'] = async (kind, projectId, question, signal) =>
    worker().answerWeb(kind, projectId, question, ...(signal ? [signal] : []));
  const events = { query };
  const mirrorPersons = async (projectId: number): Promise<void> => worker().mirrorPersons(projectId);
  const eventQueries = { metadata, events, dialect, clock, mirrorPersons };
  const measure: RollbackDeps['measure'] = (projectId, metric, from, to) =>
    countEvents(eventQueries, { projectId, ...metric, from, to });
  return {
    events,
    dialect,
    /** Brings the event store's copy of persons up to date, before they are queried. */
    mirrorPersons,
    answerQuestion,
    /** For alerts, shared pages and digests. */
    questions: answerSavedQuestions({ metadata, clock, events, dialect, results, config, answerQuestion }),
    answerWeb,
    webOverviews: answerWebOverviews({ metadata, clock, events, dialect, results, config, answerWeb }),
    experiments: {
      measureExperiment: async (...args: Parameters<WorkerMethods['measureExperiment']>) =>
        worker().measureExperiment(...args),
      measureExperimentCourse: async (...args: Parameters<WorkerMethods['measureExperimentCourse']>) =>
        worker().measureExperimentCourse(...args),
      countExposuresBy: async (...args: Parameters<WorkerMethods['countExposuresBy']>) =>
        worker().countExposuresBy(...args),
      countUnusualExposures: async (...args: Parameters<WorkerMethods['countUnusualExposures']>) =>
        worker().countUnusualExposures(...args),
      countRecentEvents: async (...args: Parameters<WorkerMethods['countRecentEvents']>) =>
        worker().countRecentEvents(...args),
      listExposed: async (...args: Parameters<WorkerMethods['listExposed']>) => worker().listExposed(...args),
    },
    eventQueries,
    listExportedRuns: (projectId: number, personUuid: string) => findExportedRuns(eventQueries, projectId, personUuid),
    writeParquet: async (...args: Parameters<WorkerMethods['writeParquet']>) => worker().writeParquet(...args),
    countEvents: measure,
    calculateCohort: async (projectId: number, cohortId: number): Promise<void> =>
      worker().calculateCohort(projectId, cohortId),
    listEventDefinitions: async (...args: Parameters<WorkerMethods['listEventDefinitions']>) =>
      worker().listEventDefinitions(...args),
    listPropertyDefinitions: async (...args: Parameters<WorkerMethods['listPropertyDefinitions']>) =>
      worker().listPropertyDefinitions(...args),
    reassigner: invalidatingReassigner(results, reassigner),
    async removeEvents(projectId: number): Promise<void> {
      await worker().deleteBefore(projectId, END_OF_TIME);
      await worker().deleteMirror(projectId);
      results.invalidate(projectId);
    },
    async addPlaces(...asked: Parameters<WorkerMethods['addPlaces']>): Promise<number> {
      const events = await worker().addPlaces(...asked);
      if (events > 0) results.invalidate(asked[0]);
      return events;
    },
    async removeEventsBefore(projectId: number, time: number): Promise<number> {
      const removed = await worker().deleteBefore(projectId, time);
      if (removed > 0) results.invalidate(projectId);
      return removed;
    },
  };
}

const invalidatingReassigner = (results: ResultCache, reassigner: EventReassigner): EventReassigner => ({
  progress: () => reassigner.progress(),
  async reassign() {
    await reassigner.reassign();
    results.invalidateAll();
  },
});

function flagDeps({ backend: { metadata, writes }, config, clock, ids, log }: BaseDeps) {
  const flagSnapshots = new FlagSnapshots(metadata);
  const decide: DecideDeps = {
    metadata,
    flagSnapshots,
    writes,
    recentDecisions: new RecentDecisions(),
    continuity: new Continuity(metadata),
    clock,
    onReadError: (err) => log.error({ err }, 'could not read a person or group; flags were evaluated without it'),
  };
  const etagOf = (snapshot: FlagSnapshot): string => `W/"${serializeLocalDefinitions(snapshot, false).tag}"`;
  const source = new DefinitionVersions({ metadata, flagSnapshots, etagOf, clock });
  return {
    flagSnapshots,
    decide,
    flagUsage: new FlagUsage({ metadata, clock, ids, log }),
    flagStreams: new FlagStreams({ source, flagSnapshots, clock, log, config }),
    channelTokens: new ChannelTokens({ clock, secret: new SigningSecret({ metadata, ids }, 'stream_secret') }),
  };
}

/** What changes of flags become when they are approved. */
function approvalDeps(deps: FlagDeps & BlastRadiusDeps) {
  const changeMakers = { create: flagCreator(deps), update: flagUpdater(deps), schedule: scheduleMaker(deps) };
  const measureFlagChange = (projectId: number, { before, after }: ChangePreview) =>
    measureChange(deps, projectId, before, after);
  return { changeMakers, measureFlagChange };
}

/** Nodes of a cluster share no folder, so a file would give each of them another key. */
function secretKeyOf({ secretKey, databaseUrl, dataDir }: Config): () => SecretKey | null {
  let known: SecretKey | null = secretKey === null ? null : new SecretKey(secretKey);
  if (databaseUrl !== null) return () => known;
  return () => {
    known ??= secretKeyFile(join(dataDir, DATA_FILES.secretKey));
    return known;
  };
}

function accountDeps({ backend: { metadata }, config, clock, ids, log }: BaseDeps) {
  const signInGuard = new SignInGuard({ metadata, clock, ids });
  const cookies = new SignedCookies({ metadata, clock, ids });
  const secretKey = secretKeyOf(config);
  const factors = new Factors({ metadata, clock, ids, secretKey });
  const passkeys = new Passkeys({ metadata, clock, ids, cookies, factors });
  const settings = oidcSettings(config);
  const domains = new SsoDomains({ metadata, settings });
  const mailer = new Mailer({ url: config.smtpUrl, from: config.smtpFrom, log });
  const base = { metadata, clock, ids, log, factors, cookies, domains, guard: signInGuard };
  const sessions = new Sessions({ ...base, sessionDays: config.sessionDays, passkeys, mailer });
  const keys = new KeyGuard(clock);
  const keyUse = new KeyUse({
    store: metadata.personalKeys,
    clock,
    log,
    networks: new KeyNetworks({ metadata, clock, ids }),
    maxIdleDays: settings && config.oidcKeysMaxIdleDays,
    isEnforced: (email) => domains.isEnforced(email),
  });
  return {
    directory: new ProjectDirectory({ metadata, clock, keys, keyUse }),
    eventRate: new EventRate(config.eventsPerSecond, clock),
    factors,
    /** Null in a cluster without SECRET_KEY. */
    secretKey,
    cookies,
    passkeys,
    domains,
    lookUpTxt: txtLookUp(config.dnsServer),
    sso:
      settings && new SingleSignOn({ ...base, settings, sessions, provider: new Provider({ settings, clock, log }) }),
    sessions,
    signInGuard,
    mailer,
    keys,
    keyRate: new KeyRate(config.apiRequestsPerMinute, clock),
    keyUse,
  };
}

const insightDeps = ({ backend: { metadata }, clock, log }: BaseDeps) => ({
  usage: new QueryUsage({ store: metadata.queryUsage, clock, logger: log }),
});

type DemoDeps = BaseDeps & ReturnType<typeof storeDeps> & ReturnType<typeof flagDeps> & ReturnType<typeof eventDeps>;

const newDemoData = (deps: DemoDeps) => {
  const { config, metadata, clock, ids, log, flagSnapshots, calculations, ingestion, whenProcessed } = deps;
  return new DemoData({
    config,
    metadata,
    clock,
    ids,
    flagSnapshots,
    calculations,
    // History, so it is not shown as live.
    accept: (projectId, events) =>
      acceptEvents({ ingestion, ids }, { projectId, receivedAt: clock.now(), events, context: { historical: true } }),
    whenProcessed,
    deletePersons: (...args) => deletePersons(deps, ...args),
    log,
  });
};
