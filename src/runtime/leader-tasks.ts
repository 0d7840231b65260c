/**
 * What happens by itself, and must not happen twice: old data goes, deletions are finished, webhooks are told, cohorts
 * are calculated, flags switch themselves off. One process of the whole does them at a time (`StoreSet.takeCharge`).
 */
import type { Config } from '../config.ts';
import { CohortCalculations } from '../features/cohorts/cohort-calculations.ts';
import { measureEvents } from '../features/events/count-events.ts';
import type { Definitions } from '../features/flags/decide/definitions.ts';
import { Rollbacks } from '../features/flags/manage/rollbacks.ts';
import type { ResultCache } from '../features/insights/result-cache.ts';
import { Erasure } from '../features/persons/delete/erasure.ts';
import { WebhookSender } from '../features/webhooks/webhook-sender.ts';
import type { Clock } from '../lib/clock.ts';
import type { Ids } from '../lib/ids.ts';
import type { Logger } from '../lib/log.ts';
import { startHousekeeping } from '../operate/data-retention.ts';
import type { EventStore } from '../stores/events/event-store.ts';
import type { Charge, StoreSet } from './backend.ts';

export interface ChoreDeps {
  set: StoreSet;
  config: Config;
  clock: Clock;
  ids: Ids;
  log: Logger;
  definitions: Definitions;
  results: ResultCache;
  /** All events of a project, and the copies of its persons. */
  removeEvents(projectId: number): Promise<void>;
}

interface Running {
  erasure: Erasure;
  calculations: CohortCalculations;
  rollbacks: Rollbacks;
  wake(): void;
  stop(): Promise<void>;
}

export class Chores implements Charge {
  readonly #deps: ChoreDeps;
  #running: Running | null = null;

  constructor(deps: ChoreDeps) {
    this.#deps = deps;
  }

  start(): void {
    this.#running ??= startChores(this.#deps);
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
  beginErasure(deletionId: string, telltales: readonly string[]): void {
    if (this.#running) this.#running.erasure.begin(deletionId, telltales);
    else this.#deps.set.tellCharge();
  }

  /** For tests: what the schedule would do, now. Undefined where another process has the chores. */
  get underWay(): Pick<Running, 'calculations' | 'rollbacks'> | null {
    return this.#running;
  }
}

function startChores(deps: ChoreDeps): Running {
  const { set, clock, log } = deps;
  const webhooks = new WebhookSender({
    metadata: set.metadata,
    clock,
    logger: log,
    publicUrl: deps.config.publicUrl,
    isInsideAllowed: deps.config.webhookAllowPrivate,
  });
  webhooks.start();
  const erasure = newErasure(deps);
  erasure.start();
  const calculations = newCalculations(deps);
  const rollbacks = newRollbacks(deps);
  const rounds = [rollbacks.start(), housekeeping(deps)];
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

const newErasure = ({ set, config, clock, log }: ChoreDeps): Erasure =>
  new Erasure({
    deletions: set.metadata.deletions,
    refile: () => set.filing.refile(),
    scrubLog: () => set.scrubLog(),
    scrubStores: async () => set.worker().scrub(),
    query: async (sql, values) => set.worker().query(sql, values),
    scanFiles: (texts) => set.scanFiles(texts),
    gatherMs: config.eraseAfterSeconds * 1000,
    clock,
    logger: log,
  });

/** On the worker's thread: going through all persons must not be in the way of requests. */
const newCalculations = ({ set, clock, log, results }: ChoreDeps): CohortCalculations =>
  new CohortCalculations({
    metadata: set.metadata,
    clock,
    logger: log,
    calculate: async (projectId, cohortId) => {
      await set.worker().calculateCohort(projectId, cohortId);
      results.touch(projectId);
    },
  });

const housekeeping = ({ set, config, clock, log, results, removeEvents }: ChoreDeps) =>
  startHousekeeping({
    metadata: set.metadata,
    ingest: set.ingest,
    removeEventsBefore: async (projectId, time) => {
      const removed = await set.worker().deleteBefore(projectId, time);
      if (removed > 0) results.touch(projectId);
      return removed;
    },
    removeEvents,
    eventsRetentionDays: config.eventsRetentionDays,
    clock,
    logger: log,
  });

function newRollbacks({ set, clock, ids, log, definitions }: ChoreDeps): Rollbacks {
  const { metadata, dialect } = set;
  const events: Pick<EventStore, 'query'> = { query: async (...question) => set.worker().query(...question) };
  const mirrorPersons = async (projectId: number): Promise<void> => set.worker().mirrorPersons(projectId);
  const asking = { metadata, events, dialect, persons: metadata.eventPersons, clock, mirrorPersons };
  return new Rollbacks({
    metadata,
    clock,
    ids,
    definitions,
    measure: (projectId, metric, from, to) => measureEvents(asking, { projectId, ...metric, from, to }),
    logger: log,
  });
}
