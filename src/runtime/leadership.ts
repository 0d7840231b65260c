import type { LeaderTask } from '../lib/leader-task.ts';
import type { Logger } from '../lib/log.ts';

/** Runs the leader tasks while this process is the leader, which may begin before the tasks are known. */
export class Leadership {
  readonly #logger: Logger;
  #tasks: Required<LeaderTask> | null = null;
  #isLeader: boolean;

  constructor(logger: Logger, isLeader: boolean) {
    this.#logger = logger;
    this.#isLeader = isLeader;
  }

  run(tasks: Required<LeaderTask>): void {
    this.#tasks = tasks;
    if (this.#isLeader) tasks.start();
  }

  change(isLeader: boolean): void {
    this.#isLeader = isLeader;
    if (isLeader) this.#tasks?.start();
    else this.stop().catch((err: unknown) => this.#logger.warn({ err }, 'the leader tasks could not be stopped'));
  }

  wake(): void {
    this.#tasks?.wake();
  }

  async stop(): Promise<void> {
    await this.#tasks?.stop();
  }
}
