/** What a store keeps of digests. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Subscription } from '../../src/features/subscriptions/store/subscription-store.ts';
import type { MetadataStore } from '../../src/stores/metadata/metadata-store.ts';

/** Beyond 32 bits, as times are. */
const NOW = 1_768_478_400_000;
const PAGE = { limit: 100, offset: 0 };

const aSubscription = (rest: Partial<Subscription> = {}): Omit<Subscription, 'id'> => ({
  projectId: 1,
  dashboardId: 3,
  insightId: null,
  title: 'Monday numbers',
  target: { type: 'email', addresses: ['a@example.org', 'b@example.org'] },
  externalRecipients: false,
  inviteMessage: null,
  recurrence: {
    frequency: 'weekly',
    interval: 1,
    weekdays: ['monday'],
    position: null,
    count: null,
    start: NOW,
    until: null,
  },
  enabled: true,
  pausedReason: null,
  deleted: false,
  nextSlot: NOW,
  lastSlot: null,
  revision: 1,
  createdAt: NOW,
  createdBy: 7,
  updatedAt: NOW,
  ...rest,
});

export function describeSubscriptions(name: string, open: () => Promise<{ metadata: MetadataStore }>): void {
  describe(`subscriptions: ${name}`, () => {
    let store: MetadataStore;
    beforeEach(async () => {
      ({ metadata: store } = await open());
    });
    afterEach(() => store.close());

    it('returns a digest unchanged, in its project only, until it is deleted', async () => {
      const id = await store.subscriptions.create(aSubscription());
      expect(await store.subscriptions.get(1, id)).toEqual({ ...aSubscription(), id });
      expect(await store.subscriptions.get(2, id)).toBeNull();
      const changed: Subscription = {
        ...aSubscription({ dashboardId: null, insightId: 9, enabled: false, externalRecipients: true, nextSlot: null }),
        id,
        target: { type: 'webhook', url: 'https://x.example.org', secret: 's', previousSecret: null, rolledAt: NOW },
        pausedReason: 'The insight was deleted.',
        inviteMessage: 'Hello',
        lastSlot: NOW,
      };
      await store.subscriptions.update(changed);
      expect(await store.subscriptions.get(1, id)).toEqual(changed);
      await store.subscriptions.update({ ...changed, deleted: true });
      expect(await store.subscriptions.get(1, id)).toBeNull();
      expect(await store.subscriptions.count(1)).toBe(0);
      const other = await store.subscriptions.create(aSubscription());
      await store.subscriptions.delete(2, other);
      expect(await store.subscriptions.count(1)).toBe(1);
      await store.subscriptions.delete(1, other);
      expect(await store.subscriptions.count(1)).toBe(0);
    });

    it('lists those of a dashboard or insight, and what is due in all projects', async () => {
      const late = await store.subscriptions.create(aSubscription({ nextSlot: NOW - 5 }));
      const later = await store.subscriptions.create(
        aSubscription({ nextSlot: NOW + 1, dashboardId: null, insightId: 3 }),
      );
      const other = await store.subscriptions.create(aSubscription({ projectId: 2, nextSlot: NOW - 9 }));
      await store.subscriptions.create(aSubscription({ enabled: false }));
      await store.subscriptions.create(aSubscription({ nextSlot: null }));
      await store.subscriptions.create(aSubscription({ deleted: true }));
      const ids = (items: readonly Subscription[]) => items.map(({ id }) => id);
      expect(ids(await store.subscriptions.listDue(NOW))).toEqual([other, late]);
      expect(ids((await store.subscriptions.list(1, { insightId: 3 }, PAGE)).items)).toEqual([later]);
      expect((await store.subscriptions.list(1, { dashboardId: 3 }, PAGE)).count).toBe(3);
      expect(ids((await store.subscriptions.list(1, {}, PAGE)).items).slice(-2)).toEqual([later, late]);
    });
  });
}
