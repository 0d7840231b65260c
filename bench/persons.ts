/**
 * How fast persons are found, compared with the same lookup in bare SQLite, and whether the server stays responsive.
 *
 *   npm run bench:persons [-- --persons 1000000 --ids 150000]
 *
 * Lookups of one person are timed four ways in one run: the rows from bare SQLite, the same through the store with
 * everything decoded, over HTTP, and over HTTP from a bare server that returns the same response from memory. Lists and
 * filters run several times over HTTP. All figures are medians. 'CPU' is the server's CPU time per request. 'stall' is
 * the longest response time of a small request sent meanwhile.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { openMetadataStore } from '../src/stores/sqlite/metadata-store.ts';
import { fillWithPersons, unindexed } from './lib/person-folder.ts';
import { bareLookup, LOOKUPS, median, storeLookup, timed } from './lib/person-lookups.ts';
import { type RunningProcess, startProcess } from './lib/processes.ts';

const { values: flags } = parseArgs({
  options: { persons: { type: 'string', default: '100000' }, ids: { type: 'string', default: '150000' } },
});
const PERSONS = Number(flags.persons);
const MANY_IDS = Number(flags.ids);
const KEY = 'phx_bench_personal_key';
const ROUNDS = 5;
const LOOKUP_ROUNDS = 500;
const MAX_INDEXING_SECONDS = 300;

async function ask(server: RunningProcess, path: string): Promise<string> {
  const response = await fetch(server.url + path, { headers: { authorization: `Bearer ${KEY}` } });
  if (response.status !== 200) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return response.text();
}

/** Milliseconds until the last byte; the bytes are discarded. */
async function timeOf(server: RunningProcess, path: string): Promise<number> {
  const before = performance.now();
  const response = await fetch(server.url + path, { headers: { authorization: `Bearer ${KEY}` } });
  if (response.status !== 200) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  for await (const _ of response.body ?? []) {
    // Only the time counts.
  }
  return performance.now() - before;
}

/** Also measures the longest response time of a small request meanwhile, ms. */
async function withStall<T>(server: RunningProcess, work: () => Promise<T>): Promise<{ result: T; stall: number }> {
  let [isRunning, stall] = [true, 0];
  const pinging = (async () => {
    while (isRunning) {
      const before = performance.now();
      await (await fetch(`${server.url}/_livez`)).text();
      stall = Math.max(stall, performance.now() - before);
    }
  })();
  const result = await work();
  isRunning = false;
  await pinging;
  return { result, stall };
}

const P = '/api/projects/1/persons/';
const having = (key: string, value: unknown, operator = 'exact'): string =>
  `${P}?properties=${encodeURIComponent(JSON.stringify([{ key, value, operator, type: 'person' }]))}`;

const REQUESTS: readonly [name: string, path: string][] = [
  ['first page', P],
  ['page at offset 10,000', `${P}?offset=10000`],
  ['search: distinct id', `${P}?search=device-5`],
  ['search: full email', `${P}?search=user5@example.org`],
  ['search: common substring', `${P}?search=example`],
  ['search: no match', `${P}?search=nobody`],
  ['filter: matches a quarter', having('plan', 'pro')],
  ['filter: matches one person', having('rare', 'yes')],
  ['filter: no match', having('seats', 100, 'gt')],
  ['filter: many distinct values', having('property_3', 'value 977')],
  ['icontains: no match', having('name', 'nobody', 'icontains')],
  ['regex: no match', having('name', '^Nobody$', 'regex')],
  ['complex regex: no match', having('name', '(No|Any)body$', 'regex')],
  ['number filter on names', having('name', 100, 'gt')],
  ['properties', `${P}properties/`],
  ['values', `${P}values/?key=plan`],
  [`one person with ${MANY_IDS} ids`, `${P}1/`],
];

/** A server with many persons, after it has indexed them. */
async function startFilled(dataDir: string, file: string): Promise<RunningProcess> {
  const env = { DATA_DIR: dataDir, PORT: '0', INIT_PERSONAL_API_KEY: KEY, LOG_LEVEL: 'warn' };
  execFileSync(process.execPath, ['scripts/build.js'], { stdio: 'inherit' });
  await (await openMetadataStore(file, 0)).metadata.close();
  fillWithPersons(file, { persons: PERSONS, manyIds: MANY_IDS });
  const before = performance.now();
  const server = await startProcess(['scripts/start.js', '--built'], env);
  const seconds = (): number => (performance.now() - before) / 1000;
  while (unindexed(file) >= 1000) {
    if (seconds() > MAX_INDEXING_SECONDS) throw new Error('The persons were not indexed in time.');
    await sleep(100);
  }
  console.log(`${PERSONS.toLocaleString('en')} persons, indexed ${seconds().toFixed(0)} s after the start`);
  return server;
}

async function lookUp(server: RunningProcess, file: string, dataDir: string): Promise<void> {
  const answers: [string, unknown][] = [];
  for (const [i, { path }] of LOOKUPS.entries()) answers.push([`/${i}`, JSON.parse(await ask(server, P + path(5)))]);
  const answersFile = join(dataDir, 'answers.json');
  writeFileSync(answersFile, JSON.stringify(Object.fromEntries(answers)));
  const bareServer = await startProcess(['scripts/run.js', 'bench/bare-server.ts'], { ANSWERS: answersFile });
  const { metadata } = await openMetadataStore(file, 0);
  console.log(
    'milliseconds'.padEnd(32) + ['SQLite', 'store', 'ratio', 'bare HTTP', 'HTTP', 'ratio'].map(cell).join(''),
  );
  for (const [i, lookup] of LOOKUPS.entries()) {
    const sqlite = await bareLookup(file, PERSONS, lookup);
    const store = await storeLookup(metadata.persons, PERSONS, lookup);
    const bareHttp = await timed(LOOKUP_ROUNDS, PERSONS, () => ask(bareServer, `/${i}`));
    const http = await timed(LOOKUP_ROUNDS, PERSONS, (n) => ask(server, P + lookup.path(n)));
    const cells = [sqlite.toFixed(3), store.toFixed(3), (store / sqlite).toFixed(1)];
    const overHttp = [bareHttp.toFixed(2), http.toFixed(2), (http / bareHttp).toFixed(1)];
    console.log(lookup.name.padEnd(32) + [...cells, ...overHttp].map(cell).join(''));
  }
  await metadata.close();
  await bareServer.stop();
}

const cell = (text: string): string => text.padStart(11);

async function measureRequest(server: RunningProcess, name: string, path: string): Promise<void> {
  const cpu = server.cpuSeconds();
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round++) times.push(await timeOf(server, path));
  const cpuMs = ((server.cpuSeconds() - cpu) / ROUNDS) * 1000;
  const { stall } = await withStall(server, () => timeOf(server, path));
  const figures = [median(times).toFixed(1), cpuMs.toFixed(0), stall.toFixed(0)].map((text) => text.padStart(8));
  console.log(`${name.padEnd(32)}${figures[0]} ms   CPU ${figures[1]} ms   stall ${figures[2]} ms`);
}

async function main(dataDir: string): Promise<void> {
  const file = join(dataDir, 'metadata.sqlite');
  const server = await startFilled(dataDir, file);
  await lookUp(server, file, dataDir);
  for (const [name, path] of REQUESTS) await measureRequest(server, name, path);
  const before = server.memoryMb();
  const { result: csv, stall } = await withStall(server, () => timeOf(server, `${P}?format=csv`));
  const grown = server.memoryMb() - before;
  console.log(`CSV export: ${(csv / 1000).toFixed(1)} s, stall ${stall.toFixed(0)} ms, memory +${grown.toFixed(0)} MB`);
  await server.stop();
}

const dataDir = mkdtempSync(join(tmpdir(), 'cairn-bench-'));
try {
  await main(dataDir);
} finally {
  rmSync(dataDir, { recursive: true, force: true });
}
