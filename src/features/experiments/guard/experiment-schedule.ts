/** Starts experiments whose start was planned for later, and ends those that have reached the last day of their plan. */
import { isJsonObject } from '../../../core/json/json.ts';
import { DAY_MS, MINUTE_MS } from '../../../core/time/units.ts';
import { type LeaderTask, scheduledTask } from '../../../lib/leader-task.ts';
import type { Logger } from '../../../lib/log.ts';
import { needsFlagApproval } from '../../flags/manage/flag-approval.ts';
import { saveChange, updateAndInvalidate, withChanges } from '../../flags/manage/flags.ts';
import { type ExperimentDeps, launched, requireLaunchable, saveExperiment } from '../manage/experiments.ts';
import { readDecision } from '../rules/read-settings.ts';
import type { Experiment } from '../store/experiment-store.ts';

interface ScheduleDeps extends ExperimentDeps {
  logger: Logger;
}

export class ExperimentSchedule implements LeaderTask {
  readonly #deps: ScheduleDeps;
  readonly #task: LeaderTask;

  constructor(deps: ScheduleDeps) {
    this.#deps = deps;
    this.#task = scheduledTask({
      clock: deps.clock,
      initialDelayMs: MINUTE_MS,
      intervalMs: MINUTE_MS,
      run: () => this.check(),
      onError: (err) => deps.logger.error({ err }, 'the schedule of experiments could not be read'),
    });
  }

  start(): void {
    this.#task.start();
  }

  stop(): Promise<void> {
    return this.#task.stop();
  }

  async check(): Promise<void> {
    const { metadata, clock, logger } = this.#deps;
    for (const experiment of await metadata.experiments.listRunning(clock.now())) {
      const step = dueStep(experiment, clock.now());
      if (step === null) continue;
      // One that cannot be started must not keep others from it.
      await takeStep(this.#deps, experiment, step).catch((err: unknown) =>
        logger.error({ err, project: experiment.projectId, experiment: experiment.id, step }, 'not done as planned'),
      );
    }
  }
}

type Step = 'start' | 'end';

function dueStep({ settings, startDate }: Experiment, now: number): Step | null {
  if (settings['scheduled_start'] === true) return 'start';
  const { scheduling_config: config = null } = settings;
  if (!isJsonObject(config) || config['end_at_max_days'] !== true || startDate === null) return null;
  return now >= startDate + readDecision(settings).plan.maxDays * DAY_MS ? 'end' : null;
}

/** Looks again in its transaction: a second leader, or a repetition after a crash, finds it done. */
function takeStep(deps: ScheduleDeps, { projectId, id }: Experiment, step: Step): Promise<void> {
  return updateAndInvalidate(deps, projectId, async (store) => {
    const [before, project] = [await store.experiments.get(projectId, id), await store.projects.get(projectId)];
    const now = deps.clock.now();
    if (!before || !project || before.deleted || before.endDate !== null || dueStep(before, now) !== step) return;
    const job = { job_type: 'experiment_schedule', job_id: deps.ids.uuid(), payload: { step } };
    const by = { userId: null, trigger: job };
    if (step === 'end') {
      await saveExperiment(deps, store, by, project, before, { ...before, endDate: now });
      return;
    }
    const flag = await store.flags.get(projectId, before.flagId);
    await requireLaunchable(store, before, flag);
    if (flag !== null && !flag.active) {
      const after = { ...withChanges(flag, { active: true }, now), lastModifiedBy: null };
      // Asked when the start was planned; this policy came later. Somebody has to launch it.
      if (await needsFlagApproval(store, flag, after)) {
        const { scheduled_start: _, ...settings } = before.settings;
        await saveExperiment(deps, store, by, project, before, { ...before, settings, startDate: null });
        deps.logger.warn({ project: projectId, experiment: id }, 'not started as planned: its flag needs approval');
        return;
      }
      await saveChange(deps, store, project, flag, after, { ...by, approval: 'automatic' });
    }
    const started = launched(before.settings, before.startDate ?? now, now);
    await saveExperiment(deps, store, by, project, before, { ...before, ...started });
  });
}
