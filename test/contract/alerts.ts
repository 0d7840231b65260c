/** What a store keeps of alerts, their checks, and deliveries. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { QUIET } from '../../src/core/alerts/judge.ts';
import type { Alert, AlertCheck } from '../../src/features/alerts/store/alert-store.ts';
import type { NewDelivery } from '../../src/features/deliveries/store/delivery-store.ts';
import type { MetadataStore } from '../../src/stores/metadata/metadata-store.ts';

/** Beyond 32 bits, as times are. */
const NOW = 1_768_478_400_000;
const PAGE = { limit: 100, offset: 0 };

const anAlert = (id: string, rest: Partial<Alert> = {}): Alert => ({
  id,
  projectId: 1,
  insightId: 5,
  name: 'Sign-ups are low',
  enabled: true,
  definition: {
    condition: 'absolute_value',
    threshold: { type: 'absolute', lower: 0.1, upper: null },
    config: { type: 'TrendsAlertConfig', seriesIndex: 0, checkOngoing: false },
    interval: 'hourly',
    skipWeekend: false,
    hysteresis: { for: 1, clearFor: 1, margin: 0, remindEveryMs: null },
  },
  subscribedUsers: [1, 2],
  targets: [],
  snoozedUntil: null,
  state: 'Not firing',
  progress: { judge: QUIET, errors: 0, lastValue: 0.25 },
  nextSlot: NOW,
  nextCheckAt: NOW + 1,
  lastCheckedAt: null,
  lastNotifiedAt: null,
  revision: 1,
  createdAt: NOW,
  createdBy: 7,
  updatedAt: NOW,
  ...rest,
});

const aCheck = (alertId: string, slot: number): Omit<AlertCheck, 'id'> => ({
  projectId: 1,
  alertId,
  slot,
  createdAt: slot,
  details: {
    value: 3.5,
    label: 'Chrome',
    bounds: { lower: 1, upper: null },
    state: 'Firing',
    reason: null,
    late: false,
    missed: 2,
    targets: [],
  },
});

const aDelivery = (key: string, rest: Partial<NewDelivery> = {}): NewDelivery => ({
  projectId: 1,
  key,
  kind: 'alert',
  subjectId: 'a',
  slot: NOW,
  target: { type: 'slack_webhook', url: 'https://hooks.example.org/x' },
  targetHash: 'h1',
  message: {
    type: 'alert.firing',
    timestamp: NOW,
    title: 'Firing: "x"',
    text: 'The value is 3.',
    facts: [],
    url: null,
    data: { value: 3 },
  },
  ownerId: 7,
  createdAt: NOW,
  ...rest,
});

export function describeAlerts(name: string, open: () => Promise<{ metadata: MetadataStore }>): void {
  describe(`alerts and deliveries: ${name}`, () => {
    let store: MetadataStore;
    beforeEach(async () => {
      ({ metadata: store } = await open());
    });
    afterEach(() => store.close());

    it('returns an alert unchanged, in its project only, until it is deleted with its checks', async () => {
      await store.alerts.create(anAlert('a'));
      expect(await store.alerts.get(1, 'a')).toEqual(anAlert('a'));
      expect(await store.alerts.get(2, 'a')).toBeNull();
      const changed = anAlert('a', { enabled: false, insightId: null, snoozedUntil: NOW + 5, state: 'Errored' });
      await store.alerts.update(changed);
      expect(await store.alerts.get(1, 'a')).toEqual(changed);
      await store.alerts.createCheck(aCheck('a', NOW));
      await store.alerts.delete('a');
      expect(await store.alerts.get(1, 'a')).toBeNull();
      expect((await store.alerts.listChecks('a', PAGE)).count).toBe(0);
    });

    it('lists what is due in all projects, and the alerts of an insight', async () => {
      await store.alerts.create(anAlert('late', { nextCheckAt: NOW - 5 }));
      await store.alerts.create(anAlert('soon', { projectId: 2, nextCheckAt: NOW - 9 }));
      await store.alerts.create(anAlert('later', { nextCheckAt: NOW + 9, insightId: 6 }));
      await store.alerts.create(anAlert('off', { nextCheckAt: NOW - 5, enabled: false }));
      const ids = (alerts: readonly Alert[]) => alerts.map(({ id }) => id);
      expect(ids(await store.alerts.listDue(NOW))).toEqual(['soon', 'late']);
      expect(ids((await store.alerts.list(1, 6, PAGE)).items)).toEqual(['later']);
      expect((await store.alerts.list(1, undefined, PAGE)).count).toBe(3);
      expect(ids(await store.alerts.listEnabled()).sort()).toEqual(['late', 'later', 'soon']);
    });

    it('says when alerts of a project began to fire', async () => {
      await store.alerts.create(anAlert('a', { name: 'Low', insightId: 6 }));
      await store.alerts.create(anAlert('b', { name: 'Silent', insightId: null }));
      await store.alerts.create(anAlert('c', { projectId: 2 }));
      const check = async (id: string, slot: number, state: 'Firing' | 'Not firing') => {
        const made = aCheck(id, NOW + slot);
        // A text of strangers that looks like a state.
        await store.alerts.createCheck({ ...made, details: { ...made.details, state, label: '"state":"Firing"' } });
      };
      for (const [slot, state] of [
        [1, 'Not firing'],
        [2, 'Firing'],
        [3, 'Firing'],
        [4, 'Not firing'],
        [5, 'Firing'],
      ] as const)
        await check('a', slot, state);
      await check('b', 3, 'Firing');
      await check('c', 3, 'Firing');
      const low = { alertId: 'a', name: 'Low', insightId: 6 };
      const silent = { alertId: 'b', name: 'Silent', insightId: null, slot: NOW + 3 };
      expect(await store.alerts.listFirings(1, {}, 10)).toEqual([
        { ...low, slot: NOW + 5 },
        silent,
        { ...low, slot: NOW + 2 },
      ]);
      expect(await store.alerts.listFirings(1, { after: NOW + 1, before: NOW + 4 }, 1)).toEqual([silent]);
    });

    it('keeps one check for each slot', async () => {
      expect(await store.alerts.createCheck(aCheck('a', NOW))).toBe(true);
      expect(await store.alerts.createCheck(aCheck('a', NOW))).toBe(false);
      expect(await store.alerts.createCheck(aCheck('a', NOW + 1))).toBe(true);
      expect(await store.alerts.createCheck(aCheck('b', NOW))).toBe(true);
      const { items } = await store.alerts.listChecks('a', PAGE);
      expect(items.map(({ slot }) => slot)).toEqual([NOW + 1, NOW]);
      expect(items[0]?.details).toEqual(aCheck('a', NOW).details);
      await store.alerts.deleteChecksBefore(NOW + 1);
      expect((await store.alerts.listChecks('a', PAGE)).items.map(({ slot }) => slot)).toEqual([NOW + 1]);
    });

    it('keeps one delivery for each key', async () => {
      expect(await store.deliveries.create([aDelivery('k1'), aDelivery('k2')])).toEqual(['k1', 'k2']);
      expect(await store.deliveries.create([aDelivery('k2', { slot: 1 }), aDelivery('k3')])).toEqual(['k3']);
      const { count, items } = await store.deliveries.list(1, {}, PAGE);
      expect([count, items[0]?.key]).toEqual([3, 'k3']);
      const { id, ...rest } = items[2] ?? { id: 0 };
      expect(rest).toEqual({ ...aDelivery('k1'), state: 'waiting', attempts: [], attempt: 0, dueAt: NOW });
      expect((await store.deliveries.get(1, id))?.key).toBe('k1');
      expect(await store.deliveries.get(2, id)).toBeNull();
    });

    it('gives each attempt to one sender, and takes the end of the latest attempt only', async () => {
      await store.deliveries.create([aDelivery('k1')]);
      const [due] = await store.deliveries.listDue(NOW, 10);
      if (!due) throw new Error('nothing is due');
      const claims = await Promise.all([1, 2, 3].map((n) => store.deliveries.claim(due, 'sending', NOW + 60_000 + n)));
      expect(claims.filter(Boolean)).toHaveLength(1);
      expect(await store.deliveries.listDue(NOW, 10)).toEqual([]);
      // Its lease is over: somebody else takes it, and the first one comes too late.
      const [again] = await store.deliveries.listDue(NOW + 70_000, 10);
      expect(again).toMatchObject({ state: 'sending', attempt: 1 });
      expect(again && (await store.deliveries.claim(again, 'sending', NOW + 200_000))).toBe(true);
      const result = { state: 'sent', attempts: [{ at: NOW, ms: 5, status: 200, error: null }], dueAt: NOW } as const;
      expect(await store.deliveries.finish(due.id, 1, { ...result, attempts: [] })).toBe(false);
      expect(await store.deliveries.finish(due.id, 2, { ...result, attempts: [...result.attempts] })).toBe(true);
      expect(await store.deliveries.get(1, due.id)).toMatchObject({ ...result, attempt: 2 });
      expect(await store.deliveries.listDue(NOW + 900_000, 10)).toEqual([]);
    });

    it('marks an attempt as sending while it is the latest and not over', async () => {
      await store.deliveries.create([aDelivery('k1')]);
      const [due] = await store.deliveries.listDue(NOW, 10);
      if (!due) throw new Error('nothing is due');
      expect(await store.deliveries.claim(due, 'waiting', NOW + 60_000)).toBe(true);
      expect(await store.deliveries.claim(due, 'waiting', NOW + 60_000)).toBe(false);
      expect(await store.deliveries.listDue(NOW + 59_999, 10)).toEqual([]);
      expect(await store.deliveries.listDue(NOW + 60_000, 10)).toMatchObject([{ state: 'waiting', attempt: 1 }]);
      expect(await store.deliveries.markSending(due.id, 0, NOW + 90_000)).toBe(false);
      expect(await store.deliveries.markSending(due.id, 1, NOW + 90_000)).toBe(true);
      expect(await store.deliveries.get(1, due.id)).toMatchObject({
        state: 'sending',
        attempt: 1,
        dueAt: NOW + 90_000,
      });
      await store.deliveries.finish(due.id, 1, { state: 'sent', attempts: [], dueAt: NOW });
      expect(await store.deliveries.markSending(due.id, 1, NOW + 90_000)).toBe(false);
    });

    it('leaves out busy targets, counts states of a subject and repeats what failed', async () => {
      const about = { projectId: 0, kind: 'audit', subjectId: 'o' } as const;
      await store.deliveries.create([
        aDelivery('k1', { ...about, targetHash: 'h2' }),
        aDelivery('k2', { ...about, targetHash: 'h2' }),
        aDelivery('k3'),
      ]);
      expect((await store.deliveries.listDue(NOW, 9, ['h2'])).map(({ key }) => key)).toEqual(['k3']);
      const [first] = await store.deliveries.listDue(NOW, 1);
      if (!first) throw new Error('nothing is due');
      await store.deliveries.claim(first, 'sending', NOW + 5);
      await store.deliveries.finish(first.id, 1, { state: 'failed', attempts: [], dueAt: NOW });
      expect(await store.deliveries.countStates(about)).toEqual({ failed: 1, waiting: 1 });
      expect(await store.deliveries.countStates({ ...about, subjectId: 'p' })).toEqual({});
      expect(await store.deliveries.retryFailed({ ...about, kind: 'test' }, NOW)).toBe(0);
      expect(await store.deliveries.retryFailed(about, NOW + 1)).toBe(1);
      expect(await store.deliveries.get(0, first.id)).toMatchObject({ state: 'waiting', attempt: 0, dueAt: NOW + 1 });
    });

    it('filters, counts and forgets deliveries', async () => {
      await store.deliveries.create([aDelivery('k1'), aDelivery('k2', { kind: 'test', targetHash: 'h2' })]);
      await store.deliveries.create([aDelivery('old', { createdAt: NOW - 10, subjectId: 'b' })]);
      const keys = async (query: Parameters<typeof store.deliveries.list>[1]) =>
        (await store.deliveries.list(1, query, PAGE)).items.map(({ key }) => key);
      expect(await keys({ kinds: ['test'] })).toEqual(['k2']);
      expect(await keys({ targetHash: 'h2' })).toEqual(['k2']);
      expect(await keys({ subjectId: 'b' })).toEqual(['old']);
      expect(await keys({ after: NOW })).toEqual(['k2', 'k1']);
      expect(await keys({ state: 'sent' })).toEqual([]);
      expect(await store.deliveries.count()).toEqual({
        made: 3,
        sent: 0,
        failed: 0,
        waiting: 3,
        oldestWaiting: NOW - 10,
      });
      await store.deliveries.deleteBefore(NOW);
      expect(await keys({})).toEqual(['k2', 'k1']);
    });

    it('pauses a target of one project until it is resumed', async () => {
      expect(await store.deliveries.pausedReason(1, 'h1')).toBeNull();
      await store.deliveries.pauseTarget(1, 'h1', 'it answered 410', NOW);
      await store.deliveries.pauseTarget(1, 'h1', 'it answered 404', NOW);
      expect(await store.deliveries.pausedReason(1, 'h1')).toBe('it answered 410');
      expect(await store.deliveries.pausedReason(2, 'h1')).toBeNull();
      await store.deliveries.resumeTarget(1, 'h1');
      expect(await store.deliveries.pausedReason(1, 'h1')).toBeNull();
    });
  });
}
