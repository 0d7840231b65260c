/**
 * What a slow disk costs: every sync takes 30 ms more. Response times of /decide/ alone, and beside eight clients that
 * capture events; with the disk as it is, and with the slow one.
 *
 *   npm run bench:slow-disk [-- --seconds 5 --delay-ms 30]
 *
 * Needs strace, which delays the calls; without it the bench is skipped.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { browserEvent } from './lib/browser-events.ts';
import { type LoadResult, runLoad, type Template } from './lib/load.ts';
import { type RunningProcess, startProcess } from './lib/processes.ts';
import { makeTemplates } from './lib/templates.ts';

const { values: flags } = parseArgs({
  options: { seconds: { type: 'string', default: '5' }, 'delay-ms': { type: 'string', default: '30' } },
});
const maxMs = Number(flags.seconds) * 1000;
const KEY = 'phc_bench_project_key';
const PERSONAL_KEY = 'phx_bench_personal_key';
const FLAGS = 20;

/** Only these calls are traced, so that nothing else becomes slower. */
const SLOW_SYNC = [
  ...['strace', '-f', '--seccomp-bpf', '-o', '/dev/null', '-e', 'trace=fsync,fdatasync'],
  ...['-e', `inject=fsync,fdatasync:delay_enter=${Number(flags['delay-ms']) * 1000}`],
];

const hasStrace = (): boolean => {
  try {
    execFileSync('strace', ['-V'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
};

/** People who send no events: nobody waits for what they have sent. */
const decideBodies = (): Template[] =>
  Array.from({ length: 500 }, (_, n) => ({
    bytes: Buffer.from(JSON.stringify({ token: KEY, distinct_id: `reader-${n}` })),
    events: 0,
    refresh: () => undefined,
  }));

/** Two hundred requests a second: far from what it can do, so that only waiting shows. */
const decide = ({ url }: RunningProcess): Promise<LoadResult> =>
  runLoad({ url, path: '/decide/?v=3', connections: 4, templates: decideBodies(), maxMs, perSecond: 200 });

const capture = ({ url }: RunningProcess): Promise<LoadResult> => {
  const templates = makeTemplates({ key: KEY, event: browserEvent, eventsPerBody: 1, persons: 5000, seed: 1 });
  return runLoad({ url, path: '/capture/', connections: 8, templates, maxMs, perSecond: 300 });
};

async function createFlags({ url }: RunningProcess): Promise<void> {
  for (let n = 0; n < FLAGS; n++) {
    await fetch(`${url}/api/projects/1/feature_flags/`, {
      method: 'POST',
      headers: { authorization: `Bearer ${PERSONAL_KEY}`, 'content-type': 'application/json' },
      body: JSON.stringify({ key: `flag-${n}`, filters: { groups: [{ properties: [], rollout_percentage: 50 }] } }),
    });
  }
}

const times = ({ p50, p99, failures }: LoadResult) => ({ p50Ms: round(p50), p99Ms: round(p99), failures });
const round = (value: number): number => Number(value.toFixed(2));

async function measure(wrap: readonly string[]) {
  const dataDir = mkdtempSync(join(tmpdir(), 'cairn-bench-'));
  const env = { DATA_DIR: dataDir, PORT: '0', LOG_LEVEL: 'warn' };
  const keys = { INIT_PROJECT_API_KEY: KEY, INIT_PERSONAL_API_KEY: PERSONAL_KEY };
  const server = await startProcess(['scripts/start.js', '--built'], { ...env, ...keys }, wrap);
  try {
    await createFlags(server);
    await Promise.all([decide(server), capture(server)]);
    const quiet = await decide(server);
    const [beside, captured] = await Promise.all([decide(server), capture(server)]);
    return {
      decideQuiet: times(quiet),
      decideBesideCapture: times(beside),
      capture: times(captured),
      ratioOfP50: round(beside.p50 / quiet.p50),
      p99MoreMs: round(beside.p99 - quiet.p99),
    };
  } finally {
    await server.stop();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

async function main(): Promise<void> {
  if (!hasStrace()) return console.log('skipped: strace is not installed');
  execFileSync(process.execPath, ['scripts/build.js']);
  const report = { fastDisk: await measure([]), slowDisk: await measure(SLOW_SYNC) };
  console.log(JSON.stringify(report, null, 2));
  mkdirSync('bench/results', { recursive: true });
  writeFileSync('bench/results/slow-disk.json', `${JSON.stringify(report, null, 2)}\n`);
}

await main();
