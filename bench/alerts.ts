/**
 * What alerts and destinations cost.
 *
 * - `minute`: all alerts, each on an insight of its own, are checked once for a minute, beside the same questions asked
 *   without alerts, in turns.
 * - `hour`: the same for an hour, with seasons of six weeks, funnels, retention and lifecycle.
 * - `backtest`: 90 days of an alert by the hour, for each kind of insight, as before it is saved.
 * - `waits`: how long others wait for /e/ and /decide/ while as many alerts are checked every minute, and without alerts.
 * - `destinations`: CPU time of each captured event without a destination and with one.
 *
 *   npm run bench:alerts [-- --events 100000 --alerts 200 --rounds 3 --seconds 60 --only minute,waits --folder kept/]
 *
 * The events of `minute` and `hour` are kept for the next run if `--folder` is given.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { backtestAlert } from '../src/features/alerts/backtest-alert.ts';
import { AlertChecks } from '../src/features/alerts/check-alerts.ts';
import { answerSavedQuestions } from '../src/features/insights/api/answer-saved-questions.ts';
import { ResultCache } from '../src/features/insights/result-cache.ts';
import type { SavedQuestions } from '../src/features/insights/saved-questions.ts';
import { insightWorkerMethods } from '../src/features/insights/worker-methods.ts';
import { randomIds } from '../src/lib/ids.ts';
import { openLog } from '../src/lib/log.ts';
import { FEATURES, tablesOf } from '../src/runtime/features.ts';
import { SequenceThread } from '../src/runtime/sequence-thread.ts';
import { duckdbDialect } from '../src/stores/duckdb/dialect.ts';
import type { EventStore } from '../src/stores/events/event-store.ts';
import type { MetadataStore } from '../src/stores/metadata/metadata-store.ts';
import { openMetadataStore } from '../src/stores/sqlite/metadata-store.ts';
import { measureBesideAlerts } from './lib/beside-alerts.ts';
import { measureDestinationCost } from './lib/destination-cost.ts';
import { machine } from './lib/machine.ts';
import { type Cost, costOf, median } from './lib/race.ts';
import { openShopStore } from './lib/shop-store.ts';
import { DUE, LENGTHS, WATCHED_KINDS, type WatchInterval, watchShop } from './lib/watched-shop.ts';

const { values: flags } = parseArgs({
  options: {
    events: { type: 'string', default: '100000' },
    alerts: { type: 'string', default: '200' },
    rounds: { type: 'string', default: '3' },
    seconds: { type: 'string', default: '60' },
    only: { type: 'string', default: 'minute,hour,backtest,waits,destinations' },
    folder: { type: 'string' },
  },
});
const EVENTS = Number(flags.events);
const ALERTS = Number(flags.alerts);
const ROUNDS = Number(flags.rounds);
/** More would take long to send; what they cost each does not depend on how many there are. */
const MAX_SENT_EVENTS = 1_000_000;
const DESTINATION_EVENTS = 20_000;
const BACKTEST_WEEKS = 13;

const sequences = new SequenceThread(new URL('../sequence-worker.js', import.meta.url));

type Asked = Parameters<SavedQuestions['answer']>;

function openChecks(metadata: MetadataStore, events: EventStore, clock: { now(): number }) {
  const query = { metadata, events, dialect: duckdbDialect, clock, mirrorPersons: async () => undefined };
  const { answerQuestion } = insightWorkerMethods({ ...query, secondThread: () => sequences.methods() });
  const config = { queryTimeoutSeconds: 60 };
  const questions = answerSavedQuestions({ ...query, results: new ResultCache(clock), config, answerQuestion });
  const asked: Asked[] = [];
  const recorded: SavedQuestions = {
    ...questions,
    answer: (...question) => {
      asked.push(question);
      return questions.answer(...question);
    },
  };
  const measure = {
    ...query,
    questions: recorded,
    statements: { answer: () => Promise.reject(new Error('no statements here')) },
    lagMs: async () => 0,
    freeDiskShare: async () => 1,
  };
  const checks = new AlertChecks({
    ...measure,
    ids: randomIds,
    logger: openLog('warn'),
    metrics: { startEvaluation: () => () => undefined, missed: () => undefined },
    publicUrl: null,
  });
  return { checks, measure, questions, asked };
}

async function askAll(questions: SavedQuestions, asked: readonly Asked[]): Promise<void> {
  for (const one of asked) await questions.answer(...one);
}

const medianOf = (costs: readonly Cost[]): Cost => ({
  ms: Math.round(median(costs.map(({ ms }) => ms))),
  cpuMs: Math.round(median(costs.map(({ cpuMs }) => cpuMs))),
});

async function openShop(folder: string) {
  // As much memory as the server gives it.
  const options = { memoryLimit: '512MB' };
  const events = await openShopStore(join(folder, `shop-${EVENTS}.duckdb`), EVENTS, undefined, options);
  const metadataFile = join(mkdtempSync(join(tmpdir(), 'cairn-alerts-')), 'metadata.sqlite');
  const { metadata } = await openMetadataStore(metadataFile, 0, tablesOf(FEATURES));
  const close = async (): Promise<void> => {
    await events.close();
    await metadata.close();
    rmSync(dirname(metadataFile), { recursive: true });
  };
  return { events, metadata, close };
}

async function measureBacktests(folder: string) {
  const { events, metadata, close } = await openShop(folder);
  const project = await watchShop(metadata, WATCHED_KINDS, 'hourly');
  const { measure } = openChecks(metadata, events, { now: () => DUE });
  const costs = [];
  for (const { insightId, definition } of await metadata.alerts.listEnabled()) {
    const insight = await metadata.insights.get(project.id, insightId ?? 0);
    if (insight === null) throw new Error('an alert without its insight');
    const { filters, query } = insight;
    const own: Cost[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const signal = new AbortController().signal;
      const request = { project, definition, filters, query, weeks: BACKTEST_WEEKS, now: DUE + round, signal };
      own.push(await costOf(() => backtestAlert(measure, request)));
    }
    costs.push({ insight: filters['insight'], condition: definition.condition, ...medianOf(own) });
  }
  await close();
  return costs;
}

async function measureRounds(folder: string, interval: WatchInterval) {
  const { events, metadata, close } = await openShop(folder);
  await watchShop(metadata, ALERTS, interval);
  let now = DUE;
  const { checks, questions, asked } = openChecks(metadata, events, { now: () => now });
  const [checked, direct]: [Cost[], Cost[]] = [[], []];
  for (let round = 0; round <= ROUNDS; round++) {
    asked.length = 0;
    const own = await costOf(() => checks.check());
    const errors = (await metadata.alerts.listEnabled()).filter(({ progress }) => progress.errors > 0);
    if (errors.length > 0) throw new Error(`${errors.length} alerts could not be computed`);
    const others = await costOf(() => askAll(questions, asked));
    now += LENGTHS[interval];
    // The first one opens the file and warms up.
    if (round === 0) continue;
    checked.push(own);
    direct.push(others);
  }
  await checks.stop();
  await close();
  return { alerts: ALERTS, questions: asked.length, checked: medianOf(checked), askedDirectly: medianOf(direct) };
}

async function measure(folder: string) {
  const wants = (part: string): boolean => flags.only.split(',').includes(part);
  return {
    machine: machine(),
    events: EVENTS,
    ...(wants('minute') ? { byTheMinute: await measureRounds(folder, 'every_minute') } : {}),
    ...(wants('hour') ? { byTheHour: await measureRounds(folder, 'hourly') } : {}),
    ...(wants('backtest') ? { backtests: await measureBacktests(folder) } : {}),
    ...(wants('waits')
      ? { waits: await measureBesideAlerts(Number(flags.seconds), Math.min(EVENTS, MAX_SENT_EVENTS), ALERTS) }
      : {}),
    ...(wants('destinations') ? { destinations: await measureDestinationCost(DESTINATION_EVENTS) } : {}),
  };
}

const folder = flags.folder ?? mkdtempSync(join(tmpdir(), 'cairn-alerts-'));
mkdirSync(folder, { recursive: true });
try {
  const report = await measure(folder);
  console.log(JSON.stringify(report, null, 2));
  mkdirSync('bench/results', { recursive: true });
  writeFileSync('bench/results/alerts.json', `${JSON.stringify(report, null, 2)}\n`);
} finally {
  if (flags.folder === undefined) rmSync(folder, { recursive: true, force: true });
}
// The thread for sequences would keep the process.
process.exit();
