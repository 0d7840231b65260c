/**
 * How fast the page of web analytics is answered: the whole overview with comparison and all tables, over the traffic of a
 * made-up shop, beside the trend of unique visitors over the same days in the same run.
 *
 *   npm run bench:web [-- --events 10000000 --days 30 --folder kept/]
 *
 * The events are kept for the next run if `--folder` is given.
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { NO_FILTER } from '../src/core/filters/property-filter.ts';
import { DAY_MS } from '../src/core/time/units.ts';
import { DEFAULT_WEB_SETTINGS } from '../src/core/web/web-settings.ts';
import type { WebFilter, WebQuestion } from '../src/features/web-analytics/rules/web-question.ts';
import { webWorkerMethods } from '../src/features/web-analytics/worker-methods.ts';
import { SequenceThread } from '../src/runtime/sequence-thread.ts';
import { duckdbDialect } from '../src/stores/duckdb/dialect.ts';
import type { EventStore } from '../src/stores/events/event-store.ts';
import { openMetadataStore } from '../src/stores/sqlite/metadata-store.ts';
import { PROJECT, UNTIL } from './lib/product-traffic.ts';
import { type Cost, costOf } from './lib/race.ts';
import { openShopStore } from './lib/shop-store.ts';

const { values: flags } = parseArgs({
  options: {
    events: { type: 'string', default: '100000' },
    days: { type: 'string', default: '30' },
    folder: { type: 'string' },
  },
});
const EVENTS = Number(flags.events);
const LENGTH = Number(flags.days) * DAY_MS;
const TABLES = ['channel', 'source', 'page', 'entry', 'exit', 'device', 'browser', 'os', 'country'] as const;
/** The first visits to the page give the properties that it reads columns of their own. */
const WARM_UP = 5;

/** The file is built beside the folder of this one. */
const second = new SequenceThread(new URL('../sequence-worker.js', import.meta.url));

const question = (filters: readonly WebFilter[] = []): WebQuestion => ({
  range: { from: UNTIL - LENGTH, until: UNTIL },
  interval: 'day',
  timezone: 'Europe/Berlin',
  filters,
  eventFilters: [],
  accountFilter: NO_FILTER,
  includeBots: false,
  includeOwn: false,
  settings: DEFAULT_WEB_SETTINGS,
});

const overview = ({ answerWeb }: ReturnType<typeof webWorkerMethods>, web: WebQuestion): Promise<unknown> =>
  answerWeb('overview', PROJECT, {
    web,
    previous: { from: UNTIL - 2 * LENGTH, until: UNTIL - LENGTH },
    tables: TABLES,
    goals: [],
  });

/** The least that any answer about these days costs. */
const uniqueVisitors = (store: EventStore): Promise<unknown> =>
  store.query(
    `select e.timestamp::date as day, count(distinct e.person_id) from event_rows e
     where e.event = '$pageview' and e.timestamp >= make_timestamp_ms($1) group by 1`,
    [UNTIL - LENGTH],
  );

function show(name: string, { ms, cpuMs }: Cost, baseline: Cost): void {
  const ratio = (cpuMs / baseline.cpuMs).toFixed(1);
  console.log(
    `${name.padEnd(32)} ${ms.toFixed(0).padStart(7)} ms ${cpuMs.toFixed(0).padStart(7)} ms CPU ${ratio.padStart(7)}`,
  );
}

/** All rows of sessions, which the background does for a store of this size. */
async function makeSessions(store: EventStore): Promise<void> {
  while (!(await store.prepareSessions(PROJECT))) await store.maintain(Date.now());
}

async function measure(folder: string): Promise<void> {
  // As much memory as the server gives it.
  const options = { memoryLimit: '512MB' };
  const events = await openShopStore(join(folder, `shop-${EVENTS}.duckdb`), EVENTS, undefined, options);
  const { metadata } = await openMetadataStore(join(folder, 'metadata.sqlite'), 0);
  const clock = { now: () => UNTIL };
  const mirrorPersons = async () => undefined;
  const secondThread = () => second.methods();
  const site = webWorkerMethods({ events, dialect: duckdbDialect, metadata, clock, mirrorPersons, secondThread });
  const made = await costOf(() => makeSessions(events));
  const cold = await costOf(() => overview(site, question()));
  for (let visit = 0; visit < WARM_UP; visit++) await overview(site, question());
  while (await events.maintain(Date.now()));
  const baseline = await costOf(() => uniqueVisitors(events));
  const filter: WebFilter = { key: 'browser', operator: 'exact', values: ['Chrome'] };
  console.log(`${EVENTS.toLocaleString('en')} events of 90 days; ${flags.days} days, compared with those before`);
  show('unique visitors by day', baseline, baseline);
  show('making the rows of sessions', made, baseline);
  show('overview, first visit', cold, baseline);
  show('overview', await costOf(() => overview(site, question())), baseline);
  show('overview, one filter', await costOf(() => overview(site, question([filter]))), baseline);
  await second.close();
  await events.close();
  await metadata.close();
}

const own = flags.folder ?? mkdtempSync(join(tmpdir(), 'cairn-web-'));
mkdirSync(own, { recursive: true });
try {
  await measure(own);
} finally {
  if (flags.folder === undefined) rmSync(own, { recursive: true, force: true });
}
