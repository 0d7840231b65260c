/** When alerts are checked, and what is asked for it: no more than is needed, and once for all that need the same. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { QUIET } from '../../src/core/alerts/judge.ts';
import type { JsonObject } from '../../src/core/json/json.ts';
import { newProject } from '../../src/features/accounts/projects.ts';
import { backtestAlert } from '../../src/features/alerts/backtest-alert.ts';
import { AlertChecks } from '../../src/features/alerts/check-alerts.ts';
import { readDefinition } from '../../src/features/alerts/rules/alert-definition.ts';
import { answerSavedQuestions } from '../../src/features/insights/api/answer-saved-questions.ts';
import { ResultCache } from '../../src/features/insights/result-cache.ts';
import { insightWorkerMethods } from '../../src/features/insights/worker-methods.ts';
import { randomIds } from '../../src/lib/ids.ts';
import { openLog } from '../../src/lib/log.ts';
import { FEATURES, tablesOf } from '../../src/runtime/features.ts';
import { duckdbDialect } from '../../src/stores/duckdb/dialect.ts';
import { openEventStore } from '../../src/stores/duckdb/event-store.ts';
import { anEvent, uuidOf } from '../contract/events.ts';
import { makeTempDir } from '../contract/temp-dir.ts';
import { openMigratedStore } from '../support/migrated-store.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const WEEK = 7 * DAY;
/** The hour that is checked: a Thursday. */
const SLOT = Date.parse('2026-01-15T12:00:00Z');
const MINUTE = 60_000;
const NOW = SLOT + HOUR + MINUTE + 1000;
const LOWER = { threshold: { configuration: { type: 'absolute', bounds: { lower: 10 } } } };
const UPPER = { threshold: { configuration: { type: 'absolute', bounds: { upper: 5 } } } };
const SEASONAL = {
  condition: { type: 'seasonal' },
  threshold: { configuration: { type: 'deviation', k: 4, direction: 'both' } },
};
const SEEN: JsonObject = { insight: 'TRENDS', events: [{ id: 'seen', type: 'events', order: 0 }] };

async function openAlerts() {
  const dir = makeTempDir();
  const events = await openEventStore(dir.path('events.duckdb'));
  const { metadata } = await openMigratedStore(dir.path('metadata.sqlite'), 0, tablesOf(FEATURES));
  let now = NOW;
  let lagMs = 0;
  const clock = { now: () => now };
  const query = { metadata, events, dialect: duckdbDialect, clock, mirrorPersons: async () => undefined };
  const { answerQuestion } = insightWorkerMethods(query);
  const config = { queryTimeoutSeconds: 60 };
  const questions = answerSavedQuestions({ ...query, results: new ResultCache(clock), config, answerQuestion });
  let answersAfter: Promise<unknown> = Promise.resolve();
  let onAsked = (): void => undefined;
  /** The hours of each question, counted from the one that is checked. */
  const asked: [first: number, length: number][] = [];
  const deps = {
    ...query,
    ids: randomIds,
    logger: openLog('silent'),
    metrics: { startEvaluation: () => () => undefined, missed: () => undefined },
    publicUrl: null,
    questions: {
      ...questions,
      async answer(...question: Parameters<typeof questions.answer>) {
        const { from, until } = question[2];
        asked.push([(from - SLOT) / HOUR, (until - from) / HOUR]);
        const delay = answersAfter;
        onAsked();
        await delay;
        return questions.answer(...question);
      },
    },
    statements: { answer: () => Promise.reject(new Error('There are no statements here.')) },
    lagMs: async () => lagMs,
    freeDiskShare: async () => 1,
  };
  const checks = new AlertChecks(deps);
  const project = await metadata.projects.create(
    newProject({ clock, ids: randomIds }, 'organization', 'P', 'phc_asked'),
  );
  let made = 0;
  let written = 0;
  return {
    asked,
    /** At that time, while the oldest event that waits has waited so long. */
    async check(at = NOW, lag = 0): Promise<void> {
      now = at;
      lagMs = lag;
      await checks.check();
    },
    /** How many of an event in the hours that start then. */
    async write(times: readonly number[], properties: JsonObject = {}): Promise<void> {
      const batch = times.map((timestamp) =>
        anEvent({ projectId: project.id, uuid: uuidOf(++written), event: 'seen', timestamp, properties }),
      );
      await events.write({ events: batch, overrides: [], position: written });
    },
    /** The next question is answered when another one was asked, or after this time. */
    delayNextAnswer(ms: number): void {
      answersAfter = new Promise<void>((resolve) => {
        setTimeout(resolve, ms).unref();
        onAsked = () => {
          answersAfter = Promise.resolve();
          onAsked = resolve;
        };
      });
    },
    async makeInsight(filters: JsonObject): Promise<number> {
      const insight = {
        ...{ projectId: project.id, shortId: `insight${++made}`, name: 'Seen', derivedName: null, description: '' },
        ...{ filters, query: null, order: null, saved: true, favorited: false, deleted: false, tags: [] },
        ...{ createdAt: SLOT, createdBy: null, updatedAt: SLOT, lastModifiedAt: SLOT, lastModifiedBy: null },
      };
      return (await metadata.insights.create(insight)).id;
    },
    async makeAlert(insightId: number, rule: JsonObject): Promise<string> {
      const id = randomIds.uuid();
      const config = { type: 'TrendsAlertConfig' };
      await metadata.alerts.create({
        ...{ id, projectId: project.id, insightId, name: 'Alert', enabled: true, subscribedUsers: [], targets: [] },
        definition: readDefinition({ config, calculation_interval: 'hourly', ...rule }),
        ...{ snoozedUntil: null, state: 'Not firing', progress: { judge: QUIET, errors: 0, lastValue: null } },
        ...{ nextSlot: SLOT, nextCheckAt: SLOT + HOUR + MINUTE, lastCheckedAt: null, lastNotifiedAt: null },
        ...{ revision: 1, createdAt: SLOT, createdBy: null, updatedAt: SLOT },
      });
      return id;
    },
    async checkOf(alertId: string) {
      const { items } = await metadata.alerts.listChecks(alertId, { limit: 1, offset: 0 });
      const { value, label, bounds, state } = items[0]?.details ?? {};
      return { value, label, bounds, state };
    },
    /** The slots that were checked, the newest first. */
    async slotsOf(alertId: string) {
      const { items } = await metadata.alerts.listChecks(alertId, { limit: 100, offset: 0 });
      return items.map(({ slot, details: { late, missed } }) => [(slot - SLOT) / HOUR, { late, missed }]);
    },
    async backtest(filters: JsonObject, rule: JsonObject) {
      const definition = readDefinition({
        config: { type: 'TrendsAlertConfig' },
        calculation_interval: 'hourly',
        ...rule,
      });
      const { signal } = new AbortController();
      return backtestAlert(deps, { project, definition, filters, query: null, weeks: 1, now: NOW, signal });
    },
    async close(): Promise<void> {
      await checks.stop();
      await events.close();
      await metadata.close();
      dir.remove();
    },
  };
}

let alerts: Awaited<ReturnType<typeof openAlerts>>;
beforeEach(async () => {
  alerts = await openAlerts();
});
afterEach(() => alerts.close());

const repeat = (count: number, start: number): number[] => Array.from({ length: count }, (_, i) => start + i * 1000);
/** The first is of a week before, the second of two weeks before. */
const ofEarlierWeeks = (counts: readonly number[]): number[] =>
  counts.flatMap((count, i) => repeat(count, SLOT - (i + 1) * WEEK));
const inOrder = (asked: readonly [number, number][]) => asked.toSorted(([a], [b]) => a - b);

describe('an hour', () => {
  it('is checked a minute after its end, once', async () => {
    const id = await alerts.makeAlert(await alerts.makeInsight(SEEN), LOWER);
    await alerts.check(SLOT + HOUR + MINUTE - 1);
    expect(await alerts.slotsOf(id)).toEqual([]);
    await alerts.check();
    await alerts.check(NOW + 30 * MINUTE);
    expect(await alerts.slotsOf(id)).toEqual([[0, { late: false, missed: 0 }]]);
  });

  it('waits for its events that are not processed, but not longer than five minutes', async () => {
    const id = await alerts.makeAlert(await alerts.makeInsight(SEEN), LOWER);
    await alerts.check(SLOT + HOUR + 5 * MINUTE - 1, 10 * MINUTE);
    expect(await alerts.slotsOf(id)).toEqual([]);
    await alerts.check(SLOT + HOUR + 5 * MINUTE, 10 * MINUTE);
    expect(await alerts.slotsOf(id)).toEqual([[0, { late: true, missed: 0 }]]);
    // What waits now came later than the next one.
    await alerts.check(SLOT + 2 * HOUR + 3 * MINUTE, 2 * MINUTE);
    expect(await alerts.slotsOf(id)).toEqual([
      [1, { late: false, missed: 0 }],
      [0, { late: true, missed: 0 }],
    ]);
  });

  it('that is the newest is the only one after a standstill; the others are counted', async () => {
    const id = await alerts.makeAlert(await alerts.makeInsight(SEEN), LOWER);
    await alerts.check(NOW + 7 * DAY);
    expect(await alerts.slotsOf(id)).toEqual([[168, { late: false, missed: 168 }]]);
  });

  it('of a weekend is neither checked nor counted where weekends are skipped', async () => {
    const id = await alerts.makeAlert(await alerts.makeInsight(SEEN), { ...LOWER, skip_weekend: true });
    // On Sunday: the last hour of Friday.
    await alerts.check(NOW + 3 * DAY);
    await alerts.check(NOW + 4 * DAY);
    expect(await alerts.slotsOf(id)).toEqual([
      [96, { late: false, missed: 12 }],
      [35, { late: false, missed: 35 }],
    ]);
  });
});

describe('alerts that are checked at the same time', () => {
  it('share the answer of their insight, and of one with the same question', async () => {
    await alerts.write(repeat(7, SLOT));
    const insight = await alerts.makeInsight(SEEN);
    const same = await alerts.makeInsight(SEEN);
    const other = await alerts.makeInsight({ ...SEEN, events: [{ id: 'other', type: 'events', order: 0 }] });
    const ids = [
      await alerts.makeAlert(insight, LOWER),
      await alerts.makeAlert(insight, UPPER),
      await alerts.makeAlert(same, UPPER),
      await alerts.makeAlert(other, LOWER),
    ];
    await alerts.check();
    expect(alerts.asked).toEqual([
      [0, 1],
      [0, 1],
    ]);
    const found = await Promise.all(ids.map((id) => alerts.checkOf(id)));
    expect(found.map(({ value, bounds, state }) => [value, bounds, state])).toEqual([
      [7, { lower: 10, upper: null }, 'Firing'],
      [7, { lower: null, upper: 5 }, 'Firing'],
      [7, { lower: null, upper: 5 }, 'Firing'],
      [0, { lower: 10, upper: null }, 'Firing'],
    ]);
  });
});

describe('an alert that takes long', () => {
  it('does not keep the next one waiting', async () => {
    await alerts.write(repeat(7, SLOT));
    const slow = await alerts.makeAlert(await alerts.makeInsight(SEEN), LOWER);
    const filters = { ...SEEN, events: [{ id: 'other', type: 'events', order: 0 }] };
    const next = await alerts.makeAlert(await alerts.makeInsight(filters), LOWER);
    // Longer than a check may take.
    alerts.delayNextAnswer(60_000);
    await alerts.check();
    expect(alerts.asked).toHaveLength(2);
    expect(await alerts.checkOf(slow)).toMatchObject({ value: 7, state: 'Firing' });
    expect(await alerts.checkOf(next)).toMatchObject({ value: 0, state: 'Firing' });
  });

  it('shares its answer with one that is checked meanwhile', async () => {
    await alerts.write(repeat(7, SLOT));
    const insight = await alerts.makeInsight(SEEN);
    const ids = [await alerts.makeAlert(insight, LOWER), await alerts.makeAlert(insight, UPPER)];
    alerts.delayNextAnswer(3000);
    await alerts.check();
    expect(alerts.asked).toEqual([[0, 1]]);
    for (const id of ids) expect(await alerts.checkOf(id)).toMatchObject({ value: 7, state: 'Firing' });
  });
});

describe('a seasonal alert', () => {
  it('asks for the same hour of six weeks only, and shares the current one with others', async () => {
    // What is in other hours does not count.
    await alerts.write([...repeat(3, SLOT - 7 * WEEK), ...repeat(50, SLOT - HOUR), ...repeat(50, SLOT - WEEK + HOUR)]);
    await alerts.write([...ofEarlierWeeks([10, 12, 11, 9, 10, 13]), ...repeat(24, SLOT)]);
    const insight = await alerts.makeInsight(SEEN);
    const seasonal = await alerts.makeAlert(insight, SEASONAL);
    const plain = await alerts.makeAlert(insight, LOWER);
    await alerts.check();
    const weeks = [-6, -5, -4, -3, -2, -1, 0].map((week) => [week * 168, 1]);
    expect(inOrder(alerts.asked)).toEqual(weeks);
    const spread = 4 * Math.sqrt(10.5);
    const bounds = { lower: 10.5 - spread, upper: 10.5 + spread };
    expect(await alerts.checkOf(seasonal)).toEqual({ value: 24, label: null, bounds, state: 'Firing' });
    expect(await alerts.checkOf(plain)).toMatchObject({ value: 24, state: 'Not firing' });
    // The back-test asks for all hours at once, and finds the same.
    alerts.asked.length = 0;
    const past = await alerts.backtest(SEEN, SEASONAL);
    expect(alerts.asked).toHaveLength(1);
    expect([past.values.at(-1), past.bounds.at(-1)]).toEqual([24, bounds]);
  });

  it('asks for the same hour of every day while there are fewer than three weeks', async () => {
    await alerts.write(Array.from({ length: 10 }, (_, i) => repeat(4, SLOT - (i + 1) * DAY)).flat());
    const seasonal = await alerts.makeAlert(await alerts.makeInsight(SEEN), SEASONAL);
    await alerts.check();
    expect(inOrder(alerts.asked)).toEqual([-10, -9, -8, -7, -6, -5, -4, -3, -2, -1, 0].map((day) => [day * 24, 1]));
    expect(await alerts.checkOf(seasonal)).toMatchObject({ value: 0, bounds: { lower: -4, upper: 12 } });
  });

  it('knows the values of a breakdown in all weeks, also those that are small in some and gone in others', async () => {
    for (let n = 0; n < 30; n++)
      await alerts.write([...ofEarlierWeeks([2, 2, 2, 2, 2, 2]), ...repeat(2, SLOT)], { plan: `plan ${n}` });
    await alerts.write([...ofEarlierWeeks([1, 1, 1, 1, 1, 1]), ...repeat(20, SLOT)], { plan: 'small' });
    await alerts.write(ofEarlierWeeks([40, 40, 40, 40, 40, 40]), { plan: 'gone' });
    const split = { ...SEEN, breakdown: 'plan', breakdown_type: 'event' };
    const insight = await alerts.makeInsight(split);
    const down = { threshold: { configuration: { type: 'deviation', k: 4, direction: 'down' } } };
    const up = { threshold: { configuration: { type: 'deviation', k: 4, direction: 'up' } } };
    const [falling, rising] = [
      await alerts.makeAlert(insight, { ...SEASONAL, ...down }),
      await alerts.makeAlert(insight, { ...SEASONAL, ...up }),
    ];
    await alerts.check();
    const lower = 40 - 4 * Math.sqrt(40);
    const gone = { value: 0, label: 'gone', bounds: { lower, upper: null }, state: 'Firing' };
    expect(await alerts.checkOf(falling)).toEqual(gone);
    const small = { value: 20, label: 'small', bounds: { lower: null, upper: 5 }, state: 'Firing' };
    expect(await alerts.checkOf(rising)).toEqual(small);
    expect(alerts.asked).toHaveLength(7);
  });
});
