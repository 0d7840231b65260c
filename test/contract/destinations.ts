/** What a store keeps of destinations and of the events that wait for them. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Destination } from '../../src/features/destinations/store/destination-store.ts';
import type { IngestStore, QueuedEvents } from '../../src/stores/ingest/ingest-store.ts';
import { NO_CHANGES } from '../../src/stores/ingest/no-changes.ts';
import type { MetadataStore } from '../../src/stores/metadata/metadata-store.ts';
import { uuidOf } from './events.ts';

const NOW = 1_768_478_400_000;
const PAGE = { limit: 100, offset: 0 };

const aDestination = (id: string, rest: Partial<Destination> = {}): Destination => ({
  id,
  projectId: 1,
  name: 'CRM',
  description: '',
  enabled: true,
  filters: { events: [{ id: 'paid' }] },
  inputs: { url: 'https://hooks.example.org/x', method: 'POST', body: { n: 1 }, headers: [], batch: false },
  masking: { hash: '{person.id}', ttl: 60, threshold: null },
  executionOrder: null,
  secret: 'whsec_x',
  previousSecret: null,
  rolledAt: null,
  failingSince: null,
  failures: 0,
  retryAt: null,
  lastError: null,
  pausedAt: null,
  revision: 1,
  createdAt: NOW,
  createdBy: 7,
  updatedAt: NOW,
  ...rest,
});

const queued = (destinationId: string, uuids: readonly string[], waitingSince = NOW): QueuedEvents => ({
  projectId: 1,
  destinationId,
  uuids,
  firstTimestamp: NOW - 5,
  lastTimestamp: NOW,
  receivedAt: NOW + 1,
  waitingSince,
});

interface Setup {
  metadata: MetadataStore;
  ingest: Pick<IngestStore, 'transaction'>;
}

export function describeDestinations(name: string, open: () => Promise<Setup>): void {
  describe(`destinations: ${name}`, () => {
    let store: MetadataStore;
    let ingest: Setup['ingest'];
    let position = 0;
    const queue = (...rows: QueuedEvents[]) =>
      ingest.transaction((chunk) => chunk.apply({ ...NO_CHANGES, queued: rows, position: ++position }));
    beforeEach(async () => {
      ({ metadata: store, ingest } = await open());
    });
    afterEach(() => store.close());

    it('returns a destination unchanged, in its project only, until it is deleted with what waits', async () => {
      const { destinations } = store;
      await destinations.create(aDestination('a'));
      expect(await destinations.get(1, 'a')).toEqual(aDestination('a'));
      expect(await destinations.get(2, 'a')).toBeNull();
      const changed = aDestination('a', { enabled: false, masking: null, executionOrder: 3, revision: 2 });
      await destinations.update(changed);
      expect((await destinations.list(1, PAGE)).items).toEqual([changed]);
      const health = { failingSince: NOW, failures: 2, retryAt: NOW + 9, lastError: 'it answered 500', pausedAt: null };
      expect(await destinations.setHealth('a', 1, health)).toBe(false);
      expect(await destinations.setHealth('a', 2, health)).toBe(true);
      expect(await destinations.get(1, 'a')).toEqual({ ...changed, ...health });
      await queue(queued('a', [uuidOf(1)]));
      await destinations.delete('a');
      expect([await destinations.count(1), (await destinations.countAllWaiting()).events]).toEqual([0, 0]);
    });

    it('is known to processing while it is enabled', async () => {
      const list = (ids: number[]) => ingest.transaction((chunk) => chunk.listDestinations(ids));
      await store.destinations.create(aDestination('a'));
      await store.destinations.create(aDestination('b', { enabled: false }));
      await store.destinations.create(aDestination('c', { projectId: 2, pausedAt: NOW }));
      expect(await list([1, 2])).toEqual([
        { id: 'a', projectId: 1 },
        { id: 'c', projectId: 2 },
      ]);
      expect(await list([])).toEqual([]);
    });

    it('keeps events in order, for each destination apart', async () => {
      const { destinations } = store;
      const uuids = Array.from({ length: 5 }, (_, i) => uuidOf(i + 1));
      await queue(queued('a', uuids.slice(0, 2)), queued('b', uuids.slice(0, 2)));
      await queue(queued('a', uuids.slice(2, 4)), queued('a', uuids.slice(4)));
      const [first, second, third] = await destinations.listQueued('a', 100);
      expect([first?.uuids, second?.uuids, third?.uuids]).toEqual([
        uuids.slice(0, 2),
        uuids.slice(2, 4),
        uuids.slice(4),
      ]);
      expect(first).toMatchObject({
        firstTimestamp: NOW - 5,
        lastTimestamp: NOW,
        receivedAt: NOW + 1,
        waitingSince: NOW,
      });
      expect(await destinations.listQueued('a', 1)).toEqual([first]);
      expect(await destinations.listQueued('a', 3)).toEqual([first]);
      expect(await destinations.listQueued('a', 4)).toEqual([first, second]);
      expect(await destinations.listQueued('a', 4, first?.id)).toEqual([second, third]);
      expect(await destinations.countWaiting('a')).toEqual({ events: 5, bytes: 80, oldest: NOW });
      const ids = [first?.id ?? 0, second?.id ?? 0];
      expect(await destinations.areQueued(ids)).toBe(true);
      await destinations.deleteQueued(ids);
      expect(await destinations.areQueued(ids)).toBe(false);
      expect(await destinations.listQueued('a', 100)).toEqual([third]);
      expect((await destinations.listQueued('b', 100)).length).toBe(1);
    });

    it('lists what may be sent to now', async () => {
      const { destinations } = store;
      const all = { a: {}, b: { pausedAt: NOW }, c: { enabled: false }, d: { retryAt: NOW + 5 }, e: {} };
      for (const [id, rest] of Object.entries(all)) await destinations.create(aDestination(id, rest));
      await queue(...['a', 'b', 'c', 'd'].map((id) => queued(id, [uuidOf(1)])));
      const due = async (now: number) => (await destinations.listDue(now)).map(({ id }) => id);
      expect([await due(NOW), await due(NOW + 5)]).toEqual([['a'], ['a', 'd']]);
      expect((await destinations.listWaiting()).map(({ id }) => id)).toEqual(['a', 'b', 'c', 'd']);
    });

    it('removes what waited too long, and the oldest beyond a size', async () => {
      const { destinations } = store;
      await queue(queued('a', [uuidOf(1), uuidOf(2)], NOW - 10), queued('a', [uuidOf(3)]), queued('a', [uuidOf(4)]));
      expect(await destinations.deleteOverdue('a', NOW - 10, 1000)).toBe(0);
      expect(await destinations.deleteOverdue('a', NOW - 9, 1000)).toBe(2);
      expect(await destinations.deleteOverdue('a', 0, 16)).toBe(1);
      expect((await destinations.listQueued('a', 9)).map(({ uuids }) => uuids)).toEqual([[uuidOf(4)]]);
    });

    it('keeps masks, counts by the hour and a log', async () => {
      const { destinations } = store;
      await destinations.saveMasks(1, 'a', [{ hash: 'x', endsAt: NOW + 5, events: 1 }], NOW);
      await destinations.saveMasks(1, 'a', [{ hash: 'x', endsAt: NOW + 5, events: 2 }], NOW);
      expect(await destinations.listMasks('a', ['x', 'y'])).toEqual([{ hash: 'x', endsAt: NOW + 5, events: 2 }]);
      await destinations.saveMasks(1, 'a', [], NOW + 6);
      expect(await destinations.listMasks('a', ['x'])).toEqual([]);
      const line = {
        at: NOW,
        state: 'sent',
        eventUuid: uuidOf(1),
        event: 'paid',
        events: 1,
        status: 200,
        ms: 3,
      } as const;
      const result = { at: NOW, counts: { sent: 2, failed: 0 }, lines: [{ ...line, error: null }] };
      await destinations.record(1, 'a', result);
      await destinations.record(1, 'a', result);
      expect(await destinations.listCounts('a', 0)).toEqual([{ hour: NOW, state: 'sent', events: 4 }]);
      expect(await destinations.countAll()).toEqual([{ state: 'sent', events: 4 }]);
      expect((await destinations.listLog('a', ['failed'], PAGE)).count).toBe(0);
      const { count, items } = await destinations.listLog('a', null, PAGE);
      expect([count, items[0]]).toEqual([2, { ...line, error: null, id: expect.any(Number) }]);
      await destinations.deleteLogBefore(NOW + 1, NOW + 1);
      expect([(await destinations.listLog('a', null, PAGE)).count, await destinations.countAll()]).toEqual([0, []]);
    });
  });
}
