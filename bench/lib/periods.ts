/** How long capture and flags take for a while, beside what the disk and the load generator take by themselves. */
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { createHistogram, monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout } from 'node:timers/promises';
import type { RunningProcess } from './processes.ts';
import { median } from './race.ts';
import { measureWaits } from './waits.ts';

const DISK_PAUSE_MS = 10;

export type Period = Awaited<ReturnType<typeof measurePeriod>>;

/**
 * `diskP99` is what a small write to the same disk takes meanwhile, with nothing of Cairn in between; `generatorP99` how
 * late the load generator's own loop was, which is part of what it measures.
 */
export async function measurePeriod(server: RunningProcess, seconds: number, folder: string) {
  const loop = monitorEventLoopDelay({ resolution: 1 });
  loop.enable();
  const stop = new AbortController();
  const disk = diskP99(join(folder, 'bench-disk'), stop.signal);
  const waits = await measureWaits(server, seconds);
  loop.disable();
  stop.abort();
  return { ...waits, diskP99: await disk, generatorP99: Number((loop.percentile(99) / 1e6).toFixed(1)) };
}

/** Of writing a few bytes and waiting for the disk, as often as capture does, also while the last one still waits; ms. */
async function diskP99(path: string, signal: AbortSignal): Promise<number> {
  const file = await open(path, 'w');
  const histogram = createHistogram();
  const write = async (): Promise<void> => {
    const start = performance.now();
    await file.write('a few bytes', 0);
    await file.datasync();
    histogram.record(Math.max(1, Math.round((performance.now() - start) * 1000)));
  };
  const writes: Promise<void>[] = [];
  for (; !signal.aborted; await setTimeout(DISK_PAUSE_MS)) writes.push(write());
  await Promise.all(writes).finally(() => file.close());
  return Number((histogram.percentile(99) / 1000).toFixed(1));
}

export function medians(periods: readonly Period[]): Period {
  const names = Object.keys(periods[0] ?? {}) as (keyof Period)[];
  return Object.fromEntries(names.map((name) => [name, median(periods.map((period) => period[name]))])) as Period;
}
