import { type Schedule, type ScheduleOptions, startSchedule } from './schedule.ts';

/** Background work that one process of the installation does at a time: the leader, or the only process there is. */
export interface LeaderTask {
  start(): void;
  /** There may be something to do. */
  wake?(): void;
  /** Resolves when nothing is running any more. It is not started again. */
  stop(): Promise<void>;
}

export function scheduledTask(options: ScheduleOptions): LeaderTask {
  let schedule: Schedule | null = null;
  return {
    start() {
      schedule ??= startSchedule(options);
    },
    stop: async () => schedule?.stop(),
  };
}
