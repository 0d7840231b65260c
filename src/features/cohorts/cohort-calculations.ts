/**
 * The calculation of cohorts in the background, one at a time. Which ones wait is written in the cohorts themselves, so a
 * crash forgets none: whoever waited then is calculated at the next start.
 */
import { cohortReferences } from '../../core/cohorts/cohort-criteria.ts';
import { inDependencyOrder } from '../../core/cohorts/references.ts';
import { Failure } from '../../core/errors.ts';
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
  /** Does the work (see `calculateCohort`), on whichever thread has the time for it. */
  calculate(projectId: number, cohortId: number): Promise<void>;
}

const MINUTE = 60_000;
const STALE_AFTER_MS = 15 * MINUTE;
const ROUND_INTERVAL_MS = 2 * MINUTE;
const MAX_COHORTS_PER_ROUND = 5;
/** After more failures in a row than this, only a change of the cohort starts it again. */
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
      onError: (err, pauseMs) => logger.warn({ err, pauseMs }, 'cohorts wait: a store does not answer'),
    });
    this.#rounds ??= startSchedule({
      clock,
      initialDelayMs: ROUND_INTERVAL_MS,
      intervalMs: ROUND_INTERVAL_MS,
      run: () => this.startRound(),
      onError: (err) => logger.error({ err }, 'cohorts could not be looked through; it is tried again in two minutes'),
    });
  }

  /** A cohort was marked as waiting. */
  wake(): void {
    this.#loop?.wake();
  }

  /** Those that were calculated longest ago have their turn. */
  async startRound(): Promise<void> {
    const { metadata, clock } = this.#deps;
    await metadata.transaction(async ({ cohorts }) => {
      for (const cohort of await cohorts.listDue(clock.now() - STALE_AFTER_MS, MAX_ERRORS, MAX_COHORTS_PER_ROUND)) {
        await cohorts.update({ ...cohort, isCalculating: true });
      }
    });
    this.wake();
  }

  /** Resolves when no cohort waits any more. */
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
    this.#tell();
  }

  async #step(): Promise<boolean> {
    const next = firstOf(await this.#deps.metadata.cohorts.listPending());
    try {
      if (next !== undefined) await this.#calculate(next);
      return next !== undefined;
    } finally {
      this.#tell();
    }
  }

  async #calculate({ projectId, id, version }: Cohort): Promise<void> {
    try {
      await this.#deps.calculate(projectId, id);
    } catch (err) {
      // A store that is away is nothing the cohort can be blamed for: it keeps waiting.
      if (err instanceof Failure && err.kind === 'unavailable') throw err;
      this.#deps.logger.error({ err, project: projectId, cohort: id }, 'a cohort could not be calculated');
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

  #tell(): void {
    for (const watcher of this.#watchers.splice(0)) watcher();
  }
}

/** Cohorts that others ask for come before them. */
function firstOf(waiting: readonly Cohort[]): Cohort | undefined {
  const references = cohortReferences(waiting);
  const [first] = inDependencyOrder([...references.keys()], references);
  return waiting.find((cohort) => cohort.id === first);
}
