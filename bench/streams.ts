/**
 * What open streams cost, and how soon they hear of a change: CPU time of the server a stream and change, memory a stream,
 * and the time from the answer to the change until a stream has it. The readers are processes of their own on the same
 * machine, so the time until the last of them has heard includes their work.
 *
 *   npm run bench:streams [-- --streams 10000 --changes 10 --short]
 */
import { type ChildProcess, execFileSync, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { machine } from './lib/machine.ts';
import { type RunningProcess, startProcess } from './lib/processes.ts';
import { median } from './lib/race.ts';

const { values: options } = parseArgs({
  options: {
    streams: { type: 'string', default: '10000' },
    changes: { type: 'string', default: '10' },
    short: { type: 'boolean', default: false },
  },
});
const STREAMS = options.short ? 400 : Number(options.streams);
const CHANGES = options.short ? 3 : Number(options.changes);
/** Memory is measured between these and all: what a process takes for its first requests is not that of a stream. */
const FIRST_STREAMS = STREAMS / 5;
const READERS = 2;
const KEY = 'phx_bench_personal_key';
const PATH = '/flags/definitions/stream';
const SETTLE_MS = options.short ? 300 : 3000;

const now = (): number => performance.timeOrigin + performance.now();
const percentile = (sorted: readonly number[], part: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN;

async function ask(child: ChildProcess, message: object): Promise<number[]> {
  const answer = once(child, 'message') as Promise<[number[]]>;
  child.send(message);
  return (await answer)[0];
}

const openStreams = (readers: readonly ChildProcess[], url: string, count: number): Promise<unknown> =>
  Promise.all(readers.map((reader) => ask(reader, { open: count / READERS, url, path: PATH, key: KEY })));

async function call(server: RunningProcess, method: string, path: string, body: object): Promise<{ id: number }> {
  const response = await fetch(server.url + path, {
    method,
    headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
  return (await response.json()) as { id: number };
}

/** The slowest of the decisions asked for one after the other until `isOver`. */
async function slowestDecision(server: RunningProcess, isOver: () => boolean): Promise<number> {
  let slowest = 0;
  while (!isOver()) {
    const since = performance.now();
    const body = JSON.stringify({ token: 'phc_bench_key', distinct_id: 'ada' });
    const headers = { 'content-type': 'application/json' };
    await (await fetch(`${server.url}/decide/?v=3`, { method: 'POST', headers, body })).text();
    slowest = Math.max(slowest, performance.now() - since);
  }
  return slowest;
}

async function changeFlag(server: RunningProcess, flagId: number, rollout: number): Promise<void> {
  const filters = { groups: [{ properties: [], rollout_percentage: rollout }] };
  await call(server, 'PATCH', `/api/projects/1/feature_flags/${flagId}/`, { filters });
}

async function measureChange(
  server: RunningProcess,
  readers: readonly ChildProcess[],
  flagId: number,
  rollout: number,
) {
  const cpu = server.cpuSeconds();
  await changeFlag(server, flagId, rollout);
  const changedAt = now();
  await sleep(SETTLE_MS);
  const used = server.cpuSeconds() - cpu;
  const heard = (await Promise.all(readers.map((reader) => ask(reader, {})))).flat();
  const delays = heard.map((at) => at - changedAt).sort((a, b) => a - b);
  return { heard: heard.length, cpu: used, p50: percentile(delays, 0.5), p99: percentile(delays, 0.99) };
}

async function idleCpu(server: RunningProcess): Promise<number> {
  const before = server.cpuSeconds();
  await sleep(SETTLE_MS);
  return server.cpuSeconds() - before;
}

/** The slowest decision while `work` runs, and shortly after. */
async function slowestDuring(server: RunningProcess, work: () => Promise<void>): Promise<number> {
  let isOver = false;
  const slowest = slowestDecision(server, () => isOver);
  await work();
  await sleep(SETTLE_MS / 3);
  isOver = true;
  return slowest;
}

const dataDir = mkdtempSync(join(tmpdir(), 'cairn-bench-'));
const readers: ChildProcess[] = [];
execFileSync(process.execPath, ['scripts/build.js'], { stdio: 'ignore' });
const server = await startProcess(['scripts/start.js', '--built'], {
  DATA_DIR: dataDir,
  PORT: '0',
  LOG_LEVEL: 'info',
  INIT_PERSONAL_API_KEY: KEY,
  INIT_PROJECT_API_KEY: 'phc_bench_key',
  MAX_STREAMS_PER_NETWORK: '1000000',
});
try {
  for (let i = 0; i < READERS; i++) readers.push(fork('scripts/run.js', ['bench/stream-clients.ts']));
  const { id } = await call(server, 'POST', '/api/projects/1/feature_flags/', { key: 'bench' });
  await openStreams(readers, server.url, FIRST_STREAMS);
  await sleep(SETTLE_MS);
  const firstMb = server.memoryMb();
  await openStreams(readers, server.url, STREAMS - FIRST_STREAMS);
  await sleep(SETTLE_MS);
  const allMb = server.memoryMb();
  const idle = await idleCpu(server);
  const changes = [];
  for (let i = 0; i < CHANGES; i++) changes.push(await measureChange(server, readers, id, 10 + i));
  const quiet: number[] = [];
  const busy: number[] = [];
  for (let i = 0; i < CHANGES; i++) {
    quiet.push(await slowestDuring(server, async () => undefined));
    busy.push(await slowestDuring(server, () => changeFlag(server, id, 50 + i)));
  }
  const report = {
    machine: machine(),
    streams: STREAMS,
    changes: CHANGES,
    heardByAll: changes.every(({ heard }) => heard === STREAMS),
    cpuMicrosPerStreamAndChange: Number(((median(changes.map(({ cpu }) => cpu - idle)) / STREAMS) * 1e6).toFixed(1)),
    memoryKbPerStream: Number((((allMb - firstMb) * 1024) / (STREAMS - FIRST_STREAMS)).toFixed(1)),
    heardP50Ms: Math.round(median(changes.map(({ p50 }) => p50))),
    heardP99Ms: Math.round(median(changes.map(({ p99 }) => p99))),
    slowestDecisionMs: { duringChange: Math.round(median(busy)), otherwise: Math.round(median(quiet)) },
  };
  console.log(JSON.stringify(report, null, 2));
  mkdirSync('bench/results', { recursive: true });
  writeFileSync('bench/results/streams.json', `${JSON.stringify(report, null, 2)}\n`);
} finally {
  for (const reader of readers) reader.kill();
  await server.stop();
  rmSync(dataDir, { recursive: true, force: true });
}
