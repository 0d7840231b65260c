/**
 * Calculates cohorts in the background, one at a time. Which ones are waiting is stored in the cohorts themselves, so none
 * is lost in a crash.
 */
import { cohortReferences } from '../../core/cohorts/cohort-criteria.ts';
import { inDependencyOrder } from '../../core/cohorts/references.ts';
import { Failure } from '../../core/errors.ts';
import { MINUTE_MS } from '../../core/time/units.ts';
import type { Clock } from '../../lib/clock.ts';
import type { LeaderTask } from '../../lib/leader-task.ts';
import type { Logger } from '../../lib/log.ts';
import { type Loop, startLoop } from '../../lib/loop.ts';
import { type Schedule, startSchedule } from '../../lib/schedule.ts';
import type { Cohort } from '../../stores/metadata/cohorts.ts';
import type { MetadataStore } from '../../stores/metadata/metadata-store.ts';

interface CalculationDeps {
  metadata: MetadataStore;
  clock: Clock;
  logger: Logger;
  /** Runs `calculateCohort`, on the worker thread. */
  calculate(projectId: number, cohortId: number): Promise<void>;
}

const STALE_AFTER_MS = 15 * MINUTE_MS;
const ROUND_INTERVAL_MS = 2 * MINUTE_MS;
const MAX_COHORTS_PER_ROUND = 5;
/** After more failures in a row than this, only a change of the cohort starts a calculation. */
const MAX_ERRORS = 20;

export class CohortCalculations implements LeaderTask {
  readonly #deps: CalculationDeps;
  #loop: Loop | null = null;
  #rounds: Schedule | null = null;
  #watchers: (() => void)[] = [];

  constructor(deps: CalculationDeps) {
    this.#deps = deps;
  }

  start(): void {
    const { clock, logger } = this.#deps;
    this.#loop ??= startLoop({
      step: () => this.#step(),
      onError: (err, pauseMs) => logger.warn({ err, pauseMs }, 'cohorts wait: a store is not available'),
    });
    this.#rounds ??= startSchedule({
      clock,
      initialDelayMs: ROUND_INTERVAL_MS,
      intervalMs: ROUND_INTERVAL_MS,
      run: () => this.startRound(),
      onError: (err) => logger.error({ err }, 'outdated cohorts could not be listed; retrying in two minutes'),
    });
  }

  /** To be called after a cohort was marked as waiting. */
  wake(): void {
    this.#loop?.wake();
  }

  /** Marks the cohorts that were calculated longest ago as waiting. */
  async startRound(): Promise<void> {
    const { metadata, clock } = this.#deps;
    await metadata.transaction(async ({ cohorts }) => {
      for (const cohort of await cohorts.listDue(clock.now() - STALE_AFTER_MS, MAX_ERRORS, MAX_COHORTS_PER_ROUND)) {
        await cohorts.update({ ...cohort, isCalculating: true });
      }
    });
    this.wake();
  }

  /** Resolves when no cohort is waiting. */
  async whenIdle(): Promise<void> {
    while ((await this.#deps.metadata.cohorts.listPending()).length > 0) {
      const stepped = new Promise<void>((resolve) => this.#watchers.push(resolve));
      this.wake();
      await stepped;
    }
  }

  async stop(): Promise<void> {
    await this.#rounds?.stop();
    await this.#loop?.stop();
    this.#notifyWatchers();
  }

  async #step(): Promise<boolean> {
    const next = firstOf(await this.#deps.metadata.cohorts.listPending());
    try {
      if (next !== undefined) await this.#calculate(next);
      return next !== undefined;
    } finally {
      this.#notifyWatchers();
    }
  }

  async #calculate({ projectId, id, version }: Cohort): Promise<void> {
    try {
      await this.#deps.calculate(projectId, id);
    } catch (err) {
      // An unavailable store is no error of the cohort: it keeps waiting.
      if (err instanceof Failure && err.kind === 'unavailable') throw err;
      this.#deps.logger.error({ err, project: projectId, cohort: id }, 'cohort calculation failed');
      await this.#countError(projectId, id, version);
    }
  }

  async #countError(projectId: number, id: number, version: number): Promise<void> {
    await this.#deps.metadata.transaction(async ({ cohorts }) => {
      const cohort = await cohorts.get(projectId, id);
      if (cohort?.version !== version) return;
      await cohorts.update({ ...cohort, isCalculating: false, errorsCalculating: cohort.errorsCalculating + 1 });
    });
  }

  #notifyWatchers(): void {
    for (const watcher of this.#watchers.splice(0)) watcher();
  }
}

/** Cohorts that others refer to come first. */
function firstOf(waiting: readonly Cohort[]): Cohort | undefined {
  const references = cohortReferences(waiting);
  const [first] = inDependencyOrder([...references.keys()], references);
  return waiting.find((cohort) => cohort.id === first);
}
