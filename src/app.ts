/**
 * The one place where things are built and joined, by hand. `main.ts` starts what this builds; the tests start the same.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import type { Config } from './config.ts';
import { buildServer } from './http/server.ts';
import { type ClockMemory, clockOn, makeClockMemory } from './lib/clock.ts';
import { type Ids, randomIds } from './lib/ids.ts';
import type { Logger } from './lib/log.ts';
import { openMetrics } from './lib/metrics.ts';
import { bootstrap, type FirstStart } from './manage/bootstrap.ts';
import { Sessions } from './manage/sessions.ts';
import type { MetadataStore } from './stores/metadata-store.ts';
import { lockFolder } from './stores/sqlite/folder-lock.ts';
import { openMetadataStore } from './stores/sqlite/metadata-store.ts';
import { VERSION } from './version.ts';

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
}

export async function openApp(options: AppOptions): Promise<App> {
  const { config, log, ids = randomIds } = options;
  const clock = clockOn(options.clockMemory ?? makeClockMemory());
  mkdirSync(config.dataDir, { recursive: true });
  const lock = lockFolder(config.dataDir);
  const opened: (() => Promise<void> | void)[] = [() => lock.release()];
  const closeAll = async (): Promise<void> => {
    for (const close of opened.reverse()) await close();
  };
  try {
    const metadata = await openMetadataStore(join(config.dataDir, 'metadata.sqlite'), clock.now());
    opened.push(() => metadata.close());
    const firstStart = await bootstrap({ metadata, clock, ids }, initialKeys(config));
    const startedAt = clock.now();
    let stopping = false;
    const server: FastifyInstance = await buildServer(
      {
        config,
        log,
        metadata,
        clock,
        ids,
        metrics: openMetrics(),
        sessions: new Sessions({ metadata, clock, ids, sessionDays: config.sessionDays }),
        removeEvents: async () => {},
        checkStores: () => metadata.check(),
        status: async () => ({ version: VERSION, uptime_seconds: Math.round((clock.now() - startedAt) / 1000) }),
        isStopping: () => stopping,
      },
      config,
    );
    opened.push(() => server.close());
    return {
      listen: () => server.listen({ host: config.host, port: config.port }),
      drain: async () => {},
      close: async () => {
        stopping = true;
        await closeAll();
      },
      firstStart,
      metadata,
    };
  } catch (error) {
    await closeAll();
    throw error;
  }
}

const initialKeys = (config: Config) => ({
  projectKey: config.initProjectApiKey,
  personalKey: config.initPersonalApiKey,
  admin:
    config.initAdminEmail !== null && config.initAdminPassword !== null
      ? { email: config.initAdminEmail, password: config.initAdminPassword }
      : null,
});
