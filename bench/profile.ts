/**
 * Where the CPU time of ingestion goes: by thread, by module and by function, under batches as fast as the server takes
 * them. For finding what to improve; `bench:capture` measures whether it helped.
 *
 *   npm run bench:profile [-- --events 300000 --kind server|browser --rows 40]
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { browserEvent } from './lib/browser-events.ts';
import { sumSelfTimes } from './lib/cpu-profile.ts';
import { runLoad } from './lib/load.ts';
import { type RunningProcess, startProcess } from './lib/processes.ts';
import { serverEvent } from './lib/server-events.ts';
import { makeTemplates } from './lib/templates.ts';
import { untilProcessed } from './lib/until-processed.ts';

const { values: flags } = parseArgs({
  options: {
    events: { type: 'string', default: '300000' },
    kind: { type: 'string', default: 'server' },
    rows: { type: 'string', default: '40' },
  },
});
const KEY = 'phc_bench_project_key';
const TICKS_PER_SECOND = 100;
const events = Number(flags.events);

async function main(): Promise<void> {
  execFileSync(process.execPath, ['scripts/build.js']);
  const folder = mkdtempSync(join(tmpdir(), 'cairn-profile-'));
  const profiling = ['--cpu-prof', '--cpu-prof-interval', '500', '--cpu-prof-dir', join(folder, 'profiles')];
  const cairn = await startProcess([...profiling, 'scripts/start.js', '--built'], {
    DATA_DIR: join(folder, 'data'),
    PORT: '0',
    LOG_LEVEL: 'warn',
    INIT_PROJECT_API_KEY: KEY,
  });
  try {
    await send(cairn, 20_000);
    const before = threadSeconds(cairn.pid);
    await send(cairn, events);
    printThreads(before, threadSeconds(cairn.pid));
    await cairn.stop();
    for (const file of readdirSync(join(folder, 'profiles'))) {
      printProfile(JSON.parse(readFileSync(join(folder, 'profiles', file), 'utf8')));
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Until all of it is processed. */
async function send(server: RunningProcess, count: number): Promise<void> {
  const event = flags.kind === 'browser' ? browserEvent : serverEvent;
  const templates = makeTemplates({ key: KEY, event, eventsPerBody: 100, persons: 100_000, seed: 2 });
  await runLoad({ url: server.url, path: '/batch/', connections: 8, templates, maxRequests: Math.ceil(count / 100) });
  await untilProcessed(server);
}

/** CPU seconds by name and number of the thread. */
function threadSeconds(pid: number): Map<string, number> {
  return new Map(
    readdirSync(`/proc/${pid}/task`).map((thread) => {
      const [name = '', rest = ''] = readFileSync(`/proc/${pid}/task/${thread}/stat`, 'utf8').split(') ');
      const columns = rest.split(' ');
      return [
        `${name.split('(')[1]} ${Number(thread) - pid}`,
        (Number(columns[11]) + Number(columns[12])) / TICKS_PER_SECOND,
      ];
    }),
  );
}

function printThreads(before: ReadonlyMap<string, number>, after: ReadonlyMap<string, number>): void {
  const used = [...after].map(([name, seconds]) => [name, seconds - (before.get(name) ?? 0)] as const);
  const micros = (seconds: number): string => `${((seconds / events) * 1e6).toFixed(1).padStart(7)} µs`;
  console.log(`\nCPU time per ${flags.kind} event, by thread (name, number after the main one):`);
  for (const [name, seconds] of used.sort((a, b) => b[1] - a[1])) if (seconds > 0) console.log(micros(seconds), name);
  console.log(micros(used.reduce((sum, [, seconds]) => sum + seconds, 0)), 'in all');
}

function printProfile(profile: Parameters<typeof sumSelfTimes>[0]): void {
  const { busyMs, modules, functions } = sumSelfTimes(profile);
  const print = (times: readonly (readonly [name: string, ms: number])[]): void => {
    for (const [name, ms] of times.slice(0, Number(flags.rows))) {
      console.log(`${((ms / busyMs) * 100).toFixed(1).padStart(6)} %  ${name}`);
    }
  };
  console.log(`\nA thread that was busy for ${(busyMs / 1000).toFixed(1)} s, by module:`);
  print(modules);
  console.log('by function:');
  print(functions);
}

await main();
