/**
 * Startup time and idle memory, compared with a bare Fastify server.
 *
 *   npm run bench:footprint [-- --starts 7 --events 10000000]
 *
 * With `--events`, also the startup time with so many events, and after a crash with others still to be processed. Sending
 * ten million takes some ten minutes.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { machine } from './lib/machine.ts';
import { type RunningProcess, startProcess } from './lib/processes.ts';
import { median } from './lib/race.ts';
import { startsWithHistory } from './lib/starts-with-history.ts';

const { values: options } = parseArgs({
  options: { starts: { type: 'string', default: '7' }, events: { type: 'string', default: '0' } },
});
const EVENTS = Math.min(Number(options.events), 20_000_000);
/** Each has a burst of events, and a crash. */
const STARTS_WITH_HISTORY = 3;
const IDLE_MS = 5000;
/** The output of scripts/run.js; started directly, so that the time to build it is not measured. */
const BARE = 'dist/tools/bench-bare-server-ts.mjs';

/** Until the first response. */
async function startUp(args: readonly string[], env: Record<string, string>) {
  const before = performance.now();
  const server = await startProcess(args, env);
  await fetch(`${server.url}/_readyz`);
  return { server, ms: performance.now() - before };
}

async function measured(args: readonly string[], env: Record<string, string>) {
  const times: number[] = [];
  let idleMb = 0;
  for (let n = 0; n < Number(options.starts); n++) {
    const { server, ms } = await startUp(args, env);
    times.push(ms);
    if (n === 0) idleMb = await idleMemory(server);
    await server.stop();
  }
  return { startMs: Math.round(median(times)), idleMb: Math.round(idleMb) };
}

async function idleMemory(server: RunningProcess): Promise<number> {
  await sleep(IDLE_MS);
  return server.memoryMb();
}

const dataDir = mkdtempSync(join(tmpdir(), 'cairn-bench-'));
try {
  execFileSync(process.execPath, ['scripts/build.js']);
  await (await startProcess(['scripts/run.js', 'bench/bare-server.ts'], {})).stop();
  const report = {
    machine: machine(),
    cairn: await measured(['scripts/start.js', '--built'], { DATA_DIR: dataDir, PORT: '0' }),
    bare: await measured([BARE], {}),
    ...(EVENTS > 0 ? { withHistory: await startsWithHistory(EVENTS, STARTS_WITH_HISTORY) } : {}),
  };
  console.log(JSON.stringify(report, null, 2));
  mkdirSync('bench/results', { recursive: true });
  writeFileSync('bench/results/footprint.json', `${JSON.stringify(report, null, 2)}\n`);
} finally {
  rmSync(dataDir, { recursive: true, force: true });
}
