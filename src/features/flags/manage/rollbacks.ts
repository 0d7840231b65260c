/**
 * Flags that switch themselves off. Every minute each active flag with rollback conditions is measured; when a condition
 * is met the flag is switched off, and the activity log says that the system did it, and why.
 *
 * Only what happened since the flag was last switched on counts. What came before is not its doing; and a flag that
 * somebody switches on again after a rollback would otherwise go off at once, by the same events as before. For the
 * same reason a condition on too little (`lt`, `lte`) waits until the flag has been on for a whole window.
 */
import type { JsonObject } from '../../../core/json/json.ts';
import { MINUTE_MS } from '../../../core/time/units.ts';
import type { LeaderTask } from '../../../lib/leader-task.ts';
import type { Logger } from '../../../lib/log.ts';
import { type Schedule, startSchedule } from '../../../lib/schedule.ts';
import type { FeatureFlag } from '../../../stores/metadata/flags.ts';
import {
  type RollbackCondition,
  type RollbackMetric,
  readRollbackConditions,
} from '../rules/validate/rollback-conditions.ts';
import { type FlagDeps, saveChange, updateAndInvalidate, withChanges } from './flags.ts';

export interface RollbackDeps extends FlagDeps {
  /** Measures a metric over the project's events of a time, both ends included. */
  measure(projectId: number, metric: RollbackMetric, from: number, to: number): Promise<number>;
  logger: Logger;
}

const CHECK_INTERVAL_MS = MINUTE_MS;

export class Rollbacks implements LeaderTask {
  readonly #deps: RollbackDeps;
  #schedule: Schedule | null = null;
  #running: Promise<void> | null = null;

  constructor(deps: RollbackDeps) {
    this.#deps = deps;
  }

  /** Checks every minute from now on. */
  start(): void {
    this.#schedule ??= startSchedule({
      clock: this.#deps.clock,
      initialDelayMs: CHECK_INTERVAL_MS,
      intervalMs: CHECK_INTERVAL_MS,
      run: () => this.check(),
      onError: (err) => this.#deps.logger.error({ err }, 'rollback conditions could not be looked up'),
    });
  }

  async stop(): Promise<void> {
    await this.#schedule?.stop();
  }

  /** Looks at every flag once; one run at a time, and whoever asks meanwhile waits for that one. */
  check(): Promise<void> {
    this.#running ??= this.#checkAll().finally(() => {
      this.#running = null;
    });
    return this.#running;
  }

  async #checkAll(): Promise<void> {
    for (const flag of await this.#deps.metadata.flags.listWithRollbackConditions()) {
      // One flag that cannot be measured must not keep the others on.
      await checkFlag(this.#deps, flag).catch((err: unknown) =>
        this.#deps.logger.error({ err, project: flag.projectId, flag: flag.key }, 'a flag could not be checked'),
      );
    }
  }
}

async function checkFlag(deps: RollbackDeps, flag: FeatureFlag): Promise<void> {
  for (const condition of readRollbackConditions(flag.rollbackConditions)) {
    const met = await measureCondition(deps, flag, condition);
    if (met) return rollBack(deps, flag, met);
  }
}

/** What was measured and what it was compared with, where the condition is met; else null. */
async function measureCondition(
  deps: RollbackDeps,
  { projectId, activeSince }: FeatureFlag,
  { metric, operator, threshold, isRelative, source }: RollbackCondition,
): Promise<JsonObject | null> {
  const now = deps.clock.now();
  const { windowMs, divisor } = metric;
  const isOnTooLittle = operator === 'lt' || operator === 'lte';
  if (isOnTooLittle && now - activeSince < windowMs) return null;
  const base = isRelative ? await deps.measure(projectId, metric, activeSince - windowMs, activeSince - 1) : null;
  // Against nothing, anything is infinitely more.
  if (base === 0) return null;
  const limit = threshold * (base ?? 1);
  const value = (await deps.measure(projectId, metric, Math.max(now - windowMs, activeSince), now)) / divisor;
  if (!COMPARE[operator](value, limit)) return null;
  return { condition: source, value, ...(base === null ? {} : { base }) };
}

const COMPARE = {
  gt: (value: number, limit: number) => value > limit,
  gte: (value: number, limit: number) => value >= limit,
  lt: (value: number, limit: number) => value < limit,
  lte: (value: number, limit: number) => value <= limit,
} as const;

/** Others that look at the flag do not hold it back: they hear `false`, which is what a rollback is for. */
async function rollBack(deps: RollbackDeps, measured: FeatureFlag, payload: JsonObject): Promise<void> {
  const { id, projectId, version } = measured;
  await updateAndInvalidate(deps, projectId, async (store) => {
    const before = await store.flags.get(projectId, id);
    const project = await store.projects.get(projectId);
    // Whoever changed it meanwhile knows better; the next run looks at what they left.
    if (!before || !project || before.version !== version) return;
    const off = withChanges(before, { active: false, performedRollback: true }, deps.clock.now());
    const trigger = { job_type: 'rollback', job_id: deps.ids.uuid(), payload };
    await saveChange(deps, store, project, before, { ...off, lastModifiedBy: null }, { userId: null, trigger });
    deps.logger.warn({ project: projectId, flag: before.key, ...payload }, 'a flag was switched off by its conditions');
  });
}
