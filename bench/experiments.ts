/**
 * How fast an experiment is measured: ten metrics over the events of a made-up shop, everybody exposed, beside one plain
 * scan of the same events in the same run. With as much memory for the engine as the server has.
 *
 *   npm run bench:experiments [-- --events 10000000 --folder kept/ --each --memory 512MB]
 *
 * There are 50 events for each person, so 10 million events have 200,000 exposed. The events are kept for the next run
 * if `--folder` is given. First from the JSON of events, in a process of its own; then, in another one, with columns for
 * the properties that were read, which every store makes after a few statements. Then the same again after 1,000 new
 * events, some of them exposures, a minute later each time; from the cache of answers; and the statistics alone, of 20
 * metrics and 50 variants. `--each`: also every metric alone.
 */
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { MINUTE_MS } from '../src/core/time/units.ts';
import { KeptMeasurements } from '../src/features/experiments/measure/kept-measurements.ts';
import type { MetricQuestion } from '../src/features/experiments/rules/experiment-question.ts';
import { ResultCache } from '../src/features/insights/result-cache.ts';
import type { ScanDeps } from '../src/query/query-deps.ts';
import { duckdbDialect } from '../src/stores/duckdb/dialect.ts';
import { type EventFileStore, openEventStore } from '../src/stores/duckdb/event-store.ts';
import type { EventStore } from '../src/stores/events/event-store.ts';
import { openMetadataStore } from '../src/stores/sqlite/metadata-store.ts';
import { machine } from './lib/machine.ts';
import { compareMany } from './lib/many-comparisons.ts';
import { PROJECT, UNTIL } from './lib/product-traffic.ts';
import { median } from './lib/race.ts';
import { addEvents, EXPOSURE, exposureOf, METRICS, START } from './lib/shop-experiment.ts';
import { openShopStore } from './lib/shop-store.ts';

const { values: flags } = parseArgs({
  options: {
    events: { type: 'string', default: '10000000' },
    folder: { type: 'string' },
    each: { type: 'boolean', default: false },
    memory: { type: 'string', default: '512MB' },
    /** Of this process: `json` or `columns`; all of them without it. */
    part: { type: 'string' },
  },
});
const EVENTS = Number(flags.events);
const ROUNDS = 5;
/** A property gets a column after so many statements (docs/decisions/0018). */
const WARM_UP_QUERIES = 3;

/** Wall time, and the time of all cores. */
async function timed(name: string, work: () => Promise<unknown>): Promise<number> {
  const [before, cpu] = [performance.now(), process.cpuUsage()];
  await work();
  const ms = performance.now() - before;
  const { user, system } = process.cpuUsage(cpu);
  const cores = ((user + system) / 1000).toFixed(0).padStart(7);
  console.log(`${name.padEnd(44)} ${ms.toFixed(0).padStart(7)} ms  ${cores} ms of cores`);
  return ms;
}

/** What any answer costs at least: every event of every person, once. */
const plainScan = (store: EventStore): Promise<unknown> =>
  store.query('select count(*) from (select e.person_id, e.event, count(*) from event_rows e group by 1, 2) x', []);

const peakMb = (): number => Math.round(process.resourceUsage().maxRSS / 1024);
const round = (ms: number): number => Number(ms.toFixed(1));
const summary = (times: readonly number[]) => ({ medianMs: round(median(times)), worstMs: round(Math.max(...times)) });

interface Bench {
  deps: ScanDeps & { changes: EventFileStore };
  events: EventFileStore;
  measureAll(metrics: readonly MetricQuestion[]): Promise<unknown>;
}

async function measureJson({ events, measureAll }: Bench): Promise<void> {
  for (let i = 0; i < WARM_UP_QUERIES; i++) await timed('ten metrics, from JSON', () => measureAll(METRICS));
  console.log(`peak while properties were read from JSON: ${peakMb()} MB`);
  while (await events.maintain(UNTIL));
}

async function measureColumns({ deps, events, measureAll }: Bench): Promise<void> {
  const beforeMb = peakMb();
  const [first, added]: [number[], number[]] = [[], []];
  for (let i = 0; i < ROUNDS; i++) {
    const kept = new KeptMeasurements();
    const measureKept = (minutes: number) =>
      kept.measure(deps, PROJECT, {
        exposure: { ...EXPOSURE, range: { from: START, until: UNTIL + minutes * MINUTE_MS } },
        metrics: METRICS,
        split: null,
      });
    first.push(await timed('ten metrics, from columns', () => measureKept(2 * i)));
    await addEvents(events, 2 * i);
    added.push(await timed('after 1,000 new events', () => measureKept(2 * i + 1)));
  }
  const peak = peakMb();
  const result = {
    machine: machine(),
    events: EVENTS,
    plainScanMs: round(await timed('one plain scan', () => plainScan(events))),
    first: summary(first),
    afterNewEvents: summary(added),
    peakMb: peak,
    peakBeforeMb: beforeMb,
    engineLimit: flags.memory,
    cachedMs: round(await measureCached(measureAll)),
    comparisonsMs: await measureComparisons(),
  };
  console.log(JSON.stringify(result, null, 2));
  mkdirSync('bench/results', { recursive: true });
  writeFileSync('bench/results/experiments.json', `${JSON.stringify(result, null, 2)}\n`);
  if (flags.each)
    for (const [at, metric] of METRICS.entries())
      await timed(`metric ${at} alone: ${metric.kind}`, () => measureAll([metric]));
}

async function measureCached(measureAll: Bench['measureAll']): Promise<number> {
  const cache = new ResultCache({ now: () => UNTIL });
  const { signal } = new AbortController();
  const asked = { projectId: PROJECT, question: JSON.stringify([EXPOSURE, METRICS]), refresh: false, signal };
  const ask = () => cache.getOrCompute(asked, () => measureAll(METRICS));
  await ask();
  return timed('from the cache', ask);
}

/** The statistics alone; the first time, in which they are compiled, is apart. */
async function measureComparisons() {
  const compare = async (): Promise<void> => {
    if (compareMany(20, 50) !== 1000) throw new Error('Not all could be compared.');
  };
  const first = await timed('1,000 comparisons from sums, the first time', compare);
  const later: number[] = [];
  for (let i = 0; i < ROUNDS; i++) later.push(await timed('again', compare));
  return { first: round(first), ...summary(later) };
}

async function measurePart(folder: string, measure: (bench: Bench) => Promise<void>): Promise<void> {
  const events = await openEventStore(copyIn(folder), { memoryLimit: flags.memory });
  const { metadata } = await openMetadataStore(join(folder, 'metadata.sqlite'), 0);
  const clock = { now: () => UNTIL };
  const engine = { events, changes: events, dialect: duckdbDialect };
  const deps = { ...engine, metadata, clock, mirrorPersons: async () => undefined };
  const measureAll = (metrics: readonly MetricQuestion[]) =>
    new KeptMeasurements().measure(deps, PROJECT, { exposure: EXPOSURE, metrics, split: null });
  await measure({ deps, events, measureAll });
  await events.close();
  await metadata.close();
}

const fileIn = (folder: string): string => join(folder, `experiment-${EVENTS}.duckdb`);
/** Columns are kept, and the next run would measure them instead of JSON. */
const copyIn = (folder: string): string => `${fileIn(folder)}.copy`;

/** Each part in a process of its own, so that the peak is its own. */
async function measureAllParts(folder: string): Promise<void> {
  await (await openShopStore(fileIn(folder), EVENTS, exposureOf)).close();
  copyFileSync(fileIn(folder), copyIn(folder));
  try {
    for (const part of ['json', 'columns']) {
      const args = [process.argv[1] ?? '', ...process.argv.slice(2), '--folder', folder, '--part', part];
      const { status } = spawnSync(process.execPath, args, { stdio: 'inherit' });
      if (status !== 0) throw new Error(`Measuring ${part} failed.`);
    }
  } finally {
    for (const file of [copyIn(folder), `${copyIn(folder)}.wal`]) rmSync(file, { force: true });
  }
}

const own = flags.folder ?? mkdtempSync(join(tmpdir(), 'cairn-experiments-'));
mkdirSync(own, { recursive: true });
try {
  if (flags.part === undefined) await measureAllParts(own);
  else await measurePart(own, flags.part === 'json' ? measureJson : measureColumns);
} finally {
  if (flags.folder === undefined) rmSync(own, { recursive: true, force: true });
}
