/**
 * How fast events are durably accepted and processed, compared with a bare server that only parses the same bodies.
 *
 *   npm run bench:capture [-- --seconds 10 --burst 300000 --events 2000000 --rate 25000]
 *
 * Load and server share the machine: compare the ratios, not the absolute numbers.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { browserEvent } from './lib/browser-events.ts';
import { measureEngineAlone } from './lib/engine-alone.ts';
import { type LoadResult, runLoad } from './lib/load.ts';
import { machine } from './lib/machine.ts';
import { type RunningProcess, startProcess } from './lib/processes.ts';
import { serverEvent } from './lib/server-events.ts';
import { type MakeEvent, makeTemplates } from './lib/templates.ts';

const { values: flags } = parseArgs({
  options: {
    events: { type: 'string', default: '2000000' },
    seconds: { type: 'string', default: '10' },
    persons: { type: 'string', default: '100000' },
    rate: { type: 'string', default: '25000' },
    burst: { type: 'string', default: '300000' },
  },
});
/** People who are on a site at the same time and send single events. */
const VISITORS = 5000;
const KEY = 'phc_bench_project_key';
const persons = Number(flags.persons);
const MAX_BASELINE_EVENTS = 500_000;

interface Measured extends LoadResult {
  perSecond: number;
  cpuMicrosPerEvent: number;
}

async function measured(server: RunningProcess, run: () => Promise<LoadResult>): Promise<Measured> {
  const before = server.cpuSeconds();
  const result = await run();
  const cpu = server.cpuSeconds() - before;
  return { ...result, perSecond: result.events / result.seconds, cpuMicrosPerEvent: (cpu / result.events) * 1e6 };
}

const singles = (server: RunningProcess) => () =>
  runLoad({
    url: server.url,
    path: '/capture/',
    connections: 64,
    templates: makeTemplates({ key: KEY, event: browserEvent, eventsPerBody: 1, persons: VISITORS, seed: 1 }),
    maxMs: Number(flags.seconds) * 1000,
  });

const batches =
  (server: RunningProcess, event: MakeEvent, events: number, eventsPerSecond = Infinity) =>
  () =>
    runLoad({
      url: server.url,
      path: '/batch/',
      connections: 8,
      templates: makeTemplates({ key: KEY, event, eventsPerBody: 100, persons, seed: 2 }),
      maxRequests: Math.ceil(events / 100),
      perSecond: eventsPerSecond / 100,
    });

interface Status {
  ingest: { accepted: number; stored: number; duplicate: number; pending: number; lag_ms: number };
}

const statusOf = async (server: RunningProcess): Promise<Status> =>
  (await (await fetch(`${server.url}/_status`)).json()) as Status;

async function drained(server: RunningProcess): Promise<number> {
  const start = performance.now();
  while ((await statusOf(server)).ingest.pending > 0) await new Promise((resolve) => setTimeout(resolve, 50));
  return (performance.now() - start) / 1000;
}

/** Sends small requests during the load, and samples memory and lag. */
function watch(server: RunningProcess) {
  const times: number[] = [];
  const lags: number[] = [];
  let peakMb = 0;
  let isRunning = true;
  const pinging = (async () => {
    while (isRunning) {
      const before = performance.now();
      await (await fetch(`${server.url}/_livez`)).text();
      times.push(performance.now() - before);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  })();
  const sampling = (async () => {
    while (isRunning) {
      peakMb = Math.max(peakMb, server.memoryMb());
      lags.push((await statusOf(server)).ingest.lag_ms);
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
  })();
  return async () => {
    isRunning = false;
    await Promise.all([pinging, sampling]);
    times.sort((a, b) => a - b);
    const third = Math.ceil(lags.length / 3);
    const mean = (list: number[]): number => list.reduce((sum, lag) => sum + lag, 0) / Math.max(1, list.length);
    return {
      peakMb,
      smallRequestP99Ms: times[Math.floor(times.length * 0.99)] ?? 0,
      lagFirstThirdMs: mean(lags.slice(0, third)),
      lagLastThirdMs: mean(lags.slice(-third)),
    };
  };
}

const folderBytes = (folder: string): number =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((file) => statSync(join(folder, file)))
    .reduce((sum, { size }) => sum + size, 0);

const round = (value: number, digits = 0): number => Number(value.toFixed(digits));

async function main(): Promise<void> {
  execFileSync(process.execPath, ['scripts/build.js']);
  const dataDir = mkdtempSync(join(tmpdir(), 'cairn-bench-'));
  const events = Number(flags.events);
  const bare = await startProcess(['scripts/run.js', 'bench/bare-server.ts'], {});
  const cairn = await startProcess(['scripts/start.js', '--built'], {
    DATA_DIR: dataDir,
    PORT: '0',
    LOG_LEVEL: 'warn',
    INIT_PROJECT_API_KEY: KEY,
  });
  try {
    // So that V8 has compiled what both servers need for each kind of request.
    for (const server of [bare, cairn]) {
      await runLoad({ ...warmUp, url: server.url });
      for (const event of [serverEvent, browserEvent]) await batches(server, event, Number(flags.burst) / 6)();
    }
    await drained(cairn);

    const bareSingle = await measured(bare, singles(bare));
    const cairnSingle = await measured(cairn, singles(cairn));
    const singleDrain = await drained(cairn);
    const report = {
      machine: machine(),
      singleBrowserEvents: {
        bare: pickFigures(bareSingle),
        cairn: pickFigures(cairnSingle),
        ratioOfRates: round(cairnSingle.perSecond / bareSingle.perSecond, 2),
        drainSeconds: round(singleDrain, 1),
      },
      // As fast as possible: the maximum throughput.
      batchesOf100ServerEvents: await measureBatches(bare, cairn, serverEvent, Number(flags.burst)),
      batchesOf100BrowserEvents: await measureBatches(bare, cairn, browserEvent, Number(flags.burst)),
      // At a steady rate: whether it keeps up.
      steadyServerEvents: await measureBatches(bare, cairn, serverEvent, events, Number(flags.rate)),
      diskBytesPerEvent: round(folderBytes(dataDir) / (await statusOf(cairn)).ingest.stored),
      status: (await statusOf(cairn)).ingest,
    };
    console.log(JSON.stringify(report, null, 2));
    mkdirSync('bench/results', { recursive: true });
    writeFileSync('bench/results/capture.json', `${JSON.stringify(report, null, 2)}\n`);
  } finally {
    await Promise.all([bare.stop(), cairn.stop()]);
    rmSync(dataDir, { recursive: true, force: true });
  }
}

async function measureBatches(
  bare: RunningProcess,
  cairn: RunningProcess,
  event: MakeEvent,
  events: number,
  eventsPerSecond?: number,
) {
  const baseline = await measured(bare, batches(bare, event, Math.min(events, MAX_BASELINE_EVENTS)));
  const engineAlone = await measureEngineAlone(event, Math.min(events, MAX_BASELINE_EVENTS), persons);
  const stopWatching = watch(cairn);
  const before = await statusOf(cairn);
  const cpuBefore = cairn.cpuSeconds();
  const accepted = await measured(cairn, batches(cairn, event, events, eventsPerSecond));
  const drain = await drained(cairn);
  const cpu = cairn.cpuSeconds() - cpuBefore;
  const watched = await stopWatching();
  const { ingest } = await statusOf(cairn);
  return {
    bare: pickFigures(baseline),
    cairn: pickFigures(accepted),
    acceptedAndProcessedPerSecond: round(accepted.events / (accepted.seconds + drain)),
    // Of all threads, until the last event is stored; `cairn` has the part of accepting them.
    cpuMicrosPerEventInAll: round((cpu / accepted.events) * 1e6, 1),
    // If events were only parsed, written as JSON and stored in the engine.
    cpuMicrosPerEventEngineAlone: round(engineAlone, 1),
    storedInRun: ingest.stored - before.ingest.stored,
    drainSeconds: round(drain, 1),
    ...Object.fromEntries(Object.entries(watched).map(([name, value]) => [name, round(value, 1)])),
  };
}

const warmUp = {
  path: '/capture/',
  connections: 16,
  templates: makeTemplates({ key: KEY, event: browserEvent, eventsPerBody: 1, persons: VISITORS, seed: 3 }),
  maxRequests: 20_000,
};

const pickFigures = ({ perSecond, p50, p99, failures, cpuMicrosPerEvent }: Measured) => ({
  eventsPerSecond: round(perSecond),
  p50Ms: round(p50, 2),
  p99Ms: round(p99, 2),
  failures,
  cpuMicrosPerEvent: round(cpuMicrosPerEvent, 1),
});

await main();
