/**
 * How fast a cluster accepts and processes events, compared with the embedded backend in the same run.
 *
 *   npm run bench:scale [-- --events 60000 --seconds 5]
 *
 * Starts its own PostgreSQL, with fsync on. Without CLICKHOUSE_URL events are processed but not shipped to ClickHouse
 * (docs/decisions/0022). Everything shares this machine.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startOwnPostgres } from '../test/support/own-postgres.ts';
import { browserEvent } from './lib/browser-events.ts';
import { type LoadResult, runLoad } from './lib/load.ts';
import { type RunningProcess, startProcess } from './lib/processes.ts';
import { serverEvent } from './lib/server-events.ts';
import { makeTemplates } from './lib/templates.ts';

const { values: flags } = parseArgs({
  options: { events: { type: 'string', default: '60000' }, seconds: { type: 'string', default: '5' } },
});
const KEY = 'phc_bench_project_key';
const UNREACHABLE = 'http://127.0.0.1:9';

interface Setup {
  name: string;
  /** `web` answers requests, `workers` process events. */
  start(): Promise<{ web: RunningProcess; workers: RunningProcess[]; stop(): Promise<void> }>;
}

interface Row {
  setup: string;
  'singles/s': number;
  'batched events/s accepted': number;
  'events/s processed': number;
  'CPU µs/event, web': number;
  'CPU µs/event, workers': number;
  'CPU µs/event, PostgreSQL': number | null;
  'CPU µs/event, load': number;
  /** CPU use of all processes, as a fraction of all cores. */
  'machine busy': number;
}

interface Status {
  ingest: { accepted: number; stored: number; pending: number };
  cluster: { partitions: { waiting: number }[] } | null;
}

const statusOf = async ({ url }: RunningProcess): Promise<Status> =>
  (await (await fetch(`${url}/_status`)).json()) as Status;

/** Events waiting to be processed, not those waiting to be shipped. */
const waitingIn = ({ ingest, cluster }: Status): number =>
  cluster ? cluster.partitions.reduce((sum, { waiting }) => sum + waiting, 0) : ingest.pending;

async function processed(web: RunningProcess): Promise<void> {
  while (waitingIn(await statusOf(web)) > 0) await new Promise((resolve) => setTimeout(resolve, 50));
}

const start = (env: Record<string, string>): Promise<RunningProcess> =>
  startProcess(['scripts/start.js', '--built'], { HOST: '127.0.0.1', PORT: '0', INIT_PROJECT_API_KEY: KEY, ...env });

const sendSingles = ({ url }: RunningProcess): Promise<LoadResult> =>
  runLoad({
    url,
    path: '/capture/',
    connections: 64,
    templates: makeTemplates({ key: KEY, event: browserEvent, eventsPerBody: 1, persons: 5000, seed: 1 }),
    maxMs: Number(flags.seconds) * 1000,
  });

const sendBatches = ({ url }: RunningProcess): Promise<LoadResult> =>
  runLoad({
    url,
    path: '/batch/',
    connections: 8,
    templates: makeTemplates({ key: KEY, event: serverEvent, eventsPerBody: 100, persons: 100_000, seed: 2 }),
    maxRequests: Math.ceil(Number(flags.events) / 100),
  });

async function measure({ name, start }: Setup, postgresCpu: () => number | null): Promise<Row> {
  const { web, workers, stop } = await start();
  try {
    const singles = await sendSingles(web);
    await processed(web);
    const cpuSeconds = () => ({
      web: web.cpuSeconds(),
      workers: workers.reduce((sum, worker) => sum + worker.cpuSeconds(), 0),
      postgres: postgresCpu(),
      load: loadCpu(),
    });
    const [before, startedAt] = [cpuSeconds(), performance.now()];
    const batches = await sendBatches(web);
    await processed(web);
    const seconds = (performance.now() - startedAt) / 1000;
    const after = cpuSeconds();
    const used = {
      web: after.web - before.web,
      workers: after.workers - before.workers,
      postgres: before.postgres === null ? null : (after.postgres ?? 0) - before.postgres,
      load: after.load - before.load,
    };
    return rowOf(name, { singles, batches, seconds, used });
  } finally {
    await stop();
  }
}

interface Measured {
  singles: LoadResult;
  batches: LoadResult;
  /** Until all batches were processed. */
  seconds: number;
  /** CPU seconds during the batches. */
  used: { web: number; workers: number; postgres: number | null; load: number };
}

function rowOf(setup: string, { singles, batches, seconds, used }: Measured): Row {
  const micros = (cpu: number): number => Math.round((cpu / batches.events) * 1e6);
  const busy = (used.web + used.workers + (used.postgres ?? 0) + used.load) / seconds / cpus().length;
  return {
    setup,
    'singles/s': Math.round(singles.events / singles.seconds),
    'batched events/s accepted': Math.round(batches.events / batches.seconds),
    'events/s processed': Math.round(batches.events / seconds),
    'CPU µs/event, web': micros(used.web),
    'CPU µs/event, workers': micros(used.workers),
    'CPU µs/event, PostgreSQL': used.postgres === null ? null : micros(used.postgres),
    'CPU µs/event, load': micros(used.load),
    'machine busy': Math.round(busy * 100) / 100,
  };
}

const loadCpu = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
};

/** CPU use above which the CPU counts as the bottleneck. */
const CPU_BOUND = 0.85;

/** The bottleneck, and who used the CPU. */
function limitOf(row: Row): string {
  const parts: [string, number][] = [
    ['web node', row['CPU µs/event, web']],
    ['workers', row['CPU µs/event, workers']],
    ['PostgreSQL', row['CPU µs/event, PostgreSQL'] ?? 0],
    ['load generator', row['CPU µs/event, load']],
  ];
  const sum = parts.reduce((total, [, micros]) => total + micros, 0);
  const shares = parts
    .filter(([, micros]) => micros > 0)
    .sort(([, a], [, b]) => b - a)
    .map(([who, micros]) => `${who} ${Math.round((micros / sum) * 100)} %`);
  const what =
    row['machine busy'] >= CPU_BOUND
      ? 'the CPU, which all processes share'
      : `waiting for the disk and for each other (CPU ${Math.round(row['machine busy'] * 100)} % busy)`;
  return `${row.setup}: ${what}. CPU time: ${shares.join(', ')}.`;
}

const embedded = (folder: string): Setup => ({
  name: 'one machine, embedded',
  async start() {
    const web = await start({ DATA_DIR: join(folder, 'embedded') });
    return { web, workers: [], stop: () => web.stop() };
  },
});

const cluster = (folder: string, databaseUrl: string, workerCount: number): Setup => ({
  name: `PostgreSQL, one web node, ${workerCount} worker${workerCount > 1 ? 's' : ''}`,
  async start() {
    const clickhouseUrl = process.env['CLICKHOUSE_URL'] ?? UNREACHABLE;
    const env = { DATABASE_URL: databaseUrl, CLICKHOUSE_URL: clickhouseUrl, DATA_DIR: folder };
    const web = await start({ ...env, ROLE: 'web' });
    const workers: RunningProcess[] = [];
    for (let n = 0; n < workerCount; n++) workers.push(await start({ ...env, ROLE: 'worker' }));
    const stop = async (): Promise<void> => {
      await Promise.all([web, ...workers].map((one) => one.stop()));
    };
    return { web, workers, stop };
  },
});

function report(rows: readonly Row[]): void {
  console.log(`${cpus().length} cores, shared by the nodes, PostgreSQL and the load generator.`);
  console.table(rows);
  const limits = rows.map(limitOf);
  console.log(`Bottlenecks:\n${limits.join('\n')}`);
  mkdirSync('bench/results', { recursive: true });
  const shipped = process.env['CLICKHOUSE_URL'] !== undefined;
  writeFileSync('bench/results/scale.json', `${JSON.stringify({ rows, limits, shipped }, null, 2)}\n`);
}

async function main(): Promise<void> {
  const postgres = await startOwnPostgres({ fsync: true });
  const folder = mkdtempSync(join(tmpdir(), 'cairn-bench-scale-'));
  try {
    const rows = [await measure(embedded(folder), () => null)];
    for (const workerCount of [1, 2]) {
      const setup = cluster(folder, await postgres.freshDatabase(), workerCount);
      rows.push(await measure(setup, () => postgres.cpuSeconds()));
    }
    report(rows);
  } finally {
    await postgres.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

await main();
process.exit(0);
