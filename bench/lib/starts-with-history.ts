/** Startup time of a server that has events, and of one that crashed while many of them were still to be processed. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runLoad } from './load.ts';
import { type RunningProcess, startProcess } from './processes.ts';
import { median } from './race.ts';
import { serverEvent } from './server-events.ts';
import { makeTemplates } from './templates.ts';
import { untilProcessed } from './until-processed.ts';

const KEY = 'phc_bench_project_key';
const SERVER = ['scripts/start.js', '--built'];
const EVENTS_PER_BODY = 100;
/** Sent as fast as they are accepted, which is faster than they are processed. */
const BURST_EVENTS = 300_000;
const CONNECTIONS = 16;

export async function startsWithHistory(events: number, starts: number) {
  const dataDir = mkdtempSync(join(tmpdir(), 'cairn-bench-starts-'));
  const env = { DATA_DIR: dataDir, PORT: '0', LOG_LEVEL: 'info', INIT_PROJECT_API_KEY: KEY };
  try {
    const first = await startProcess(SERVER, env);
    await send(first, events, 1);
    await untilProcessed(first);
    await first.stop();
    const afterStop: number[] = [];
    const afterCrash: { ms: number; waiting: number }[] = [];
    for (let n = 0; n < starts; n++) {
      const { server, ms } = await timedStart(env);
      afterStop.push(ms);
      await send(server, BURST_EVENTS, n + 2);
      await kill(server);
      afterCrash.push(await startAfterCrash(env));
    }
    return {
      events,
      startMs: Math.round(median(afterStop)),
      afterCrashMs: Math.round(median(afterCrash.map(({ ms }) => ms))),
      waitingAfterCrash: afterCrash.map(({ waiting }) => waiting),
    };
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
}

/** Until the first response. */
async function timedStart(env: Record<string, string>) {
  const before = performance.now();
  const server = await startProcess(SERVER, env);
  await fetch(`${server.url}/_readyz`);
  return { server, ms: performance.now() - before };
}

async function startAfterCrash(env: Record<string, string>) {
  const { server, ms } = await timedStart(env);
  const status = (await (await fetch(`${server.url}/_status`)).json()) as { ingest: { pending: number } };
  await untilProcessed(server);
  await server.stop();
  return { ms, waiting: status.ingest.pending };
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
