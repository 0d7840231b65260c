/** Several connections at once: who waits for whom, and what a reader of changes may miss. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Kysely } from 'kysely';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { uuidOf } from '../../../test/contract/events.ts';
import { newPersonChanges } from '../../../test/contract/person-changes.ts';
import { describeWithPostgres, openPostgresSetup, type PostgresSetup } from '../../../test/support/postgres.ts';
import { MIRROR_START, type MirrorPosition } from '../events/person-mirror.ts';
import { NO_CHANGES } from '../ingest/no-changes.ts';
import type { Tables } from '../sql/tables.ts';
import { postgresIngestStore } from './ingest-store.ts';
import { openPostgresDatabase } from './metadata-store.ts';

describeWithPostgres(() => {
  let setup: PostgresSetup;
  let other: Kysely<Tables>;
  beforeEach(async () => {
    setup = await openPostgresSetup();
    other = openPostgresDatabase(setup.database.url, { size: 4 });
  });
  afterEach(async () => {
    await other.destroy();
    await setup.remove();
  });

  /** A promise to be kept by hand. */
  function gate(): { opened: Promise<void>; open(): void } {
    let open = (): void => undefined;
    const opened = new Promise<void>((resolve) => {
      open = resolve;
    });
    return { opened, open };
  }

  const personsOf = (...numbers: number[]) => ({ ...NO_CHANGES, persons: newPersonChanges(1, numbers.map(uuidOf)) });

  describe('changes of persons', () => {
    it('are listed in order, even if a later one is committed first', async () => {
      const [begun, mayEnd] = [gate(), gate()];
      const slow = postgresIngestStore(other, { log: 'slow' }).transaction(async (store) => {
        await store.apply(personsOf(1));
        begun.open();
        await mayEnd.opened;
      });
      await begun.opened;
      await setup.ingest.transaction((store) => store.apply(personsOf(2)));
      expect(await setup.metadata.persons.get(1, { uuid: uuidOf(2) })).not.toBeNull();

      const before = await setup.ingest.listChangedPersons(1, MIRROR_START, 10);
      expect(before).toMatchObject({ persons: [], position: { change: 0 } });
      mayEnd.open();
      await slow;
      const { persons } = await setup.ingest.listChangedPersons(1, before.position, 10);
      expect(persons.map(({ uuid }) => uuid)).toEqual([uuidOf(1), uuidOf(2)]);
    });

    it('of a failed transaction do not block readers', async () => {
      const failed = setup.ingest.transaction(async (store) => {
        await store.apply(personsOf(1));
        throw new Error('changed my mind');
      });
      await expect(failed).rejects.toThrow('changed my mind');
      await setup.ingest.transaction((store) => store.apply(personsOf(2)));
      const { persons } = await setup.ingest.listChangedPersons(1, MIRROR_START, 10);
      expect(persons.map(({ uuid }) => uuid)).toEqual([uuidOf(2)]);
    });

    it('are all found by a reader that continues from its position during writes', async () => {
      let writers = 3;
      const write = async (first: number): Promise<void> => {
        const ingest = postgresIngestStore(other, { log: `log ${first}` });
        for (let n = 0; n < 25; n++) {
          await ingest.transaction(async (store) => {
            await store.apply(personsOf(first + n));
            await sleep(n % 4);
          });
        }
        writers--;
      };
      const found: string[] = [];
      let position: MirrorPosition = MIRROR_START;
      const look = async (): Promise<void> => {
        const slice = await setup.ingest.listChangedPersons(1, position, 7);
        found.push(...slice.persons.map(({ uuid }) => uuid));
        position = slice.position;
      };
      const read = async (): Promise<void> => {
        while (writers > 0) await look();
        for (let n = 0; n < 12; n++) await look();
      };
      await Promise.all([write(100), write(200), write(300), read()]);
      const all = [100, 200, 300].flatMap((first) => Array.from({ length: 25 }, (_, n) => uuidOf(first + n)));
      expect(found.sort()).toEqual(all.sort());
    });
  });

  describe('transactions', () => {
    it('of the API and of chunks exclude each other; chunks run in parallel', async () => {
      const seen: string[] = [];
      const chunk = (name: string, end: Promise<void>): Promise<void> =>
        postgresIngestStore(other, { log: name }).transaction(async () => {
          seen.push(`${name} begins`);
          await end;
          seen.push(`${name} ends`);
        });
      const people = (name: string, end: Promise<void>): Promise<void> =>
        setup.metadata.transaction(async () => {
          seen.push(`${name} begin`);
          await end;
          seen.push(`${name} end`);
        });
      const [a, b, c] = [gate(), gate(), gate()];
      const first = [chunk('one', a.opened), chunk('two', a.opened)];
      while (seen.length < 2) await sleep(5);
      const then = people('people', b.opened);
      await sleep(100);
      const last = chunk('three', c.opened);
      await sleep(100);
      expect([...seen].sort()).toEqual(['one begins', 'two begins']);
      a.open();
      await Promise.all(first);
      while (!seen.includes('people begin')) await sleep(5);
      await sleep(100);
      expect(seen).not.toContain('three begins');
      b.open();
      c.open();
      await Promise.all([then, last]);
      expect(seen.slice(4)).toEqual(['people begin', 'people end', 'three begins', 'three ends']);
    });

    it('of the API that read and then write are serialized', async () => {
      const raise = (): Promise<void> =>
        setup.metadata.transaction(async (store) => {
          const n = Number((await store.installation.get('n')) ?? 0);
          await store.installation.set('n', String(n + 1));
        });
      await Promise.all(Array.from({ length: 12 }, raise));
      expect(await setup.metadata.installation.get('n')).toBe('12');
    });
  });

  describe('logs', () => {
    it('have separate positions', async () => {
      const [one, two] = ['one', 'two'].map((log) => postgresIngestStore(setup.db, { log }));
      await one?.transaction((store) => store.apply({ ...NO_CHANGES, position: 5 }));
      await two?.transaction((store) => store.apply({ ...NO_CHANGES, position: 9 }));
      expect(await Promise.all([one?.position(), two?.position(), setup.ingest.position()])).toEqual([5, 9, 0]);
    });
  });
});
