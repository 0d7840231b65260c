/**
 * Gives back what a start leaves behind: garbage, and the memory for new objects, which V8 doubles as long as most of them
 * survive, and does not shrink in the collections that follow (docs/decisions/0122).
 */
import { performance } from 'node:perf_hooks';

/** The share of the time that a thread is busy although nobody asks for anything. */
const MAX_QUIET_USE = 0.1;
/** Whoever has been busy since the start has a larger heap by now, which takes longer than anybody should wait. */
const MAX_TRIES = 5;

/** Once, after this thread has had next to nothing to do for so long; then `onCollected`. */
export function collectWhenQuiet(quietMs: number, onCollected: () => void = () => undefined): void {
  let since = performance.eventLoopUtilization();
  let tries = 0;
  const timer = setInterval(() => {
    const { utilization } = performance.eventLoopUtilization(since);
    since = performance.eventLoopUtilization();
    const isQuiet = utilization <= MAX_QUIET_USE;
    if (isQuiet || ++tries === MAX_TRIES) clearInterval(timer);
    // A build of Node without an inspector keeps the memory.
    if (isQuiet) collectGarbage(onCollected).catch(() => undefined);
  }, quietMs);
  timer.unref();
}

/** Not `gc()`: only this shrinks the memory for new objects, too. */
async function collectGarbage(onCollected: () => void): Promise<void> {
  const { Session } = await import('node:inspector');
  const session = new Session();
  session.connect();
  session.post('HeapProfiler.collectGarbage', () => {
    // Later: V8 holds a lock during this call that disconnecting waits for.
    setImmediate(() => {
      session.disconnect();
      onCollected();
    });
  });
}
