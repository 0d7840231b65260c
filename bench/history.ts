/**
 * What a long history costs: the same load on an empty server and on one that knows the ids of many events.
 *
 *   npm run bench:history [-- --ids 50000000 --events 200000 --rounds 3] [-- --short]
 *
 * All ids are random (v4): these are the worst case, since each may be anywhere among the known ones.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { DATA_FILES } from '../src/stores/data-files.ts';
import { makeFolder } from './lib/decide-folder.ts';
import { fillWithIds } from './lib/fill-seen.ts';
import { runLoad } from './lib/load.ts';
import { type RunningProcess, startProcess } from './lib/processes.ts';
import { serverEvent } from './lib/server-events.ts';
import { makeTemplates } from './lib/templates.ts';
import { untilProcessed } from './lib/until-processed.ts';

const { values: flags } = parseArgs({
  options: {
    ids: { type: 'string', default: '50000000' },
    events: { type: 'string', default: '200000' },
    rounds: { type: 'string', default: '3' },
    short: { type: 'boolean', default: false },
  },
});
const ids = flags.short ? 500_000 : Number(flags.ids);
const events = flags.short ? 40_000 : Number(flags.events);
const rounds = flags.short ? 1 : Number(flags.rounds);
const KEY = 'phc_bench_project_key';
const EVENTS_PER_REQUEST = 100;

interface Side {
  server: RunningProcess;
  events: number;
  seconds: number;
  cpuSeconds: number;
}

/** Until everything is accepted and processed. */
async function load(side: Side, count: number): Promise<void> {
  const { server } = side;
  const [start, cpu] = [performance.now(), server.cpuSeconds()];
  const templates = makeTemplates({
    key: KEY,
    event: serverEvent,
    eventsPerBody: EVENTS_PER_REQUEST,
    persons: 20_000,
    seed: 1,
    hasRandomIds: true,
  });
  const maxRequests = Math.ceil(count / EVENTS_PER_REQUEST);
  const result = await runLoad({ url: server.url, path: '/batch/', connections: 8, templates, maxRequests });
  await untilProcessed(server);
  if (result.failures > 0) throw new Error(`${result.failures} requests failed`);
  side.events += result.events;
  side.seconds += (performance.now() - start) / 1000;
  side.cpuSeconds += server.cpuSeconds() - cpu;
}

async function startSide(dataDir: string): Promise<Side> {
  const env = { DATA_DIR: dataDir, PORT: '0' };
  return {
    server: await startProcess(['scripts/start.js', '--built'], env),
    ...{ events: 0, seconds: 0, cpuSeconds: 0 },
  };
}

const round = (value: number, digits = 0): number => Number(value.toFixed(digits));

const figures = ({ server, events: done, seconds, cpuSeconds }: Side) => ({
  eventsPerSecond: round(done / seconds),
  cpuMicrosPerEvent: round((cpuSeconds / done) * 1e6, 1),
  memoryMb: round(server.memoryMb()),
});

async function main(): Promise<void> {
  execFileSync(process.execPath, ['scripts/build.js']);
  const root = mkdtempSync(join(tmpdir(), 'cairn-bench-'));
  const [emptyDir, filledDir] = [join(root, 'empty'), join(root, 'filled')];
  const sides: Side[] = [];
  try {
    for (const dir of [emptyDir, filledDir]) {
      mkdirSync(dir);
      await makeFolder(dir, { projects: { [KEY]: { flags: 0, persons: 0 } }, personalKey: 'phx_bench' });
    }
    const path = join(filledDir, DATA_FILES.metadata);
    const before = statSync(path).size;
    const start = performance.now();
    await fillWithIds(path, 1, ids);
    const fillSeconds = round((performance.now() - start) / 1000);
    const bytesPerId = round((statSync(path).size - before) / ids, 1);
    sides.push(await startSide(emptyDir), await startSide(filledDir));
    const [empty, filled] = sides as [Side, Side];
    for (const side of sides) await load(side, 20_000);
    for (const side of sides) Object.assign(side, { events: 0, seconds: 0, cpuSeconds: 0 });
    for (let n = 0; n < rounds; n++) for (const side of sides) await load(side, events);
    const report = {
      ids,
      fillSeconds,
      bytesPerId,
      empty: figures(empty),
      filled: figures(filled),
      ratioOfRates: round(filled.events / filled.seconds / (empty.events / empty.seconds), 2),
      ratioOfCpu: round(filled.cpuSeconds / filled.events / (empty.cpuSeconds / empty.events), 2),
    };
    console.log(JSON.stringify(report, null, 2));
    mkdirSync('bench/results', { recursive: true });
    writeFileSync('bench/results/history.json', `${JSON.stringify(report, null, 2)}\n`);
  } finally {
    await Promise.all(sides.map(({ server }) => server.stop()));
    rmSync(root, { recursive: true, force: true });
  }
}

await main();
