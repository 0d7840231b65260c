/** What a store keeps of people's questions: insights, dashboards, actions, and how often names are asked for. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Dashboard, DashboardTile } from '../../src/features/dashboards/store/dashboard-store.ts';
import type { SavedInsight } from '../../src/features/dashboards/store/saved-insight-store.ts';
import type { IngestStore } from '../../src/stores/ingest/ingest-store.ts';
import { NO_CHANGES } from '../../src/stores/ingest/no-changes.ts';
import type { Action } from '../../src/stores/metadata/actions.ts';
import type { MetadataStore } from '../../src/stores/metadata/metadata-store.ts';
import type { UsageCount } from '../../src/stores/metadata/query-usage.ts';
import { uuidOf } from './events.ts';

/** Beyond 32 bits, as times are. */
const NOW = 1_768_478_400_000;

const anInsight = (shortId: string, rest: Partial<SavedInsight> = {}): Omit<SavedInsight, 'id'> => ({
  projectId: 1,
  shortId,
  name: 'Visits',
  derivedName: null,
  description: '',
  filters: { insight: 'TRENDS', events: [{ id: 'Ünïcode \u{1f600}' }] },
  query: null,
  order: null,
  saved: true,
  favorited: false,
  deleted: false,
  tags: ['a'],
  createdAt: NOW,
  createdBy: 7,
  updatedAt: NOW,
  lastModifiedAt: NOW,
  lastModifiedBy: 7,
  ...rest,
});

const aDashboard = (name: string, rest: Partial<Dashboard> = {}): Omit<Dashboard, 'id'> => ({
  projectId: 1,
  name,
  description: '',
  pinned: false,
  deleted: false,
  filters: { date_from: '-7d' },
  tags: [],
  createdAt: NOW,
  createdBy: null,
  updatedAt: NOW,
  ...rest,
});

const aTile = (dashboardId: number, insightId: number, order = 0): Omit<DashboardTile, 'id'> => ({
  projectId: 1,
  dashboardId,
  insightId,
  order,
  layouts: { sm: { x: 0 } },
  color: null,
  body: null,
});

const anAction = (name: string, rest: Partial<Action> = {}): Omit<Action, 'id'> => ({
  projectId: 1,
  name,
  description: '',
  tags: [],
  steps: [{ event: 'paid' }],
  deleted: false,
  createdAt: NOW,
  createdBy: 7,
  updatedAt: NOW,
  ...rest,
});

export function describeSavedInsights(
  name: string,
  open: () => Promise<{ metadata: MetadataStore; ingest: IngestStore }>,
): void {
  describe(`saved insights, dashboards, actions and usage: ${name}`, () => {
    let store: MetadataStore;
    let ingest: IngestStore;
    beforeEach(async () => {
      ({ metadata: store, ingest } = await open());
    });
    afterEach(() => store.close());

    it('returns an insight unchanged, in its project only', async () => {
      const one = await store.insights.create(anInsight('aaaaaaaa', { order: 2 ** 40, favorited: true }));
      expect(one).toEqual({ id: one.id, ...anInsight('aaaaaaaa', { order: 2 ** 40, favorited: true }) });
      expect(await store.insights.get(1, one.id)).toEqual(one);
      expect(await store.insights.getByShortId(1, 'aaaaaaaa')).toEqual(one);
      expect([await store.insights.get(2, one.id), await store.insights.getByShortId(2, 'aaaaaaaa')]).toEqual([
        null,
        null,
      ]);
      expect(await store.insights.listByIds(1, [one.id, one.id + 1])).toEqual([one]);
      expect(await store.insights.listByIds(2, [one.id])).toEqual([]);
    });

    it('lists the last modified insights first, without the deleted ones', async () => {
      const old = await store.insights.create(anInsight('a'));
      const late = await store.insights.create(anInsight('b', { lastModifiedAt: NOW + 5 }));
      const same = await store.insights.create(anInsight('c'));
      await store.insights.create(anInsight('d', { deleted: true }));
      await store.insights.create(anInsight('a', { projectId: 2 }));
      expect((await store.insights.listByProject(1)).map(({ id }) => id)).toEqual([late.id, same.id, old.id]);
      await store.insights.update({ ...old, name: null, deleted: true });
      expect(await store.insights.get(1, old.id)).toEqual({ ...old, name: null, deleted: true });
      await expect(store.insights.create(anInsight('b'))).rejects.toThrow();
    });

    it('keeps the last view of each user', async () => {
      await store.insights.recordView(1, 10, 7, NOW);
      await store.insights.recordView(1, 11, 7, NOW + 1);
      await store.insights.recordView(1, 10, 7, NOW + 2);
      await store.insights.recordView(1, 10, 8, NOW + 3);
      expect(await store.insights.listViewsByUser(1, 7)).toEqual([
        { insightId: 10, viewedAt: NOW + 2 },
        { insightId: 11, viewedAt: NOW + 1 },
      ]);
      expect(await store.insights.listViewsByUser(2, 7)).toEqual([]);
    });

    it('lists dashboards in pages: pinned ones first, then by name', async () => {
      for (const given of ['b', 'a', 'c']) await store.dashboards.create(aDashboard(given, { pinned: given === 'c' }));
      await store.dashboards.create(aDashboard('gone', { deleted: true }));
      await store.dashboards.create(aDashboard('theirs', { projectId: 2 }));
      const { count, items } = await store.dashboards.list(1, { limit: 2, offset: 0 });
      expect([count, items.map((one) => one.name)]).toEqual([3, ['c', 'a']]);
      const [first] = items as [Dashboard];
      expect(first).toEqual({ id: first.id, ...aDashboard('c', { pinned: true }) });
      await store.dashboards.update({ ...first, filters: {}, tags: ['x'] });
      expect(await store.dashboards.get(1, first.id)).toEqual({ ...first, filters: {}, tags: ['x'] });
      expect(await store.dashboards.get(2, first.id)).toBeNull();
    });

    it('keeps tiles in their order, each insight once on a dashboard', async () => {
      const one = await store.dashboards.create(aDashboard('one'));
      const gone = await store.dashboards.create(aDashboard('gone', { deleted: true }));
      const last = await store.dashboards.createTile(aTile(one.id, 10, 5));
      const first = await store.dashboards.createTile(aTile(one.id, 11, -1));
      await store.dashboards.createTile(aTile(gone.id, 10));
      expect(await store.dashboards.listTiles(one.id)).toEqual([first, last]);
      expect(await store.dashboards.listTilesByInsights(1, [10, 11, 12])).toEqual([last, first]);
      expect(await store.dashboards.listTilesByInsights(1, [])).toEqual([]);
      await expect(store.dashboards.createTile(aTile(one.id, 10))).rejects.toThrow();
      await store.dashboards.updateTile({ ...last, order: -2, color: 'blue' });
      await store.dashboards.deleteTile(first.id);
      expect(await store.dashboards.listTiles(one.id)).toEqual([{ ...last, order: -2, color: 'blue' }]);
    });

    it('keeps texts on dashboards, as many as wanted', async () => {
      const { id } = await store.dashboards.create(aDashboard('one'));
      const aText = (body: string) => ({ ...aTile(id, 0), insightId: null, body });
      const first = await store.dashboards.createTile(aText('# Goals'));
      const second = await store.dashboards.createTile(aText('Later'));
      expect(await store.dashboards.listTiles(id)).toEqual([
        { id: first.id, ...aText('# Goals') },
        { id: second.id, ...aText('Later') },
      ]);
      await store.dashboards.updateTile({ ...first, body: '# Aims' });
      await store.dashboards.deleteTile(second.id);
      expect(await store.dashboards.listTiles(id)).toEqual([{ id: first.id, ...aText('# Aims') }]);
    });

    it('allows one action of a name besides deleted ones', async () => {
      const paid = await store.actions.create(anAction('Paid'));
      const left = await store.actions.create(anAction('Left', { createdAt: NOW + 1, tags: ['x'] }));
      expect(paid).toEqual({ id: paid.id, ...anAction('Paid') });
      expect(await store.actions.listByProject(1)).toEqual([left, paid]);
      await expect(store.actions.create(anAction('Paid'))).rejects.toThrow();
      await store.actions.update({ ...paid, deleted: true, steps: [] });
      const again = await store.actions.create(anAction('Paid'));
      expect(await store.actions.getByName(1, 'Paid')).toEqual(again);
      expect(await store.actions.get(1, paid.id)).toEqual({ ...paid, deleted: true, steps: [] });
      expect([await store.actions.getByName(2, 'Paid'), await store.actions.get(2, paid.id)]).toEqual([null, null]);
    });

    it('adds up the uses of known names, and deletes old days', async () => {
      const sighting = {
        projectId: 1,
        kind: 'event',
        groupTypeIndex: -1,
        name: 'plan',
        propertyType: null,
        at: 1,
      } as const;
      await ingest.transaction((tx) =>
        tx.apply({
          ...NO_CHANGES,
          position: 1,
          events: [{ id: uuidOf(1), projectId: 1, name: 'paid', at: 1, createdAt: 1 }],
          properties: [
            { ...sighting, id: uuidOf(2) },
            { ...sighting, id: uuidOf(3), kind: 'group', groupTypeIndex: 2 },
          ],
        }),
      );
      const count = (rest: Partial<UsageCount>): UsageCount => ({
        projectId: 1,
        kind: 'event',
        groupTypeIndex: -1,
        name: 'paid',
        day: 100,
        count: 1,
        ...rest,
      });
      await store.queryUsage.addCounts([
        count({}),
        count({ day: 101, count: 4 }),
        count({ name: 'never seen' }),
        count({ kind: 'event_property', name: 'plan', count: 3 }),
        count({ kind: 'person_property', name: 'plan', count: 9 }),
        count({ kind: 'group_property', groupTypeIndex: 2, name: 'plan', count: 5 }),
        count({ projectId: 2 }),
      ]);
      await store.queryUsage.addCounts([count({ count: 2 })]);
      await store.queryUsage.addCounts([]);
      const event = { kind: 'event', groupTypeIndex: -1 } as const;
      expect(await store.queryUsage.countSince(1, event, 100)).toEqual(new Map([['paid', 7]]));
      expect(await store.queryUsage.countSince(1, event, 101)).toEqual(new Map([['paid', 4]]));
      expect(await store.queryUsage.countSince(2, event, 0)).toEqual(new Map());
      const plan = (kind: 'event_property' | 'person_property' | 'group_property', groupTypeIndex: number) =>
        store.queryUsage.countSince(1, { kind, groupTypeIndex }, 0);
      expect(await plan('event_property', -1)).toEqual(new Map([['plan', 3]]));
      expect(await plan('person_property', -1)).toEqual(new Map());
      expect(await plan('group_property', 2)).toEqual(new Map([['plan', 5]]));
      await store.queryUsage.deleteBefore(101);
      expect(await store.queryUsage.countSince(1, event, 0)).toEqual(new Map([['paid', 4]]));
    });

    it('is deleted with its project, and nothing of others is', async () => {
      const mine = await store.insights.create(anInsight('a'));
      const theirs = await store.insights.create(anInsight('a', { projectId: 2 }));
      const dashboard = await store.dashboards.create(aDashboard('one'));
      await store.dashboards.createTile(aTile(dashboard.id, mine.id));
      const action = await store.actions.create(anAction('Paid'));
      await store.insights.recordView(1, mine.id, 7, NOW);
      await store.projects.delete(1);
      expect(await store.insights.get(1, mine.id)).toBeNull();
      expect(await store.insights.listViewsByUser(1, 7)).toEqual([]);
      expect(await store.dashboards.get(1, dashboard.id)).toBeNull();
      expect(await store.dashboards.listTiles(dashboard.id)).toEqual([]);
      expect(await store.actions.get(1, action.id)).toBeNull();
      expect(await store.insights.get(2, theirs.id)).toEqual(theirs);
    });
  });
}
