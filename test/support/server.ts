/**
 * The real server on a free port, in this process, on a clock that stands still. Whole-system tests use this, and
 * nothing else starts servers in process.
 */
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inject } from 'vitest';
import { type Config, defaultConfig } from '../../src/config.ts';
import { newPersonalKey, storedValue } from '../../src/features/accounts/personal-keys.ts';
import { newProject } from '../../src/features/accounts/projects.ts';
import { freezeClock, makeClockMemory } from '../../src/lib/clock.ts';
import { randomIds } from '../../src/lib/ids.ts';
import { type Logger, openLog } from '../../src/lib/log.ts';
import { openApp } from '../../src/runtime/app.ts';
import type { ClusterDescription } from '../../src/runtime/backend.ts';
import { type AppFeature, FEATURES } from '../../src/runtime/features.ts';
import type { SqlRow, SqlValue } from '../../src/stores/events/event-store.ts';
import { type MembershipLevel, OWNER } from '../../src/stores/metadata/accounts.ts';
import type { Cohort } from '../../src/stores/metadata/cohorts.ts';
import type { FeatureFlag } from '../../src/stores/metadata/flags.ts';
import type { MetadataStore } from '../../src/stores/metadata/metadata-store.ts';
import { aCohort, aFlag } from '../contract/flag-builders.ts';
import type { ClusterStores } from './cluster-stores.ts';
import { type AnyRow, openPostgresAccess, openSqliteAccess } from './database-access.ts';

/** The cluster ones need a group of tests that starts PostgreSQL. `postgres`: a cluster whose ClickHouse is unavailable. */
type Stores = 'embedded' | 'large' | 'postgres';
const DEFAULT_STORES = (process.env['STORES'] ?? 'embedded') as Stores;
/** The event store is unavailable: for `it.skipIf`. */
export const isWithoutEvents = DEFAULT_STORES === 'postgres';
/** All data is in one folder, which another server can open, and in one log, which keeps the order of a request. */
export const isEmbedded = DEFAULT_STORES === 'embedded';

interface StartOptions {
  /** Which backend; the default is `STORES`, or embedded. */
  stores?: Stores;
  /** The stores of a cluster, to share with other nodes; by default stores of its own. */
  setup?: ClusterStores;
  /** The time at the start. */
  now?: string;
  /** A data folder that is kept afterwards; by default a temporary one. */
  dataDir?: string;
  config?: Partial<Config>;
  /** Default: all. */
  features?: readonly AppFeature[];
  /** Default: no log. */
  log?: Logger;
}

export interface TestProject {
  projectId: number;
  projectKey: string;
  personalKey: string;
  organizationId: string;
}

interface ProjectOptions {
  name?: string;
  /** True: in another organization, with another user. */
  foreign?: boolean;
  /** The level of that user. */
  level?: MembershipLevel;
  /** The project's key; another project that has it gets a new one. */
  token?: string;
}

export interface TestServer extends TestProject {
  url: string;
  dataDir: string;
  /** Null if an admin was configured, or if this was not the first start. */
  setupToken: string | null;
  setNow(iso: string): void;
  /** Waits until everything accepted is visible to queries. */
  drain(): Promise<void>;
  /** Waits until all pending cohorts are calculated. */
  settleCohorts(): Promise<void>;
  /** Calculates the cohorts that are due, and waits for it. */
  recalculateCohorts(): Promise<void>;
  createProject(options?: ProjectOptions): Promise<TestProject>;
  /** Writes a flag to the store directly; the next request sees it. */
  addFlag(flag: Partial<FeatureFlag> & { key: string }): Promise<FeatureFlag>;
  addCohort(cohort: Partial<Cohort>): Promise<Cohort>;
  /** Changes the metadata database directly, and invalidates the server's caches. */
  tamper(sql: string, ...values: unknown[]): Promise<void>;
  /** Checks the rollback conditions of flags now. */
  checkRollbacks(): Promise<void>;
  checkGuardrails(): Promise<void>;
  followExperimentSchedule(): Promise<void>;
  /** Writes the usage counts of queries. */
  flushUsage(): Promise<void>;
  /** Copies changed persons to the event store. */
  mirrorPersons(): Promise<void>;
  /** Queries the event store. */
  query(sql: string, values?: readonly SqlValue[]): Promise<SqlRow[]>;
  /** Queries the metadata database directly. */
  rows(sql: string, ...values: unknown[]): Promise<AnyRow[]>;
  /** The metadata store, for what no route can do. */
  metadata: MetadataStore;
  /** For clients of PostgreSQL, with the setting `sqlPort`. */
  sqlPort: number;
  /** Every route of the server, in the document or not. */
  routes(): { method: string; url: string }[];
  /** What `/_status` says about ingestion. */
  counters(): Promise<Counters>;
  close(): Promise<void>;
}

export interface Counters {
  accepted: number;
  stored: number;
  duplicate: number;
  dropped: Record<string, number>;
  dead_lettered: number;
  pending: number;
  labelled: { bots: number; own: number };
  lag_ms: number;
}

/** Fixed keys, so that they are known after a restart on the same folder. */
const KNOWN_KEYS = { initProjectApiKey: 'phc_test_project_key', initPersonalApiKey: 'phx_test_personal_key' };

export const START = '2026-01-15T12:00:00.000Z';

/** Imported lazily: only cluster tests need it. */
async function makeSetup(stores: 'large' | 'postgres'): Promise<ClusterStores> {
  const { makeClusterStores, makeStoresWithoutClickHouse } = await import('./cluster-stores.ts');
  return stores === 'large' ? makeClusterStores() : makeStoresWithoutClickHouse();
}

/** The migrations of all features have run in it, which would be a fifth of the start. */
function makeDataFolder(isMigrated: boolean): string {
  const folder = mkdtempSync(join(tmpdir(), 'cairn-test-'));
  if (isMigrated) cpSync(inject('migratedFolder'), folder, { recursive: true });
  return folder;
}

export async function startServer(options: StartOptions = {}): Promise<TestServer> {
  const clockMemory = makeClockMemory();
  const setNow = (iso: string): void => freezeClock(clockMemory, Date.parse(iso));
  setNow(options.now ?? START);
  const stores = options.stores ?? DEFAULT_STORES;
  const isUsual = stores === 'embedded' && options.features === undefined;
  const dataDir = options.dataDir ?? makeDataFolder(isUsual);
  const ownSetup = stores === 'embedded' || options.setup ? null : await makeSetup(stores);
  const setup = options.setup ?? ownSetup;
  // Nothing is asked of the world's DNS. The clock stands still, so a minute of requests would never be over.
  const own = { port: 0, dataDir, dnsServer: '127.0.0.1:9', apiRequestsPerMinute: null };
  const config = { ...defaultConfig(), ...KNOWN_KEYS, ...own, ...setup?.config, ...options.config };
  const { log = openLog('silent'), features = FEATURES } = options;
  const app = await openApp({ config, log, clockMemory, features });
  const url = await app.listen();
  const clock = { now: () => Date.parse(options.now ?? START) };
  const [first] = await app.metadata.projects.listAll();
  if (!first) throw new Error('The first start made no project');

  const createProject = async ({
    name = 'Another project',
    foreign = false,
    level = OWNER,
    token,
  }: ProjectOptions = {}) => {
    const ids = randomIds;
    const holder = token === undefined ? null : await app.metadata.projects.getByApiToken(token);
    if (holder) await app.metadata.projects.update(holder.id, { apiToken: ids.token('phc_') });
    app.directory.invalidate();
    const personalKey = foreign ? ids.token('phx_') : KNOWN_KEYS.initPersonalApiKey;
    const now = clock.now();
    return app.metadata.transaction(async (store) => {
      let { organizationId } = first;
      if (foreign) {
        organizationId = ids.uuid();
        const slug = organizationId;
        await store.organizations.create({
          id: organizationId,
          name: 'Strangers',
          slug,
          requiresFactor: false,
          allowsSharing: true,
          createdAt: now,
          updatedAt: now,
        });
        const user = await store.users.create({
          uuid: ids.uuid(),
          distinctId: ids.uuid(),
          email: `${ids.uuid()}@example.org`,
          firstName: 'Stranger',
          passwordHash: null,
          isActive: true,
          currentOrganizationId: organizationId,
          currentProjectId: null,
          joinedAt: now,
          lastSignedInAt: null,
          isBreakGlass: false,
        });
        await store.memberships.create({
          id: ids.uuid(),
          organizationId,
          userId: user.id,
          level,
          ownLevel: level,
          joinedAt: now,
          updatedAt: now,
        });
        const key = newPersonalKey({ clock, ids }, user, { label: 'test' });
        await store.personalKeys.create({ ...key, ...storedValue(personalKey) });
      }
      const project = await store.projects.create(
        newProject({ clock, ids }, organizationId, name, token ?? ids.token('phc_')),
      );
      return { projectId: project.id, projectKey: project.apiToken, personalKey, organizationId };
    });
  };

  const { databaseUrl } = config;
  const behind = databaseUrl === null ? openSqliteAccess(dataDir) : await openPostgresAccess(databaseUrl);
  return {
    url,
    dataDir,
    setupToken: app.firstStart?.setupToken ?? null,
    projectId: first.id,
    projectKey: first.apiToken,
    organizationId: first.organizationId,
    personalKey: KNOWN_KEYS.initPersonalApiKey,
    setNow,
    drain: stores === 'postgres' ? () => processed(url) : () => app.drain(),
    settleCohorts: () => app.calculations.whenIdle(),
    recalculateCohorts: async () => {
      await app.calculations.startRound();
      await app.calculations.whenIdle();
    },
    createProject,
    addFlag: async (flag) => {
      const added = await app.metadata.flags.create(aFlag(first.id, flag));
      app.flagSnapshots.invalidateAll();
      return added;
    },
    addCohort: async (cohort) => {
      const added = await app.metadata.cohorts.create(aCohort(first.id, cohort));
      app.flagSnapshots.invalidateAll();
      return added;
    },
    async tamper(sql, ...values) {
      await behind.write(sql, values);
      app.flagSnapshots.invalidateAll();
    },
    checkRollbacks: () => app.checkRollbacks(),
    checkGuardrails: () => app.checkGuardrails(),
    followExperimentSchedule: () => app.followExperimentSchedule(),
    flushUsage: () => app.usage.flush(),
    mirrorPersons: () => app.mirrorPersons(first.id),
    query: (sql, values = []) => app.events.query(sql, values),
    metadata: app.metadata,
    sqlPort: app.sqlPort(),
    routes: () => app.routes(),
    rows: (sql, ...values) => behind.read(sql, values),
    counters: async () => {
      const status = (await (await fetch(new URL('/_status', url))).json()) as { ingest: Counters };
      return status.ingest;
    },
    close: async () => {
      await behind.close();
      await app.close();
      await ownSetup?.remove();
      if (options.dataDir === undefined) rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

/** Events of a cluster that are not processed yet. */
export async function pendingAt(url: string): Promise<number> {
  const { cluster } = (await (await fetch(new URL('/_status', url))).json()) as { cluster: ClusterDescription };
  return cluster.partitions.reduce((sum, { waiting }) => sum + waiting, 0);
}

async function processed(url: string): Promise<void> {
  while ((await pendingAt(url)) > 0) await new Promise((resolve) => setTimeout(resolve, 5));
}
