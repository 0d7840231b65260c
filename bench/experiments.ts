/**
 * How fast an experiment is measured: ten metrics over the events of a made-up shop, everybody exposed, beside one plain
 * scan of the same events in the same run.
 *
 *   npm run bench:experiments [-- --events 10000000 --folder kept/ --each]
 *
 * There are 50 events for each person, so 10 million events have 200,000 exposed. The events are kept for the next run
 * if `--folder` is given. First from the JSON of events; then with columns for the properties that were read, which every
 * store makes after a few statements. Then the same again after 1,000 new events, some of them exposures, a minute later
 * each time; and from the cache of answers. `--each`: also every metric alone.
 */
import { randomUUID } from 'node:crypto';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Entity } from '../src/core/actions/entity.ts';
import { hotProperties } from '../src/core/events/hot-properties.ts';
import { NO_FILTER } from '../src/core/filters/property-filter.ts';
import { DAY_MS, MINUTE_MS } from '../src/core/time/units.ts';
import { KeptMeasurements } from '../src/features/experiments/measure/kept-measurements.ts';
import { measureExperiment } from '../src/features/experiments/measure/measure-experiment.ts';
import type {
  ExposureQuestion,
  MeasuredEntity,
  MetricQuestion,
} from '../src/features/experiments/rules/experiment-question.ts';
import { ResultCache } from '../src/features/insights/result-cache.ts';
import type { ScanDeps } from '../src/query/query-deps.ts';
import { duckdbDialect } from '../src/stores/duckdb/dialect.ts';
import { openEventStore } from '../src/stores/duckdb/event-store.ts';
import type { EventStore, StoredEvent } from '../src/stores/events/event-store.ts';
import { openMetadataStore } from '../src/stores/sqlite/metadata-store.ts';
import { FROM, PROJECT, UNTIL } from './lib/product-traffic.ts';
import { openShopStore } from './lib/shop-store.ts';

const { values: flags } = parseArgs({
  options: { events: { type: 'string', default: '10000000' }, folder: { type: 'string' }, each: { type: 'boolean' } },
});
const EVENTS = Number(flags.events);
const START = FROM + 30 * DAY_MS;

const event = (id: string): Entity => ({ kind: 'event', id, name: id, customName: null, filter: NO_FILTER });
const count = (id: string): MeasuredEntity => ({ entity: event(id), measure: { kind: 'count' } });
const total: MeasuredEntity = { entity: event('purchased'), measure: { kind: 'sum', property: 'amount' } };

const EXPOSURE: ExposureQuestion = {
  flagKey: 'checkout',
  event: null,
  variants: ['control', 'test'],
  range: { from: START, until: UNTIL },
  actor: { kind: 'person' },
  severalVariants: 'exclude',
  filter: NO_FILTER,
  timezone: 'UTC',
};

const shared = { windowMs: null, exposedBefore: null, lookbackMs: 14 * DAY_MS };
const METRICS: readonly MetricQuestion[] = [
  { kind: 'mean', measured: count('$pageview'), ...shared },
  { kind: 'mean', measured: count('added to cart'), ...shared },
  { kind: 'mean', measured: total, ...shared },
  { kind: 'mean', measured: total, ...shared, windowMs: 7 * DAY_MS },
  { kind: 'funnel', order: 'ordered', steps: [event('purchased')], ...shared },
  { kind: 'funnel', order: 'ordered', steps: [event('added to cart'), event('purchased')], ...shared },
  {
    kind: 'funnel',
    order: 'ordered',
    steps: [event('$pageview'), event('added to cart'), event('purchased')],
    ...shared,
  },
  { kind: 'ratio', numerator: total, denominator: count('purchased'), ...shared },
  { kind: 'ratio', numerator: count('added to cart'), denominator: count('$pageview'), ...shared },
  {
    kind: 'retention',
    start: event('added to cart'),
    completion: event('$pageview'),
    unit: 'day',
    windowStart: 1,
    windowEnd: 7,
    startHandling: 'first_seen',
    spanMs: 9 * DAY_MS,
    ...shared,
  },
];

/** Everybody calls the flag once, some time in the first 30 days. */
const exposureOf = (person: { uuid: string }, at: number): StoredEvent =>
  eventOf(person.uuid, {
    uuid: `00000000-0000-4000-9000-${String(at).padStart(12, '0')}`,
    event: '$feature_flag_called',
    timestamp: START + ((at * 7_919) % (30 * 24 * 60)) * 60_000,
    parsed: { $feature_flag: 'checkout', $feature_flag_response: at % 2 === 0 ? 'control' : 'test' },
  });

const eventOf = (
  personId: string,
  { parsed, ...event }: Pick<StoredEvent, 'uuid' | 'event' | 'timestamp' | 'parsed'>,
): StoredEvent => ({
  ...event,
  projectId: PROJECT,
  distinctId: personId,
  personId,
  createdAt: UNTIL,
  properties: JSON.stringify(parsed),
  parsed,
  hot: hotProperties(parsed),
  elementsChain: '',
  groups: [null, null, null, null, null],
});

const NEW_EVENTS = 1000;

/** Events of so many different persons in one minute, every tenth an exposure, every tenth a purchase. */
async function addEvents(store: EventStore, round: number): Promise<void> {
  const persons = await store.query('select distinct person_id from event_rows using sample 2000 rows', []);
  const events = persons.slice(0, NEW_EVENTS).map(({ person_id: person }, at): StoredEvent => {
    const [uuid, timestamp] = [randomUUID(), UNTIL + round * MINUTE_MS + at];
    const { event, parsed } = exposureOf({ uuid: String(person) }, at);
    if (at % 10 === 0) return eventOf(String(person), { uuid, timestamp, event, parsed });
    const isPurchase = at % 10 === 1;
    return eventOf(String(person), {
      uuid,
      timestamp,
      event: isPurchase ? 'purchased' : '$pageview',
      parsed: isPurchase ? { amount: 12.5 } : {},
    });
  });
  await store.write({ events, overrides: [], position: (await store.position()) + 1 });
}

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

/** A property gets a column after so many statements (docs/decisions/0018). */
const WARM_UP_QUERIES = 3;

async function measure(folder: string): Promise<void> {
  const path = join(folder, `experiment-${EVENTS}.duckdb`);
  await (await openShopStore(path, EVENTS, exposureOf)).close();
  // Columns are kept, and the next run would measure them instead of JSON.
  const copy = `${path}.copy`;
  copyFileSync(path, copy);
  const events = await openEventStore(copy);
  const { metadata } = await openMetadataStore(join(folder, 'metadata.sqlite'), 0);
  const clock = { now: () => UNTIL };
  const deps: ScanDeps = { events, dialect: duckdbDialect, metadata, clock, mirrorPersons: async () => undefined };
  const measureAll = (metrics: readonly MetricQuestion[]) => measureExperiment(deps, PROJECT, EXPOSURE, metrics);
  await timed('one plain scan', () => plainScan(events));
  for (let i = 0; i < WARM_UP_QUERIES; i++) await timed('ten metrics, from JSON', () => measureAll(METRICS));
  while (await events.maintain(UNTIL));
  const scan = await timed('one plain scan', () => plainScan(events));
  if (flags.each)
    for (const [at, metric] of METRICS.entries())
      await timed(`metric ${at} alone: ${metric.kind}`, () => measureAll([metric]));
  const { byVariant } = (await measureAll([])).exposures;
  await timed('exposures', () => measureAll([]));
  const first: number[] = [];
  const added: number[] = [];
  for (let i = 0; i < 3; i++) {
    const kept = new KeptMeasurements();
    const measureKept = (minutes: number) =>
      kept.measure({ ...deps, changes: events }, PROJECT, {
        exposure: { ...EXPOSURE, range: { from: START, until: UNTIL + minutes * MINUTE_MS } },
        metrics: METRICS,
        split: null,
      });
    first.push(await timed('ten metrics, from columns', () => measureKept(2 * i)));
    await addEvents(events, 2 * i);
    added.push(await timed('after 1,000 new events', () => measureKept(2 * i + 1)));
  }
  await measureCached(measureAll);
  const [best, again] = [Math.min(...first), Math.min(...added)];
  const memory = (process.resourceUsage().maxRSS / 1024).toFixed(0);
  console.log(`first answer ${best.toFixed(0)} ms, ${(best / scan).toFixed(1)} plain scans`);
  console.log(`after 1,000 new events ${again.toFixed(0)} ms, peak ${memory} MB`);
  console.log(`exposed: ${JSON.stringify(byVariant)}`);
  await events.close();
  await metadata.close();
  for (const file of [copy, `${copy}.wal`]) rmSync(file, { force: true });
}

async function measureCached(measureAll: (metrics: readonly MetricQuestion[]) => Promise<unknown>): Promise<void> {
  const cache = new ResultCache({ now: () => UNTIL });
  const { signal } = new AbortController();
  const asked = { projectId: PROJECT, question: JSON.stringify([EXPOSURE, METRICS]), refresh: false, signal };
  const ask = () => cache.getOrCompute(asked, () => measureAll(METRICS));
  await ask();
  await timed('from the cache', ask);
}

const own = flags.folder ?? mkdtempSync(join(tmpdir(), 'cairn-experiments-'));
mkdirSync(own, { recursive: true });
try {
  await measure(own);
} finally {
  if (flags.folder === undefined) rmSync(own, { recursive: true, force: true });
}
