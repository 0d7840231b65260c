import { setTimeout as sleep } from 'node:timers/promises';

/** Whether the promise resolves in time. */
export async function resolvesWithin(ms: number, promise: Promise<void>): Promise<boolean> {
  return Promise.race([promise.then(() => true), sleep(ms, false, { ref: false })]);
}
