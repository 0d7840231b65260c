/** What a store keeps of scheduled changes. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ScheduledChange } from '../../src/features/scheduled-changes/store/scheduled-change-store.ts';
import type { MetadataStore } from '../../src/stores/metadata/metadata-store.ts';

/** Beyond 32 bits, as times are. */
const NOW = 1_768_478_400_000;

const aChange = (rest: Partial<ScheduledChange> = {}): Omit<ScheduledChange, 'id'> => ({
  projectId: 1,
  flagId: 5,
  payload: { operation: 'update_status', value: true },
  scheduledAt: NOW,
  startsAt: NOW,
  executedAt: null,
  failureReason: null,
  recurrence: null,
  cron: null,
  isPaused: false,
  endDate: null,
  timezone: 'UTC',
  step: 0,
  lastExecutedAt: null,
  createdAt: NOW,
  createdBy: 7,
  updatedAt: NOW,
  changeRequestId: null,
  alertId: null,
  ...rest,
});

export function describeScheduledChanges(name: string, open: () => Promise<{ metadata: MetadataStore }>): void {
  describe(`scheduled changes: ${name}`, () => {
    let store: MetadataStore;
    beforeEach(async () => {
      ({ metadata: store } = await open());
    });
    afterEach(() => store.close());
    const ids = (changes: readonly ScheduledChange[]) => changes.map(({ id }) => id);

    it('returns a change unchanged, in its project only, until it is deleted', async () => {
      const { id } = await store.scheduledChanges.create(aChange());
      expect(await store.scheduledChanges.get(1, id)).toEqual({ id, ...aChange() });
      expect(await store.scheduledChanges.get(2, id)).toBeNull();
      const changed = {
        id,
        ...aChange({
          recurrence: 'weekly',
          cron: '0 9 * * 1',
          isPaused: true,
          endDate: NOW + 1,
          step: 3,
          executedAt: NOW,
          changeRequestId: '0190a0a0-0000-7000-8000-000000000001',
        }),
      };
      await store.scheduledChanges.update(changed);
      expect(await store.scheduledChanges.get(1, id)).toEqual(changed);
      await store.scheduledChanges.delete(id);
      expect(await store.scheduledChanges.get(1, id)).toBeNull();
    });

    it('lists what is due in all projects, the soonest first', async () => {
      const later = await store.scheduledChanges.create(aChange({ scheduledAt: NOW + 1 }));
      const sooner = await store.scheduledChanges.create(aChange({ scheduledAt: NOW - 1, projectId: 2 }));
      const now = await store.scheduledChanges.create(aChange({ flagId: 6 }));
      await store.scheduledChanges.create(aChange({ executedAt: NOW }));
      await store.scheduledChanges.create(aChange({ isPaused: true }));
      expect(ids(await store.scheduledChanges.listDue(NOW))).toEqual([sooner.id, now.id]);
      expect(ids(await store.scheduledChanges.listDue(NOW + 1))).toEqual([sooner.id, now.id, later.id]);
      expect(ids(await store.scheduledChanges.listByProject(1, 6))).toEqual([now.id]);
      expect(await store.scheduledChanges.listByProject(1)).toHaveLength(4);
    });

    it('lists gradual rollouts that an alert can stop, in all projects, until they are done', async () => {
      await store.scheduledChanges.create(aChange());
      const first = await store.scheduledChanges.create(aChange({ alertId: 'a1', scheduledAt: NOW + 9 }));
      const second = await store.scheduledChanges.create(aChange({ alertId: 'a2', projectId: 2 }));
      await store.scheduledChanges.create(aChange({ alertId: 'a3', executedAt: NOW }));
      expect(await store.scheduledChanges.listGuarded()).toEqual([first, second]);
    });
  });
}
