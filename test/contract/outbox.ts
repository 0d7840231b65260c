import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { NewOutboxMessage } from '../../src/stores/ingest/ingest-store.ts';
import { NO_CHANGES } from '../../src/stores/ingest/no-changes.ts';
import type { MetadataSetup } from './event-records.ts';
import { uuidOf } from './events.ts';

const message = (event: string, count: number, at: number, projectId = 1): NewOutboxMessage => ({
  projectId,
  event,
  count,
  personUuid: uuidOf(at),
  happenedAt: at,
  waitingSince: at,
});

/** What every metadata store does with the webhook outbox. */
export function describeOutbox(name: string, open: () => Promise<MetadataSetup>): void {
  describe(`webhook outbox: ${name}`, () => {
    let setup: MetadataSetup;
    beforeEach(async () => {
      setup = await open();
    });
    afterEach(() => setup.remove());

    let position = 0;
    const write = (...messages: NewOutboxMessage[]): Promise<void> =>
      setup.ingest.transaction((store) => store.apply({ ...NO_CHANGES, messages, position: ++position }));

    it('combines the events of one name: count, last person, pending since', async () => {
      const { outbox } = setup.metadata;
      expect(await outbox.listProjects()).toEqual([]);
      await write(message('b', 2, 10), message('a', 1, 10), message('b', 1, 10, 2));
      await write(message('b', 5, 20));
      expect((await outbox.listProjects()).sort()).toEqual([1, 2]);
      expect(await outbox.listByProject(1)).toEqual([
        { event: 'a', count: 1, personUuid: uuidOf(10), happenedAt: 10, waitingSince: 10 },
        { event: 'b', count: 7, personUuid: uuidOf(20), happenedAt: 20, waitingSince: 10 },
      ]);
    });

    it('removes what was sent, and keeps events added since', async () => {
      const { outbox } = setup.metadata;
      await write(message('a', 2, 10), message('b', 1, 11));
      const sent = await outbox.listByProject(1);
      await write(message('a', 3, 20));
      await outbox.markSent(1, sent, 30);
      expect(await outbox.listByProject(1)).toEqual([
        { event: 'a', count: 3, personUuid: uuidOf(20), happenedAt: 20, waitingSince: 30 },
      ]);
      await outbox.markSent(2, await outbox.listByProject(1), 40);
      await outbox.markSent(1, [], 40);
      expect(await outbox.listByProject(1)).toHaveLength(1);
      await outbox.markSent(1, await outbox.listByProject(1), 40);
      expect(await outbox.listProjects()).toEqual([]);
    });

    it('leaves a message alone that was deleted and created again', async () => {
      const { outbox } = setup.metadata;
      await write(message('a', 5, 10));
      const sent = await outbox.listByProject(1);
      await outbox.delete(1, 'a');
      await write(message('a', 1, 20));
      await outbox.markSent(1, sent, 30);
      expect(await outbox.listByProject(1)).toMatchObject([{ event: 'a', count: 1, waitingSince: 20 }]);
    });

    it('deletes one event name, or a whole project', async () => {
      const { outbox } = setup.metadata;
      await write(message('a', 1, 1), message('b', 1, 1), message('c', 1, 1), message('a', 1, 1, 2));
      await outbox.delete(1, 'a');
      expect((await outbox.listByProject(1)).map(({ event }) => event)).toEqual(['b', 'c']);
      await outbox.delete(1);
      expect(await outbox.listProjects()).toEqual([2]);
    });

    it('lists the event names with a webhook, by project', async () => {
      const { definitions } = setup.metadata;
      const event = (n: number, eventName: string, projectId: number) => ({
        id: uuidOf(n),
        projectId,
        name: eventName,
        at: n,
        createdAt: n,
      });
      const events = [event(1, 'a', 1), event(2, 'b', 1), event(3, 'a', 2), event(4, 'c', 3)];
      await setup.ingest.transaction((store) => store.apply({ ...NO_CHANGES, events, position: ++position }));
      await definitions.updateEvent(1, uuidOf(1), { postToSlack: true });
      await definitions.updateEvent(3, uuidOf(4), { postToSlack: true });
      const marked = (ids: number[]) => setup.ingest.transaction((store) => store.listWebhookEvents(ids));
      expect(await marked([1, 2])).toEqual([{ projectId: 1, event: 'a' }]);
      expect(await marked([])).toEqual([]);
      await definitions.updateEvent(1, uuidOf(1), { postToSlack: false });
      expect(await marked([1, 2])).toEqual([]);
    });
  });
}
