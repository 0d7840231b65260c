/** Looks at every running experiment once a day: the first crossing of a bound has a day, whoever asks for results. */
import { DAY_MS, HOUR_MS } from '../../../core/time/units.ts';
import { type LeaderTask, scheduledTask } from '../../../lib/leader-task.ts';
import type { Logger } from '../../../lib/log.ts';
import type { ExperimentDeps } from '../manage/experiments.ts';
import type { Experiment } from '../store/experiment-store.ts';

interface LookDeps extends Pick<ExperimentDeps, 'metadata' | 'clock'> {
  look(experiment: Experiment): Promise<void>;
  logger: Logger;
}

export class DailyLooks implements LeaderTask {
  readonly #deps: LookDeps;
  readonly #task: LeaderTask;

  constructor(deps: LookDeps) {
    this.#deps = deps;
    this.#task = scheduledTask({
      clock: deps.clock,
      // A server that starts has other things to do first.
      initialDelayMs: HOUR_MS,
      intervalMs: DAY_MS,
      run: () => this.check(),
      onError: (err) => deps.logger.error({ err }, 'running experiments could not be read'),
    });
  }

  start(): void {
    this.#task.start();
  }

  stop(): Promise<void> {
    return this.#task.stop();
  }

  async check(): Promise<void> {
    const { metadata, clock, logger, look } = this.#deps;
    for (const experiment of await metadata.experiments.listRunning(clock.now())) {
      // One that cannot be calculated must not keep others from it.
      await look(experiment).catch((err: unknown) =>
        logger.error({ err, project: experiment.projectId, experiment: experiment.id }, 'results were not calculated'),
      );
    }
  }
}
