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
import { runLoad } from './lib/load.ts';
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

async function measure({ name, start }: Setup, postgresCpu: () => number | null): Promise<Row> {
  const { web, workers, stop } = await start();
  try {
    const singles = await runLoad({
      url: web.url,
      path: '/capture/',
      connections: 64,
      templates: makeTemplates({ key: KEY, event: browserEvent, eventsPerBody: 1, persons: 5000, seed: 1 }),
      maxMs: Number(flags.seconds) * 1000,
    });
    await processed(web);
    const all = [web, ...workers.filter((worker) => worker !== web)];
    const before = {
      cpu: all.map((one) => one.cpuSeconds()),
      postgres: postgresCpu(),
      load: loadCpu(),
      at: performance.now(),
    };
    const events = Number(flags.events);
    const batches = await runLoad({
      url: web.url,
      path: '/batch/',
      connections: 8,
      templates: makeTemplates({ key: KEY, event: serverEvent, eventsPerBody: 100, persons: 100_000, seed: 2 }),
      maxRequests: Math.ceil(events / 100),
    });
    await processed(web);
    const seconds = (performance.now() - before.at) / 1000;
    const [webCpu = 0, ...workerCpu] = all.map((one, index) => one.cpuSeconds() - (before.cpu[index] ?? 0));
    const micros = (cpu: number): number => Math.round((cpu / batches.events) * 1e6);
    const postgres = before.postgres === null ? null : (postgresCpu() ?? 0) - before.postgres;
    const load = loadCpu() - before.load;
    const workersCpu = workerCpu.reduce((sum, cpu) => sum + cpu, 0);
    const busy = (webCpu + workersCpu + (postgres ?? 0) + load) / seconds / cpus().length;
    return {
      setup: name,
      'singles/s': Math.round(singles.events / singles.seconds),
      'batched events/s accepted': Math.round(batches.events / batches.seconds),
      'events/s processed': Math.round(batches.events / seconds),
      'CPU µs/event, web': micros(webCpu),
      'CPU µs/event, workers': micros(workersCpu),
      'CPU µs/event, PostgreSQL': postgres === null ? null : micros(postgres),
      'CPU µs/event, load': micros(load),
      'machine busy': Math.round(busy * 100) / 100,
    };
  } finally {
    await stop();
  }
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

async function main(): Promise<void> {
  const postgres = await startOwnPostgres({ fsync: true });
  const folder = mkdtempSync(join(tmpdir(), 'cairn-bench-scale-'));
  const rows: Row[] = [];
  try {
    rows.push(
      await measure(
        {
          name: 'one machine, embedded',
          async start() {
            const web = await start({ DATA_DIR: join(folder, 'embedded') });
            return { web, workers: [], stop: () => web.stop() };
          },
        },
        () => null,
      ),
    );
    for (const count of [1, 2]) {
      const url = await postgres.freshDatabase();
      const large = {
        DATABASE_URL: url,
        CLICKHOUSE_URL: process.env['CLICKHOUSE_URL'] ?? UNREACHABLE,
        DATA_DIR: folder,
      };
      rows.push(
        await measure(
          {
            name: `PostgreSQL, one web node, ${count} worker${count > 1 ? 's' : ''}`,
            async start() {
              const web = await start({ ...large, ROLE: 'web' });
              const workers: RunningProcess[] = [];
              for (let n = 0; n < count; n++) workers.push(await start({ ...large, ROLE: 'worker' }));
              return {
                web,
                workers,
                stop: async () => {
                  await Promise.all([web, ...workers].map((one) => one.stop()));
                },
              };
            },
          },
          () => postgres.cpuSeconds(),
        ),
      );
    }
    console.log(`${cpus().length} cores, shared by the nodes, PostgreSQL and the load generator.`);
    console.table(rows);
    const limits = rows.map(limitOf);
    console.log(`Bottlenecks:\n${limits.join('\n')}`);
    mkdirSync('bench/results', { recursive: true });
    const shipped = process.env['CLICKHOUSE_URL'] !== undefined;
    writeFileSync('bench/results/scale.json', `${JSON.stringify({ rows, limits, shipped }, null, 2)}\n`);
  } finally {
    await postgres.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

await main();
process.exit(0);
