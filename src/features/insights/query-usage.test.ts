import { pino } from 'pino';
import { expect, it } from 'vitest';
import type { UsageCount } from '../../stores/metadata/query-usage.ts';
import { readFunnelQuestion } from './funnel/rules/read-funnel.ts';
import { firstUsageDay, QueryUsage } from './query-usage.ts';
import { readTrendsQuestion } from './trends/rules/read-trends.ts';

const NOW = Date.parse('2026-01-15T12:00:00Z');
const TODAY = NOW / 86_400_000 - 0.5;
const context = { now: NOW, timezone: 'UTC' };
const visits = readTrendsQuestion({ events: ['visit'], breakdown: 'plan', breakdown_type: 'person' }, context);
const checkout = readFunnelQuestion(
  { events: ['visit', { id: 'paid', properties: [{ key: 'amount', value: 3 }] }] },
  context,
);

/** A store that tests can make unavailable. */
function aStore() {
  const written: UsageCount[][] = [];
  const store = {
    written,
    isDown: false,
    addCounts: async (counts: readonly UsageCount[]) => {
      if (store.isDown) throw new Error('down');
      written.push([...counts]);
    },
    countSince: async () => new Map(),
    deleteBefore: async () => {},
  };
  return store;
}
const open = (store: ReturnType<typeof aStore>) =>
  new QueryUsage({ store, clock: { now: () => NOW }, logger: pino({ level: 'silent' }) });
const shown = (counts: readonly UsageCount[] = []) => counts.map(({ kind, name, count }) => `${kind} ${name} ${count}`);

it('writes counts together, by day', async () => {
  const store = aStore();
  const usage = open(store);
  usage.record(1, visits);
  usage.record(1, checkout);
  usage.record(2, visits);
  expect(store.written).toEqual([]);
  await usage.flush();
  await usage.flush();
  expect(store.written).toHaveLength(1);
  expect(shown(store.written[0])).toEqual([
    'event visit 2',
    'person_property plan 1',
    'event paid 1',
    'event_property amount 1',
    'event visit 1',
    'person_property plan 1',
  ]);
  expect(new Set(store.written[0]?.map(({ day }) => day))).toEqual(new Set([TODAY]));
});

it('loses nothing while the store fails', async () => {
  const store = aStore();
  const usage = open(store);
  usage.record(1, visits);
  store.isDown = true;
  await expect(usage.flush()).rejects.toThrow('down');
  usage.record(1, visits);
  store.isDown = false;
  await usage.flush();
  expect(shown(store.written[0])).toEqual(['event visit 2', 'person_property plan 2']);
});

it('limits the number and the length of names', async () => {
  const store = aStore();
  const usage = open(store);
  for (let n = 0; n < 120; n++) {
    const events = Array.from({ length: 100 }, (_, i) => `made up ${n * 100 + i}`);
    usage.record(1, readTrendsQuestion({ events }, context));
  }
  usage.record(1, readTrendsQuestion({ events: ['x'.repeat(401)] }, context));
  await usage.flush();
  expect(store.written[0]).toHaveLength(10_000);
});

it('counts today and the 29 days before it', () => {
  expect(firstUsageDay(NOW)).toBe(TODAY - 29);
});
