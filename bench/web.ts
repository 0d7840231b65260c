/**
 * How fast web analytics is: the whole overview with comparison and all tables, tables of their own and who is here now,
 * over the traffic of a made-up shop, beside SQL written by hand for each tile, with the same numbers, in the same run.
 * And how long capture and flags take while a server computes overviews.
 *
 *   npm run bench:web [-- --events 10000000 --days 30 --folder kept/ --seconds 10 --short]
 *
 * The events are kept for the next run if `--folder` is given; only then the first visit finds nothing in memory.
 * `--short` is for CI: it checks that everything runs and that the numbers are equal, not how fast.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { parseArgs } from 'node:util';
import { NO_FILTER } from '../src/core/filters/property-filter.ts';
import { DAY_MS } from '../src/core/time/units.ts';
import { DEFAULT_WEB_SETTINGS } from '../src/core/web/web-settings.ts';
import type { OverviewAnswer } from '../src/features/web-analytics/measure/answer-overview.ts';
import type { TableKey, WebFilter, WebQuestion } from '../src/features/web-analytics/rules/web-question.ts';
import { webWorkerMethods } from '../src/features/web-analytics/worker-methods.ts';
import { SequenceThread } from '../src/runtime/sequence-thread.ts';
import { duckdbDialect } from '../src/stores/duckdb/dialect.ts';
import type { EventStore } from '../src/stores/events/event-store.ts';
import { openMetadataStore } from '../src/stores/sqlite/metadata-store.ts';
import { measureBesideOverview } from './lib/beside-overview.ts';
import { machine } from './lib/machine.ts';
import { PROJECT, UNTIL } from './lib/product-traffic.ts';
import { type Cost, costOf, median } from './lib/race.ts';
import { makeSessions, openShopSite } from './lib/shop-store.ts';
import { tilesOf } from './lib/web-by-hand.ts';

const { values: flags } = parseArgs({
  options: {
    events: { type: 'string', default: '100000' },
    days: { type: 'string', default: '30' },
    folder: { type: 'string' },
    seconds: { type: 'string', default: '10' },
    short: { type: 'boolean', default: false },
  },
});
const EVENTS = flags.short ? 20_000 : Number(flags.events);
const SECONDS = flags.short ? 1 : Number(flags.seconds);
const ROUNDS = flags.short ? 1 : 5;
/** Of a server at rest and one that computes overviews. */
const TURNS = flags.short ? 1 : 3;
const LENGTH = Number(flags.days) * DAY_MS;
const RANGE = { from: UNTIL - LENGTH, until: UNTIL };
const TABLES = ['channel', 'source', 'page', 'entry', 'exit', 'device', 'browser', 'os', 'country'] as const;
/** The first visits to the page give the properties that it reads columns of their own. */
const WARM_UP = 5;
/** A server is filled over HTTP, which takes its time. */
const MAX_SENT_EVENTS = 200_000;

/** The file is built beside the folder of this one. */
const second = new SequenceThread(new URL('../sequence-worker.js', import.meta.url));

type Site = ReturnType<typeof webWorkerMethods>;

const question = (filters: readonly WebFilter[] = []): WebQuestion => ({
  range: RANGE,
  interval: 'day',
  timezone: 'Europe/Berlin',
  filters,
  eventFilters: [],
  accountFilter: NO_FILTER,
  includeBots: false,
  includeOwn: false,
  settings: DEFAULT_WEB_SETTINGS,
});

const overview = ({ answerWeb }: Site, web = question()): Promise<OverviewAnswer> =>
  answerWeb('overview', PROJECT, {
    web,
    previous: { from: UNTIL - 2 * LENGTH, until: UNTIL - LENGTH },
    tables: TABLES,
    goals: [],
  });

const breakdown = ({ answerWeb }: Site, by: TableKey): Promise<unknown> =>
  answerWeb('breakdown', PROJECT, {
    web: question(),
    by,
    page: { limit: 100, offset: 0, search: '', order: '-visitors' },
  });

const live = ({ answerWeb }: Site): Promise<unknown> => answerWeb('live', PROJECT, { web: question() });

/** The least that any answer about these days costs. */
const uniqueVisitors = (store: EventStore): Promise<unknown> =>
  store.query(
    `select e.timestamp::date as day, count(distinct e.person_id) from event_rows e
     where e.event = '$pageview' and e.timestamp >= make_timestamp_ms($1) group by 1`,
    [RANGE.from],
  );

interface Measured extends Cost {
  /** The slowest round. */
  worstMs: number;
  /** How long other work of the thread had to wait at most. */
  othersWaitMs: number;
}

async function measure(work: () => Promise<unknown>, rounds = ROUNDS): Promise<Measured> {
  const loop = monitorEventLoopDelay({ resolution: 1 });
  loop.enable();
  const costs: Cost[] = [];
  for (let round = 0; round < rounds; round++) costs.push(await costOf(work));
  loop.disable();
  return {
    ms: rounded(median(costs.map(({ ms }) => ms))),
    cpuMs: rounded(median(costs.map(({ cpuMs }) => cpuMs))),
    worstMs: rounded(Math.max(...costs.map(({ ms }) => ms))),
    othersWaitMs: rounded(loop.max / 1e6),
  };
}

const rounded = (value: number): number => Number(value.toFixed(1));

/** Each tile in SQL by hand; fails if a number is another. */
async function measureByHand(store: EventStore, answer: OverviewAnswer): Promise<Record<string, Measured>> {
  const tiles: Record<string, Measured> = {};
  for (const { name, sql, numbers } of tilesOf(RANGE)) {
    let found: number[] = [];
    tiles[name] = await measure(
      async () => {
        found = (await store.query(sql, [])).map((row) => Number(row['n']));
      },
      flags.short ? 1 : 2,
    );
    const asked = numbers(answer);
    const isEqual = asked.length === found.length && asked.every((one, at) => Math.abs(one - (found[at] ?? 0)) < 1e-9);
    if (!isEqual) throw new Error(`${name}: ${asked.join(' ')} is not what SQL by hand finds, ${found.join(' ')}.`);
  }
  return tiles;
}

async function measureSite(folder: string) {
  // As much memory as the server gives it.
  const options = { memoryLimit: '512MB' };
  const events = await openShopSite(join(folder, `shop-${EVENTS}.duckdb`), EVENTS, options);
  const { metadata } = await openMetadataStore(join(folder, 'metadata.sqlite'), 0);
  const clock = { now: () => UNTIL };
  const mirrorPersons = async () => undefined;
  const secondThread = () => second.methods();
  const site = webWorkerMethods({ events, dialect: duckdbDialect, metadata, clock, mirrorPersons, secondThread });
  try {
    const made = await measure(() => makeSessions(events), 1);
    const first = await measure(() => overview(site), 1);
    for (let visit = 0; visit < WARM_UP; visit++) await overview(site);
    while (await events.maintain(Date.now()));
    const filter: WebFilter = { key: 'browser', operator: 'exact', values: ['Chrome'] };
    const asked = {
      'making the rows of sessions': made,
      'overview, first visit': first,
      overview: await measure(() => overview(site)),
      'overview, one filter': await measure(() => overview(site, question([filter]))),
      'all pages': await measure(() => breakdown(site, 'page')),
      'all sources': await measure(() => breakdown(site, 'source')),
      live: await measure(() => live(site)),
    };
    const byHand = {
      'unique visitors by day': await measure(() => uniqueVisitors(events)),
      ...(await measureByHand(events, await overview(site))),
    };
    return { asked, byHand };
  } finally {
    await second.close();
    await events.close();
    await metadata.close();
  }
}

function show(name: string, { ms, worstMs, cpuMs, othersWaitMs }: Measured): void {
  const columns = [ms, worstMs, cpuMs, othersWaitMs].map((value) => value.toFixed(0).padStart(9));
  console.log(`${name.padEnd(30)}${columns.join('')}`);
}

const own = flags.folder ?? mkdtempSync(join(tmpdir(), 'cairn-web-'));
mkdirSync(own, { recursive: true });
try {
  const { asked, byHand } = await measureSite(own);
  console.log(`${EVENTS.toLocaleString('en')} events of 90 days; ${flags.days} days, compared with those before`);
  console.log(`${'ms'.padEnd(30)}   median    worst      CPU   others wait`);
  for (const [name, cost] of Object.entries(asked)) show(name, cost);
  for (const [name, cost] of Object.entries(byHand)) show(`by hand: ${name}`, cost);
  const sent = Math.min(EVENTS, MAX_SENT_EVENTS);
  const waits = await measureBesideOverview({ seconds: SECONDS, turns: TURNS, events: sent });
  for (const name of ['quiet', 'besideOverview'] as const) console.log(`${name}: ${JSON.stringify(waits[name])}`);
  console.log(`overviews of a server: ${waits.overviews}`);
  const report = { machine: machine(), events: EVENTS, days: Number(flags.days), asked, byHand, waits };
  mkdirSync('bench/results', { recursive: true });
  writeFileSync('bench/results/web.json', `${JSON.stringify(report, null, 2)}\n`);
} finally {
  if (flags.folder === undefined) rmSync(own, { recursive: true, force: true });
}
