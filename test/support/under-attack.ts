/**
 * Measures what an attack costs everybody else: the real server in a process of its own, on a small heap, answers small
 * requests of a bystander while the attack runs. Attack tests belong to the `security` group.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { setPriority, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startProcess } from './cairn.ts';

interface AttackedServer {
  url: string;
  dataDir: string;
  projectKey: string;
  personalKey: string;
  pid: number;
  close(): Promise<void>;
}

interface AttackedOptions {
  /** Of each thread, in MB. */
  heapMb?: number;
  /** Further settings. */
  env?: Record<string, string>;
}

/** The server as a child process with a limited heap and a temporary data folder. */
export async function startAttackedServer({ heapMb = 512, env = {} }: AttackedOptions = {}): Promise<AttackedServer> {
  const dataDir = mkdtempSync(join(tmpdir(), 'cairn-attack-'));
  const options = { nodeArgs: [`--max-old-space-size=${heapMb}`], env };
  const { child, url, ended } = await startProcess(dataDir, options);
  goFirst(child.pid ?? 0);
  return {
    url,
    dataDir,
    projectKey: 'phc_test_project_key',
    personalKey: 'phx_test_personal_key',
    pid: child.pid ?? 0,
    close: async () => {
      child.kill('SIGKILL');
      await ended;
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

/** What else the machine is busy with should not be measured; where that is not allowed, the tests are tried again. */
function goFirst(pid: number): void {
  try {
    for (const thread of threadsOf(pid)) setPriority(thread, -15);
  } catch {}
}

const threadsOf = (pid: number): number[] => readdirSync(`/proc/${pid}/task`).map(Number);

/** What the bystander sends; a flag request unless given. */
interface Probe {
  path: string;
  method?: string;
  body?: string;
  headers?: Record<string, string>;
}

interface Impact {
  /** What the bystander's requests took. */
  waitMs: { p50: number; p95: number; max: number };
  /** The slowest 5% just before: what the machine itself makes everybody wait. */
  quietP95Ms: number;
  /** How often each status was answered, `error` for a failed connection. */
  statuses: Record<string, number>;
  /** The peak of the process's memory above what it had before. */
  rssGrowthMb: number;
  /** The share of the CPU time wanted meanwhile that the host gave to other machines, 0 to 1. */
  stolen: number;
}

const INTERVAL_MS = 10;
/** Before the measurement, so that compiled code and a filled heap are no part of it. */
const WARM_UP_MS = 1500;

/** Runs the attack and waits for it; the bystander goes on for `afterMs`, since work may follow the answers. */
export async function measureImpact(
  server: Pick<AttackedServer, 'url' | 'pid' | 'projectKey'>,
  attack: () => Promise<unknown>,
  { probe = flagRequest(server.projectKey), afterMs = 300 }: { probe?: Probe; afterMs?: number } = {},
): Promise<Impact> {
  const warmUp = await startProbing(server, probe);
  await sleep(WARM_UP_MS);
  const quiet = await warmUp.stop();
  const before = memoryMb(server.pid, 'VmRSS');
  resetPeak(server.pid);
  const probing = await startProbing(server, probe);
  const cpuBefore = cpuTimes();
  await attack();
  await sleep(afterMs);
  const { waits, statuses } = await probing.stop();
  return {
    waitMs: { p50: quantile(waits, 0.5), p95: quantile(waits, 0.95), max: quantile(waits, 1) },
    quietP95Ms: quantile(quiet.waits, 0.95),
    statuses,
    rssGrowthMb: Math.round(memoryMb(server.pid, 'VmHWM') - before),
    stolen: stolenSince(cpuBefore),
  };
}

/**
 * How much longer others waited than without the attack, in time that the machine had its CPU: on a shared host, what it
 * takes away would be measured otherwise.
 */
export const addedWaitMs = ({ waitMs, quietP95Ms, stolen }: Impact): number =>
  Math.max(0, waitMs.p95 - quietP95Ms) * (1 - stolen);

interface CpuTimes {
  used: number;
  stolen: number;
}

/** Of all cores since the machine started: user, nice, system, idle, iowait, irq, softirq, steal (`man proc_stat`). */
function cpuTimes(): CpuTimes {
  const [line = ''] = readFileSync('/proc/stat', 'utf8').split('\n');
  const [user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0, stolen = 0] = line.split(/ +/).slice(1).map(Number);
  return { used: user + nice + system + irq + softirq, stolen };
}

function stolenSince(before: CpuTimes): number {
  const now = cpuTimes();
  const stolen = now.stolen - before.stolen;
  return stolen === 0 ? 0 : stolen / (stolen + now.used - before.used);
}

function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return Math.round(sorted[Math.ceil(share * sorted.length) - 1] ?? 0);
}

const flagRequest = (projectKey: string): Probe => ({
  path: '/decide/?v=3',
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ api_key: projectKey, distinct_id: 'bystander' }),
});

interface Probing {
  stop(): Promise<{ waits: number[]; statuses: Record<string, number> }>;
}

async function startProbing(
  { url, pid }: Pick<AttackedServer, 'url' | 'pid'>,
  { path, method = 'GET', body, headers = {} }: Probe,
): Promise<Probing> {
  const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
  const task = {
    url: new URL(path, url).href,
    method,
    body,
    headers: { ...headers, ...length },
    intervalMs: INTERVAL_MS,
    pid,
  };
  // Not the arguments of the test's own process, such as loaders.
  const child = fork(new URL('./probe-process.js', import.meta.url), [JSON.stringify(task)], { execArgv: [] });
  await once(child, 'message');
  const stop = async (): ReturnType<Probing['stop']> => {
    const result = once(child, 'message');
    child.send('stop');
    const [found] = await result;
    return found;
  };
  return { stop };
}

/** Linux only; elsewhere 0, so that memory is not checked there. */
function memoryMb(pid: number, field: 'VmRSS' | 'VmHWM'): number {
  if (process.platform !== 'linux') return 0;
  const kilobytes = new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Number(kilobytes) / 1024;
}

/** The kernel's high-water mark starts again from the memory of now. */
function resetPeak(pid: number): void {
  if (process.platform === 'linux') writeFileSync(`/proc/${pid}/clear_refs`, '5');
}
