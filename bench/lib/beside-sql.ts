/** How long capture and flags take while statements of users keep the machine busy, beside how long they take otherwise. */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createHistogram, monitorEventLoopDelay } from 'node:perf_hooks';
import { text } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import { type RunningProcess, startProcess } from './processes.ts';
import { median } from './race.ts';
import { untilProcessed } from './until-processed.ts';
import { fill, KEYS, measureWaits } from './waits.ts';

/** As heavy as they come: one that never ends, one that needs all memory, two that read everything, and a large answer. */
const HEAVY = [
  'select max(md5(concat(a.uuid, b.uuid))) from events a, events b, events c',
  'select a.uuid, list(b.uuid) from events a join events b on a.event = b.event group by 1',
  'select properties.$current_url as url, count(), uniq(person_id) from events group by url order by 2 desc',
  'select event, md5(properties) as m, row_number() over (partition by event order by properties) as n from events order by m limit 100',
  'select uuid, event, timestamp, properties, person_id, distinct_id from events limit 50000',
];
const DISK_PAUSE_MS = 10;

/**
 * In turns, since a disk that others share is slow now and then: the median of what each period has. `diskP99` is what a
 * small write to the same disk takes meanwhile, with nothing of Cairn in between.
 */
export async function measureBesideSql({ seconds, turns, events }: { seconds: number; turns: number; events: number }) {
  const dataDir = mkdtempSync(join(tmpdir(), 'cairn-bench-sql-'));
  const env = { ...KEYS, DATA_DIR: dataDir, PORT: '0', HOST: '127.0.0.1', LOG_LEVEL: 'warn', SQL_TIMEOUT_SECONDS: '5' };
  const server = await startProcess(['dist/main.js'], env);
  const periods = { quiet: [] as Period[], besideHeavySql: [] as Period[] };
  const statements: Record<string, number> = {};
  try {
    await fill(server, events);
    // The first statement makes a copy of all of them.
    await untilProcessed(server);
    await askersOf(server, ['select count() from events']).stop();
    await measureWaits(server, 2);
    for (let turn = 0; turn < turns; turn++) {
      periods.quiet.push(await measure(server, seconds, dataDir));
      // Two of a project run at a time; the others wait.
      const askers = askersOf(server, HEAVY);
      periods.besideHeavySql.push(await measure(server, seconds, dataDir));
      for (const [status, count] of Object.entries(await askers.stop())) {
        statements[status] = (statements[status] ?? 0) + count;
      }
    }
    return { quiet: medians(periods.quiet), besideHeavySql: medians(periods.besideHeavySql), statements, periods };
  } finally {
    await server.stop();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

type Period = Awaited<ReturnType<typeof measure>>;

/** `generatorP99`: how late the load generator's own loop was, which is part of what it measures. */
async function measure(server: RunningProcess, seconds: number, folder: string) {
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

function medians(periods: readonly Period[]): Period {
  const names = Object.keys(periods[0] ?? {}) as (keyof Period)[];
  return Object.fromEntries(names.map((name) => [name, median(periods.map((period) => period[name]))])) as Period;
}

/** `stop` waits for those that are running, and tells how many there were by their status. */
function askersOf({ url }: RunningProcess, statements: readonly string[]) {
  const program = ['scripts/run.js', 'bench/lib/ask-sql.ts'];
  const asking = spawn(process.execPath, [...program, url, KEYS.INIT_PERSONAL_API_KEY, ...statements], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  return {
    async stop(): Promise<Record<string, number>> {
      asking.stdin.end();
      return JSON.parse(await text(asking.stdout)) as Record<string, number>;
    },
  };
}
