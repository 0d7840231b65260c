/**
 * Automatic rollbacks. Every minute the rollback conditions of all active flags are measured; if one is met, the flag is
 * disabled and the activity log says why.
 *
 * Only events since the flag was last enabled count. Otherwise a flag that somebody enables again after a rollback would
 * be disabled at once because of the same events. For the same reason a lower limit (`lt`, `lte`) is not checked until
 * the flag has been enabled for the length of the window.
 */
import type { JsonObject } from '../../../core/json/json.ts';
import { MINUTE_MS } from '../../../core/time/units.ts';
import { inTurn } from '../../../lib/in-turn.ts';
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
  /** Measures a metric over the events of a project, both ends of the time range included. */
  measure(projectId: number, metric: RollbackMetric, from: number, to: number): Promise<number>;
  logger: Logger;
}

const CHECK_INTERVAL_MS = MINUTE_MS;

export class Rollbacks implements LeaderTask {
  readonly #deps: RollbackDeps;
  #schedule: Schedule | null = null;

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
      onError: (err) => this.#deps.logger.error({ err }, 'rollback conditions could not be read'),
    });
  }

  async stop(): Promise<void> {
    await this.#schedule?.stop();
  }

  /** Checks every flag once, after the current run: what that one has read may be outdated. */
  readonly check = inTurn(() => this.#checkAll());

  async #checkAll(): Promise<void> {
    for (const flag of await this.#deps.metadata.flags.listWithRollbackConditions()) {
      // A flag that cannot be measured must not keep others from being checked.
      await checkFlag(this.#deps, flag).catch((err: unknown) =>
        this.#deps.logger.error(
          { err, project: flag.projectId, flag: flag.key },
          'the rollback conditions of a flag could not be checked',
        ),
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

/** What was measured and compared, for the activity log; null if the condition is not met. */
async function measureCondition(
  deps: RollbackDeps,
  { projectId, activeSince }: FeatureFlag,
  { metric, operator, threshold, isRelative, source }: RollbackCondition,
): Promise<JsonObject | null> {
  const now = deps.clock.now();
  const { windowMs, divisor } = metric;
  const isLowerLimit = operator === 'lt' || operator === 'lte';
  if (isLowerLimit && now - activeSince < windowMs) return null;
  const base = isRelative ? await deps.measure(projectId, metric, activeSince - windowMs, activeSince - 1) : null;
  // Relative to zero, any number would be infinitely more.
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

/** Also if other flags depend on it: they get `false`, as a rollback intends. */
async function rollBack(deps: RollbackDeps, measured: FeatureFlag, payload: JsonObject): Promise<void> {
  const { id, projectId, version } = measured;
  await updateAndInvalidate(deps, projectId, async (store) => {
    const before = await store.flags.get(projectId, id);
    const project = await store.projects.get(projectId);
    // Somebody has changed it meanwhile; the next run checks the new version.
    if (!before || !project || before.version !== version) return;
    const off = withChanges(before, { active: false, performedRollback: true }, deps.clock.now());
    const trigger = { job_type: 'rollback', job_id: deps.ids.uuid(), payload };
    const by = { userId: null, trigger, approval: 'automatic' } as const;
    await saveChange(deps, store, project, before, { ...off, lastModifiedBy: null }, by);
    deps.logger.warn(
      { project: projectId, flag: before.key, ...payload },
      'a flag was disabled by its rollback conditions',
    );
  });
}
