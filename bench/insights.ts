/**
 * How fast insights are computed, compared with hand-written SQL on the same file, and how that grows with the events.
 *
 *   npm run bench:insights [-- --events 1000000,3000000,10000000 --folder kept/ --only funnel,paths --short]
 *
 * The events are written through the event store, and kept for the next run if `--folder` is given. Each query runs
 * three times and the median counts; slow ones run once. Every size runs in its own process, to measure its peak
 * memory. `--short` is for CI: it checks that everything runs, not how fast.
 */
import { fork } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { parseArgs } from 'node:util';
import type { InsightDeps } from '../src/features/insights/shared/second-thread.ts';
import { SequenceThread } from '../src/runtime/sequence-thread.ts';
import { duckdbDialect } from '../src/stores/duckdb/dialect.ts';
import { openEventStore } from '../src/stores/duckdb/event-store.ts';
import type { EventStore } from '../src/stores/events/event-store.ts';
import { openMetadataStore } from '../src/stores/sqlite/metadata-store.ts';
import { CASES, type InsightCase, PROMOTED_CASES } from './lib/insight-questions.ts';
import { PROJECT, ProductTraffic, UNTIL } from './lib/product-traffic.ts';

const { values: flags } = parseArgs({
  options: {
    events: { type: 'string', default: '1000000,3000000,10000000' },
    folder: { type: 'string' },
    only: { type: 'string', default: '' },
    memory: { type: 'string', default: '512' },
    short: { type: 'boolean', default: false },
    fill: { type: 'string' },
    ask: { type: 'string' },
  },
});

const ROUNDS = flags.short ? 1 : 3;
/** Queries that take longer run only once. */
const SLOW_MS = 5000;
const MAX_MEMORY_MB = 2048;
/** Batches between two maintenances of a store that is being filled. */
const MAINTAIN_EVERY = 5;

interface Measured {
  name: string;
  ours: number;
  byHand: number;
  within: number;
  numbers: number;
  areSame: boolean;
  /** The longest event loop delay during our query, ms. */
  othersWait: number;
}

interface Report {
  events: number;
  measured: Measured[];
  peakMb: number;
}

const median = (times: number[]): number => times.sort((a, b) => a - b)[times.length >> 1] ?? 0;
const pathOf = (folder: string, events: number): string => join(folder, `events-${events}.duckdb`);

async function fill(path: string, events: number): Promise<void> {
  const draft = `${path}.draft`;
  for (const file of [draft, `${draft}.wal`]) rmSync(file, { force: true });
  const before = performance.now();
  const store = await openEventStore(draft);
  const traffic = new ProductTraffic(events);
  const batches = traffic.batches();
  // The next batch is generated while the engine commits this one.
  for (let next = batches.next(), written = 1; !next.done; written++) {
    const batch = next.value;
    const meanwhile = (): void => {
      next = batches.next();
    };
    await store.write({ ...batch, whileCommitting: meanwhile });
    // As in a server: properties that events usually have get columns.
    if (written % MAINTAIN_EVERY === 0 || next.done) while (await store.maintain(Date.now()));
  }
  const persons = traffic.persons();
  for (let at = 0; at < persons.length; at += 10_000) {
    const slice = persons.slice(at, at + 10_000);
    await store.mirrorPersons({ projectId: PROJECT, removed: [], persons: slice, position: { change: at, id: 0 } });
  }
  await store.close();
  renameSync(draft, path);
  console.log(`${events.toLocaleString('en')} events written in ${((performance.now() - before) / 1000).toFixed(0)} s`);
}

async function timed<T>(work: () => Promise<T>): Promise<{ ms: number; result: T }> {
  const times: number[] = [];
  let result: T | undefined;
  for (let round = 0; round < ROUNDS; round++) {
    const before = performance.now();
    result = await work();
    times.push(performance.now() - before);
    if (performance.now() - before > SLOW_MS) break;
  }
  return { ms: median(times), result: result as T };
}

type MetadataStores = Awaited<ReturnType<typeof openMetadataStore>>;

/** The file is built beside the folder of this one. */
const sequences = new SequenceThread(new URL('../sequence-worker.js', import.meta.url));

const depsOf = (events: EventStore, { metadata }: MetadataStores): InsightDeps => ({
  secondThread: () => sequences.methods(),
  events,
  dialect: duckdbDialect,
  metadata,
  clock: { now: () => UNTIL },
  mirrorPersons: async () => undefined,
});

const sorted = (numbers: readonly number[]): string => numbers.toSorted((a, b) => a - b).join();

const peakOf = (): number => Number(/VmHWM:\s+(\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))?.[1] ?? 0) / 1024;

/**
 * Each insight runs right before its hand-written query, so that both run under the same conditions. All insights run
 * once beforehand, to warm up the file and to measure their own peak memory.
 */
async function ask(folder: string, events: number): Promise<Report> {
  const stores = await openMetadataStore(join(folder, `metadata-${events}.sqlite`), 0);
  const store = await openEventStore(pathOf(folder, events), { memoryLimit: `${flags.memory}MB` });
  const deps = depsOf(store, stores);
  const cases = chosen(CASES);
  for (const one of cases) await one.ask(deps);
  const peakMb = peakOf();
  const measured = await measure(store, deps, cases);
  await store.close();
  measured.push(...(await measurePromoted(folder, events, stores)));
  await stores.metadata.close();
  await sequences.close();
  return { events, measured, peakMb };
}

/** Cases whose names contain one of the words of `--only`. */
const chosen = (cases: readonly InsightCase[]): InsightCase[] =>
  cases.filter(({ name }) => flags.only.split(',').some((word) => name.includes(word)));

async function measure(store: EventStore, deps: InsightDeps, cases: readonly InsightCase[]): Promise<Measured[]> {
  const measured: Measured[] = [];
  for (const { name, within, sql, check, ask: asking } of cases) {
    const delay = monitorEventLoopDelay({ resolution: 1 });
    delay.enable();
    const ours = await timed(() => asking(deps));
    delay.disable();
    const othersWait = delay.max / 1e6;
    const byHand = await timed(() => store.query(sql, []));
    const rows = check === undefined ? byHand.result : await store.query(check, []);
    const numbers = rows.map((row) => Number(row['n']));
    const areSame = sorted(ours.result) === sorted(numbers);
    measured.push({ name, ours: ours.ms, byHand: byHand.ms, within, numbers: numbers.length, areSame, othersWait });
  }
  return measured;
}

/** Queries that read a property before it gets a column (docs/decisions/0018), and one more to be safe. */
const WARM_UP_QUERIES = 3;

/** Uses a copy of the file: promoted columns are kept, and the next run would measure them instead of JSON. */
async function measurePromoted(folder: string, events: number, stores: MetadataStores): Promise<Measured[]> {
  const cases = chosen(PROMOTED_CASES);
  if (cases.length === 0) return [];
  const copy = `${pathOf(folder, events)}.promoted`;
  copyFileSync(pathOf(folder, events), copy);
  const store = await openEventStore(copy, { memoryLimit: `${flags.memory}MB` });
  try {
    const deps = depsOf(store, stores);
    for (const { ask: asking } of cases) for (let i = 0; i < WARM_UP_QUERIES; i++) await asking(deps);
    while (await store.maintain(UNTIL));
    const filled = (await store.listPromotedProperties()).filter((column) => column.filled === 1);
    if (filled.length < cases.length) throw new Error(`Only ${filled.length} properties got a column.`);
    return await measure(store, deps, cases);
  } finally {
    await store.close();
    for (const file of [copy, `${copy}.wal`]) rmSync(file, { force: true });
  }
}

function show({ events, measured, peakMb }: Report, smaller: Report | undefined): void {
  console.log(`\n${events.toLocaleString('en')} events; peak memory ${peakMb.toFixed(0)} MB`);
  console.log(`${'insight'.padEnd(34)}     Cairn  hand SQL   ratio   growth   rows     max stall`);
  for (const { name, ours, byHand, within, numbers, areSame, othersWait } of measured) {
    const before = smaller?.measured.find((one) => one.name === name);
    // 1 is linear: twice the events take twice the time.
    const growth = before && smaller ? (ours / before.ours / (events / smaller.events)).toFixed(2) : '';
    const ratio = ours / byHand;
    const verdict = areSame ? (ratio > within ? `  over ${within}` : '') : '  DIFFERENT RESULTS';
    const wait = `${othersWait.toFixed(0)} ms`;
    const times = [`${ours.toFixed(0)} ms`, `${byHand.toFixed(0)} ms`];
    const figures = [...times, ratio.toFixed(2), growth, String(numbers), wait];
    const widths = [10, 10, 8, 9, 7, 14];
    console.log(name.padEnd(34) + figures.map((text, i) => text.padStart(widths[i] ?? 0)).join('') + verdict);
  }
}

/** Runs this file in a child process for one step. */
const inOwnProcess = (args: readonly string[]): Promise<Report | undefined> =>
  new Promise((resolve, reject) => {
    const child = fork(process.argv[1] ?? '', [...args]);
    let report: Report | undefined;
    child.on('message', (message) => {
      report = message as Report;
    });
    child.on('exit', (code) =>
      code === 0 ? resolve(report) : reject(new Error(`The child process exited with code ${code}.`)),
    );
  });

async function main(folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true });
  const sizes = flags.short ? [100_000] : flags.events.split(',').map(Number);
  const common = [
    '--folder',
    folder,
    '--only',
    flags.only,
    '--memory',
    flags.memory,
    ...(flags.short ? ['--short'] : []),
  ];
  const reports: Report[] = [];
  for (const events of sizes) {
    if (!existsSync(pathOf(folder, events))) await inOwnProcess(['--fill', String(events), ...common]);
    const report = await inOwnProcess(['--ask', String(events), ...common]);
    if (report === undefined) throw new Error('The child process sent no report.');
    show(report, reports.at(-1));
    reports.push(report);
  }
  mkdirSync('bench/results', { recursive: true });
  writeFileSync('bench/results/insights.json', `${JSON.stringify(reports, null, 2)}\n`);
  const problems = reports.flatMap(({ events, measured, peakMb }) => [
    ...measured
      .filter(({ areSame }) => !areSame)
      .map(({ name }) => `${name} at ${events}: results differ from the hand-written SQL`),
    ...(peakMb > MAX_MEMORY_MB ? [`${events} events took ${peakMb.toFixed(0)} MB`] : []),
  ]);
  for (const problem of problems) console.error(problem);
  if (problems.length > 0) process.exitCode = 1;
}

if (flags.fill !== undefined) await fill(pathOf(flags.folder ?? '', Number(flags.fill)), Number(flags.fill));
else if (flags.ask !== undefined) process.send?.(await ask(flags.folder ?? '', Number(flags.ask)));
else {
  const folder = flags.folder ?? mkdtempSync(join(tmpdir(), 'cairn-bench-'));
  try {
    await main(folder);
  } finally {
    if (flags.folder === undefined) rmSync(folder, { recursive: true, force: true });
  }
}
