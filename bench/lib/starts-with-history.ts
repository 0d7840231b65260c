/** Startup time of a server that has events, and of one that crashed while many of them were still to be processed. */
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { runLoad } from './load.ts';
import { type RunningProcess, startProcess } from './processes.ts';
import { median } from './race.ts';
import { serverEvent } from './server-events.ts';
import { makeTemplates } from './templates.ts';
import { untilProcessed } from './until-processed.ts';

const KEY = 'phc_bench_project_key';
const PERSONAL_KEY = 'phx_bench_personal_key';
const SERVER = ['scripts/start.js', '--built'];
const EVENTS_PER_BODY = 100;
/** Sent as fast as they are accepted, which is faster than they are processed. */
const BURST_EVENTS = 500_000;
/** From then to the crash: part of the burst is in the engine's journal by then, and the rest in the log. */
const CRASH_AFTER_MS = 5000;
const CONNECTIONS = 16;

export async function startsWithHistory(events: number, starts: number) {
  const dataDir = mkdtempSync(join(tmpdir(), 'cairn-bench-starts-'));
  const env = {
    DATA_DIR: dataDir,
    PORT: '0',
    LOG_LEVEL: 'info',
    INIT_PROJECT_API_KEY: KEY,
    INIT_PERSONAL_API_KEY: PERSONAL_KEY,
  };
  try {
    const first = await startProcess(SERVER, env);
    await send(first, events, 1);
    await untilProcessed(first);
    await first.stop();
    const afterStop: Start[] = [];
    const afterCrash: (Start & { journalMb: number })[] = [];
    for (let n = 0; n < starts; n++) {
      const { server, times } = await timedStart(env);
      afterStop.push(times);
      await send(server, BURST_EVENTS, n + 2);
      await sleep(CRASH_AFTER_MS);
      await kill(server);
      const journalMb = Math.round(statSync(join(dataDir, 'events.duckdb.wal')).size / 1e6);
      afterCrash.push({ ...(await startAfterCrash(env)), journalMb });
    }
    return { events, afterStop: medians(afterStop), afterCrash: medians(afterCrash), crashes: afterCrash };
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
}

/** Until an event was accepted, flags were decided, and a question was answered; and how many events waited then. */
interface Start {
  acceptedMs: number;
  decidedMs: number;
  answeredMs: number;
  waiting: number;
}

const medians = (starts: readonly Start[]) => ({
  acceptedMs: median(starts.map(({ acceptedMs }) => acceptedMs)),
  decidedMs: median(starts.map(({ decidedMs }) => decidedMs)),
  answeredMs: median(starts.map(({ answeredMs }) => answeredMs)),
});

async function timedStart(env: Record<string, string>) {
  const before = performance.now();
  const server = await startProcess(SERVER, env);
  const timed = async (path: string, body: object, headers: Record<string, string> = {}): Promise<number> => {
    const json = { 'content-type': 'application/json', ...headers };
    const response = await fetch(server.url + path, { method: 'POST', headers: json, body: JSON.stringify(body) });
    if (!response.ok) throw new Error(`${path} was answered ${response.status}: ${await response.text()}`);
    await response.text();
    return Math.round(performance.now() - before);
  };
  const question = { events: [{ id: 'started', math: 'total' }], date_from: '-7d', interval: 'day' };
  const [acceptedMs, decidedMs, answeredMs] = await Promise.all([
    timed('/capture/', { api_key: KEY, event: 'started', distinct_id: 'bench' }),
    timed('/decide/?v=3', { api_key: KEY, distinct_id: 'another' }),
    timed('/api/projects/1/insights/trend/', question, { authorization: `Bearer ${PERSONAL_KEY}` }),
  ]);
  const status = (await (await fetch(`${server.url}/_status`)).json()) as { ingest: { pending: number } };
  return { server, times: { acceptedMs, decidedMs, answeredMs, waiting: status.ingest.pending } };
}

async function startAfterCrash(env: Record<string, string>): Promise<Start> {
  const { server, times } = await timedStart(env);
  await untilProcessed(server);
  await server.stop();
  return times;
}

/** What is refused because the log is full is sent again, once there is place. */
async function send(server: RunningProcess, events: number, seed: number): Promise<void> {
  const options = { key: KEY, event: serverEvent, eventsPerBody: EVENTS_PER_BODY, persons: 100_000, seed };
  const load = { url: server.url, path: '/batch/', connections: CONNECTIONS, templates: makeTemplates(options) };
  for (let left = events; left > 0; ) {
    const { events: accepted, failures } = await runLoad({ ...load, maxRequests: Math.ceil(left / EVENTS_PER_BODY) });
    left -= accepted;
    if (failures > 0) await untilProcessed(server);
  }
}

const kill = async ({ pid, url }: RunningProcess): Promise<void> => {
  process.kill(pid, 'SIGKILL');
  const answers = (): Promise<boolean> =>
    fetch(`${url}/_readyz`).then(
      () => true,
      () => false,
    );
  while (await answers()) await new Promise((resolve) => setTimeout(resolve, 50));
};
