import type { LeaderTask } from '../lib/leader-task.ts';

/** All leader tasks together. They are created anew each time this process becomes the leader. */
export class LeaderTasks implements Required<LeaderTask> {
  readonly #create: () => readonly LeaderTask[];
  #running: readonly LeaderTask[] = [];

  constructor(create: () => readonly LeaderTask[]) {
    this.#create = create;
  }

  start(): void {
    if (this.#running.length > 0) return;
    this.#running = this.#create();
    for (const task of this.#running) task.start();
  }

  wake(): void {
    for (const task of this.#running) task.wake?.();
  }

  async stop(): Promise<void> {
    const running = this.#running;
    this.#running = [];
    await Promise.all(running.map((task) => task.stop()));
  }

  /** The running task of that class; undefined while another process is the leader. */
  get<T extends LeaderTask>(type: abstract new (...args: never[]) => T): T | undefined {
    return this.#running.find((task): task is T => task instanceof type);
  }
}
