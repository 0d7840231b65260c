/**
 * What happens by itself, and must not happen twice: old data goes, deletions are finished, webhooks are told, cohorts
 * are calculated, flags switch themselves off. One process of the whole does them at a time (`Backend.runWhileLeader`).
 */
import type { Config } from '../config.ts';
import { CohortCalculations } from '../features/cohorts/cohort-calculations.ts';
import { countEvents } from '../features/events/count-events.ts';
import type { FlagSnapshots } from '../features/flags/decide/flag-snapshots.ts';
import { Rollbacks } from '../features/flags/manage/rollbacks.ts';
import type { ResultCache } from '../features/insights/result-cache.ts';
import { Erasure } from '../features/persons/delete/erasure.ts';
import { WebhookSender } from '../features/webhooks/webhook-sender.ts';
import type { Clock } from '../lib/clock.ts';
import type { Ids } from '../lib/ids.ts';
import type { Logger } from '../lib/log.ts';
import { startDataRetention } from '../operate/data-retention.ts';
import type { EventStore } from '../stores/events/event-store.ts';
import type { Backend, LeaderTask } from './backend.ts';

interface LeaderTaskDeps {
  backend: Backend;
  config: Config;
  clock: Clock;
  ids: Ids;
  log: Logger;
  flagSnapshots: FlagSnapshots;
  results: ResultCache;
  /** All events of a project, and the copies of its persons. */
  removeEvents(projectId: number): Promise<void>;
}

interface RunningTasks {
  erasure: Erasure;
  calculations: CohortCalculations;
  rollbacks: Rollbacks;
  wake(): void;
  stop(): Promise<void>;
}

export class LeaderTasks implements LeaderTask {
  readonly #deps: LeaderTaskDeps;
  #running: RunningTasks | null = null;

  constructor(deps: LeaderTaskDeps) {
    this.#deps = deps;
  }

  start(): void {
    this.#running ??= startTasks(this.#deps);
  }

  wake(): void {
    this.#running?.wake();
  }

  async stop(): Promise<void> {
    const running = this.#running;
    this.#running = null;
    await running?.stop();
  }

  /** A deletion was written down; `telltales` may be looked for in the files of this machine. */
  startErasure(deletionId: string, telltales: readonly string[]): void {
    if (this.#running) this.#running.erasure.begin(deletionId, telltales);
    else this.#deps.backend.wakeLeader();
  }

  /** For tests: what the schedule would do, now. Undefined where another process has the chores. */
  get running(): Pick<RunningTasks, 'calculations' | 'rollbacks'> | null {
    return this.#running;
  }
}

function startTasks(deps: LeaderTaskDeps): RunningTasks {
  const { backend, clock, log } = deps;
  const webhooks = new WebhookSender({
    metadata: backend.metadata,
    clock,
    logger: log,
    publicUrl: deps.config.publicUrl,
    isPrivateAllowed: deps.config.webhookAllowPrivate,
  });
  webhooks.start();
  const erasure = newErasure(deps);
  erasure.start();
  const calculations = newCalculations(deps);
  const rollbacks = newRollbacks(deps);
  const rounds = [rollbacks.start(), startRetention(deps)];
  return {
    erasure,
    calculations,
    rollbacks,
    wake() {
      webhooks.wake();
      erasure.wake();
      calculations.wake();
    },
    async stop() {
      await Promise.all([...rounds, calculations, erasure, webhooks].map((one) => one.stop()));
    },
  };
}

const newErasure = ({ backend, config, clock, log }: LeaderTaskDeps): Erasure =>
  new Erasure({
    deletions: backend.metadata.deletions,
    reassign: () => backend.reassigner.reassign(),
    purgeLog: () => backend.purgeLog(),
    purgeStores: async () => backend.worker().purge(),
    query: async (sql, values) => backend.worker().query(sql, values),
    scanFiles: (texts) => backend.scanFiles(texts),
    batchDelayMs: config.eraseAfterSeconds * 1000,
    clock,
    logger: log,
  });

/** On the worker's thread: going through all persons must not be in the way of requests. */
const newCalculations = ({ backend, clock, log, results }: LeaderTaskDeps): CohortCalculations =>
  new CohortCalculations({
    metadata: backend.metadata,
    clock,
    logger: log,
    calculate: async (projectId, cohortId) => {
      await backend.worker().calculateCohort(projectId, cohortId);
      results.invalidate(projectId);
    },
  });

const startRetention = ({ backend, config, clock, log, results, removeEvents }: LeaderTaskDeps) =>
  startDataRetention({
    metadata: backend.metadata,
    ingest: backend.ingest,
    removeEventsBefore: async (projectId, time) => {
      const removed = await backend.worker().deleteBefore(projectId, time);
      if (removed > 0) results.invalidate(projectId);
      return removed;
    },
    removeEvents,
    eventsRetentionDays: config.eventsRetentionDays,
    clock,
    logger: log,
  });

function newRollbacks({ backend, clock, ids, log, flagSnapshots }: LeaderTaskDeps): Rollbacks {
  const { metadata, dialect } = backend;
  const events: Pick<EventStore, 'query'> = { query: async (...question) => backend.worker().query(...question) };
  const mirrorPersons = async (projectId: number): Promise<void> => backend.worker().mirrorPersons(projectId);
  const asking = { metadata, events, dialect, persons: metadata.eventPersons, clock, mirrorPersons };
  return new Rollbacks({
    metadata,
    clock,
    ids,
    flagSnapshots,
    measure: (projectId, metric, from, to) => countEvents(asking, { projectId, ...metric, from, to }),
    logger: log,
  });
}
