import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { HOT_PROPERTIES } from '../../src/core/events/hot-properties.ts';
import type { Json } from '../../src/core/json/json.ts';
import type { Dialect } from '../../src/stores/events/dialect.ts';
import type { EventStore, PersonOverride, SqlRow, SqlValue, StoredEvent } from '../../src/stores/events/event-store.ts';
import { anyEvents, applyOverride, expectedRow, mergeSequences } from './event-model.ts';
import { anEvent, uuidOf } from './events.ts';

/** Where one test keeps its events. */
export interface EventStoreSetup {
  openStore(): Promise<EventStore>;
  dialect: Dialect;
  /** The setup as a power cut at this instant would leave it. */
  copy(): EventStoreSetup;
  remove(): Promise<void>;
}

/** The same number may be written in two ways: `1e20`, `100000000000000000000`. */
const withoutSpelling = (row: SqlRow): unknown => ({ ...row, properties: JSON.parse(String(row['properties'])) });

const ALL_COLUMNS = [
  ...['project_id', 'uuid', 'event', 'distinct_id', 'person_id', 'timestamp', 'created_at', 'properties'],
  ...['elements_chain', 'group_0', 'group_1', 'group_2', 'group_3', 'group_4'],
  ...HOT_PROPERTIES.map((name) => `"${name}"`),
].join(', ');

/** What every event store promises. `runs`: so often each rule is tried on something random. */
export function describeEventStore(
  name: string,
  makeSetup: () => EventStoreSetup,
  { runs = 30 }: { runs?: number } = {},
): void {
  describe(`event store: ${name}`, () => {
    let setup: EventStoreSetup;
    let store: EventStore;
    let position: number;

    beforeEach(async () => {
      setup = makeSetup();
      store = await setup.openStore();
      position = 0;
    });
    afterEach(async () => {
      await store.close();
      await setup.remove();
    });

    const write = (events: StoredEvent[], overrides: PersonOverride[] = []): Promise<void> =>
      store.write({ events, overrides, position: ++position });

    const count = async (of: EventStore = store): Promise<SqlValue | undefined> =>
      (await of.query('select count(*) as n from events', []))[0]?.['n'];

    const rows = (projectId: number): Promise<SqlRow[]> =>
      store.query(`select ${ALL_COLUMNS} from events where project_id = $1 order by cast(uuid as varchar)`, [
        projectId,
      ]);

    async function reopen(): Promise<void> {
      await store.close();
      store = await setup.openStore();
    }

    describe('write', () => {
      it('starts empty at position 0', async () => {
        expect(await store.position()).toBe(0);
        expect(await count()).toBe(0);
      });

      it('returns every column unchanged', async () => {
        const event = anEvent({
          projectId: 7,
          event: '$pageview',
          distinctId: 'ada@example.com',
          timestamp: 1_712_345_678_901,
          createdAt: 1_712_345_679_000,
          properties: { $current_url: 'https://a.example/x', utm_source: 'news', amount: 1.5 },
          elementsChain: 'button.primary:text="Buy"',
          groups: ['acme', null, 'x', null, null],
        });
        await write([event]);
        expect(await rows(7)).toEqual([expectedRow(event)]);
        expect((await rows(7))[0]).toMatchObject({
          timestamp: 1_712_345_678_901,
          group_0: 'acme',
          $current_url: 'https://a.example/x',
          $browser: null,
        });
      });

      it('keeps any text, number and time', async () => {
        await fc.assert(
          fc.asyncProperty(anyEvents, async (generated) => {
            // A project per run, so that runs and shrinking do not see each other's events.
            const projectId = 2_000_000_000 + position;
            const events = generated.map((event) => ({ ...event, projectId }));
            await write(events);
            const found = await rows(projectId);
            const expected = events.map(expectedRow).sort((a, b) => (String(a['uuid']) < String(b['uuid']) ? -1 : 1));
            expect(found.map(withoutSpelling)).toEqual(expected.map(withoutSpelling));
          }),
          { numRuns: runs },
        );
      });

      const wholeRows = async (of: EventStore = store): Promise<SqlRow[]> => {
        const sql = setup.dialect.newStatement('e');
        const columns = [
          `${sql.wholeText('e', 'properties')} as properties`,
          `${sql.wholeText('e', 'elements_chain')} as chain`,
          `${sql.eventBytes('e')} as bytes`,
        ];
        return of.query(`select ${columns.join(', ')} from event_rows e order by cast(e.uuid as varchar)`, sql.values);
      };
      // Characters of one to four bytes, so that a piece could end within one.
      const longText = (length: number): string => 'aé€😀'.repeat(length / 5);

      it('keeps large events whole', async () => {
        const events = [10, 100_000, 1_000_000].map((length) =>
          anEvent({ properties: { text: longText(length), plan: 'pro' }, elementsChain: longText(length / 2) }),
        );
        await write(events);
        const found = await wholeRows();
        for (const [i, { properties, elementsChain }] of events.entries()) {
          expect([found[i]?.['properties'] === properties, found[i]?.['chain'] === elementsChain]).toEqual([
            true,
            true,
          ]);
        }
        expect(Number(found[2]?.['bytes'])).toBeGreaterThan(1_000_000);
        const sql = setup.dialect.newStatement('e');
        const query = `select count(*) as n from event_rows e where ${sql.property('plan')} = ${sql.param('pro')}`;
        expect(await store.query(query, sql.values)).toEqual([{ n: 3 }]);
      });

      it('deletes large events whole', async () => {
        const [old, recent] = [1_600_000_000_000, 1_700_000_000_000];
        const large = { properties: { text: longText(100_000) } };
        await write([
          anEvent({ ...large, timestamp: old }),
          anEvent({ ...large, timestamp: recent, distinctId: 'bob' }),
        ]);
        expect(await store.deleteBefore(1, recent)).toBe(1);
        await store.purge();
        expect((await wholeRows()).map(({ properties }) => String(properties).length)).toEqual([100_011]);
        const remove = { id: 1, kind: 'remove' as const, projectId: 1, personId: uuidOf(0xaaaa), distinctIds: [] };
        expect(await store.reassign([remove])).toEqual([{ id: 1, events: 1 }]);
        expect(await wholeRows()).toEqual([]);
      });

      it('adds places to events that have an address and none', async () => {
        const day = { from: 1_700_000_000_000, until: 1_700_000_100_000 };
        const of = (properties: Record<string, Json>, over: object = {}): StoredEvent =>
          anEvent({ properties, timestamp: day.from, ...over });
        await write([
          of({ $ip: '10.1.1.1', name: 'A "quoted" one' }, { distinctId: 'short' }),
          of({ $ip: '10.1.1.1', text: longText(100_000) }, { distinctId: 'large' }),
          of({ $ip: '10.1.1.1', $geoip_country_code: 'SE' }, { distinctId: 'said' }),
          of({ $ip: '10.1.1.1', $geoip_disable: true }, { distinctId: 'forbidden' }),
          of({ $ip: '10.2.2.2' }, { distinctId: 'unknown address' }),
          of({ $ip: ['10.1.1.1'] }, { distinctId: 'no address' }),
          of({ $ip: '10.1.1.1' }, { distinctId: 'later', timestamp: day.until }),
          of({ $ip: '10.1.1.1' }, { distinctId: 'elsewhere', projectId: 2 }),
        ]);
        const place = { $geoip_country_code: 'AU', $geoip_country_name: 'Ås "x"', $geoip_latitude: -1.5 };
        const places = [
          { address: '10.1.1.1', place },
          { address: '10.3.3.3', place: { $geoip_country_code: 'FR' } },
        ];
        expect(await store.addPlaces(1, day, places)).toBe(2);
        expect(await store.addPlaces(1, day, places)).toBe(0);
        await reopen();
        const sql = setup.dialect.newStatement('e');
        const found = await store.query(
          `select e.distinct_id as id, ${sql.wholeText('e', 'properties')} as properties from event_rows e
          where ${sql.property('$geoip_country_code')} = ${sql.param('AU')} order by 1`,
          sql.values,
        );
        expect(found.map(({ id, properties }) => [id, JSON.parse(String(properties))])).toEqual([
          ['large', { $ip: '10.1.1.1', text: longText(100_000), ...place }],
          ['short', { $ip: '10.1.1.1', name: 'A "quoted" one', ...place }],
        ]);
        expect(await count()).toBe(8);
      });

      it('accepts batches of any size', async () => {
        let total = 0;
        for (const size of [1, 2047, 2048, 2049, 5000]) {
          await write(Array.from({ length: size }, () => anEvent({ properties: { size, long: 'x'.repeat(50) } })));
          total += size;
          expect(await count()).toBe(total);
        }
        const distinct = await store.query('select count(distinct uuid) as n from events', []);
        expect(distinct).toEqual([{ n: total }]);
      });

      it('commits the position with the events and skips a batch it has', async () => {
        await store.write({ events: [anEvent()], overrides: [], position: 10 });
        await store.write({ events: [anEvent()], overrides: [], position: 10 });
        await store.write({ events: [anEvent()], overrides: [], position: 4 });
        expect([await store.position(), await count()]).toEqual([10, 1]);
        await store.write({ events: [], overrides: [], position: 12 });
        await reopen();
        expect([await store.position(), await count()]).toEqual([12, 1]);
      });

      it('stores nothing of a batch that fails, and continues', async () => {
        await write([anEvent()]);
        const bad = { ...anEvent(), uuid: 'no uuid' };
        const override = { projectId: 1, from: uuidOf(1), to: uuidOf(2) };
        const failing = store.write({ events: [anEvent(), bad], overrides: [override], position: 50 });
        await expect(failing).rejects.toThrow('no uuid');
        expect([await store.position(), await count()]).toEqual([1, 1]);
        await store.write({ events: [anEvent()], overrides: [], position: 50 });
        expect([await store.position(), await count()]).toEqual([50, 2]);
      });

      it('has everything after a power cut that follows the commit', async () => {
        await write([anEvent(), anEvent()]);
        const copy = setup.copy();
        const reopened = await copy.openStore();
        expect([await reopened.position(), await count(reopened)]).toEqual([1, 2]);
        await reopened.close();
      });
    });

    describe('query', () => {
      it('returns plain values', async () => {
        await write([anEvent()]);
        const [row] = await store.query(
          `select uuid, timestamp, count(*) as n, sum(project_id) as s, avg(project_id) as a, true as t, null as z
          from events
          group by uuid, timestamp`,
          [],
        );
        expect(row).toEqual({
          uuid: expect.stringMatching(/^00000000-0000-4000-8000-/),
          timestamp: 1_700_000_000_123,
          n: 1,
          s: 1,
          a: 1,
          t: true,
          z: null,
        });
      });

      it('binds values of every kind', async () => {
        await write([anEvent({ event: "it's; drop table events --" }), anEvent()]);
        const found = await store.query(
          'select event from events where event = $1 and project_id = $2 and project_id < $3 and true = $4',
          ["it's; drop table events --", 1n, 1.5, true],
        );
        expect(found).toEqual([{ event: "it's; drop table events --" }]);
      });

      it.each([
        'delete from event_rows',
        'insert into log_position values (5)',
        'drop view events',
        'select 1; delete from event_rows',
        "select * from read_text('/etc/hostname')",
      ])('refuses %s', async (sql) => {
        await write([anEvent()]);
        await expect(store.query(sql, [])).rejects.toThrow();
        expect(await count()).toBe(1);
      });

      it('stays usable after an invalid statement', async () => {
        await expect(store.query('select nothing_like_this from events', [])).rejects.toThrow(/nothing_like_this/);
        expect(await count()).toBe(0);
      });

      it('sees only complete batches during writes', async () => {
        const batch = (): StoredEvent[] => Array.from({ length: 3000 }, () => anEvent());
        let writing = true;
        const writes = (async () => {
          for (let i = 0; i < 6; i++) await write(batch());
          writing = false;
        })();
        const seen: number[] = [];
        while (writing) seen.push(Number(await count()));
        await writes;
        expect(seen.every((n) => n % 3000 === 0)).toBe(true);
        expect(seen.length).toBeGreaterThan(2);
        expect(await count()).toBe(18_000);
      });

      it('runs many queries at once', async () => {
        await write([anEvent()]);
        const answers = await Promise.all(Array.from({ length: 20 }, () => count()));
        expect(answers).toEqual(Array(20).fill(1));
      });
    });

    describe('overrides', () => {
      const A = uuidOf(0xa);
      const B = uuidOf(0xb);
      const C = uuidOf(0xc);
      const D = uuidOf(0xd);
      const persons = async (projectId = 1): Promise<Record<string, SqlValue>> => {
        const found = await store.query(
          'select distinct_id, person_id from events where project_id = $1 order by distinct_id',
          [projectId],
        );
        return Object.fromEntries(found.map((row) => [String(row['distinct_id']), row['person_id'] ?? null]));
      };
      const merge = (from: string, to: string, projectId = 1): PersonOverride => ({ projectId, from, to });

      beforeEach(async () => {
        const ids = { a: A, b: B, c: C, d: D };
        await write(Object.entries(ids).map(([distinctId, personId]) => anEvent({ distinctId, personId })));
      });

      it.each([
        { why: 'a merge', merges: [merge(A, B)], owners: { a: B, b: B, c: C, d: D } },
        { why: 'a chain', merges: [merge(A, B), merge(B, C)], owners: { a: C, b: C, c: C, d: D } },
        { why: 'a chain from its end', merges: [merge(B, C), merge(A, B)], owners: { a: C, b: C, c: C, d: D } },
        { why: 'a repeated merge', merges: [merge(A, B), merge(A, B)], owners: { a: B, b: B, c: C, d: D } },
        { why: 'a fan-in', merges: [merge(A, C), merge(B, C), merge(C, D)], owners: { a: D, b: D, c: D, d: D } },
        { why: 'a way back', merges: [merge(A, B), merge(B, A)], owners: { a: A, b: A, c: C, d: D } },
        { why: 'itself', merges: [merge(A, A)], owners: { a: A, b: B, c: C, d: D } },
        { why: 'capital letters', merges: [merge(A.toUpperCase(), B)], owners: { a: B, b: B, c: C, d: D } },
      ])('follows $why in one batch', async ({ merges, owners }) => {
        await write([], merges);
        expect(await persons()).toEqual(owners);
      });

      it('follows a chain over several batches, from either end', async () => {
        for (const one of [merge(A, B), merge(C, D), merge(B, C)]) await write([], [one]);
        expect(await persons()).toEqual({ a: D, b: D, c: D, d: D });
      });

      it('keeps projects apart', async () => {
        await write([anEvent({ projectId: 2, distinctId: 'a', personId: A })], [merge(A, B)]);
        expect(await persons(2)).toEqual({ a: A });
        expect(await persons(1)).toMatchObject({ a: B });
      });

      it('covers events that come after the merge, and survives a restart', async () => {
        await write([], [merge(A, B)]);
        await write([anEvent({ distinctId: 'late', personId: A })]);
        await reopen();
        expect(await persons()).toMatchObject({ late: B });
        expect(await count()).toBe(5);
      });

      it('agrees with a plain list under any sequence of merges', async () => {
        await fc.assert(
          fc.asyncProperty(mergeSequences, async (batches) => {
            const projectId = 100 + position;
            const ids = Array.from({ length: 6 }, (_, i) => uuidOf(i + 1));
            await write(ids.map((id) => anEvent({ projectId, distinctId: id, personId: id })));
            let expected = new Map(ids.map((id) => [id, id]));
            for (const batch of batches) {
              const merges = batch.map(([from, to]) => merge(uuidOf(from), uuidOf(to), projectId));
              await write([], merges);
              for (const one of merges) expected = applyOverride(expected, one);
              expect(await persons(projectId)).toEqual(Object.fromEntries(expected));
            }
          }),
          { numRuns: runs },
        );
      });
    });

    describe('deleteBefore', () => {
      it('deletes older events of that project only, and returns how many', async () => {
        await write([
          anEvent({ timestamp: 999 }),
          anEvent({ timestamp: 1000 }),
          anEvent({ timestamp: 500 }),
          anEvent({ timestamp: 500, projectId: 2 }),
        ]);
        expect(await store.deleteBefore(1, 1000)).toBe(2);
        expect(await store.deleteBefore(1, 1000)).toBe(0);
        const left = await store.query('select project_id, timestamp from events order by project_id', []);
        expect(left).toEqual([
          { project_id: 1, timestamp: 1000 },
          { project_id: 2, timestamp: 500 },
        ]);
      });

      it('can run beside writes', async () => {
        await write([anEvent({ timestamp: 1 })]);
        const [deleted] = await Promise.all([store.deleteBefore(1, 1000), write([anEvent()])]);
        expect([deleted, await count()]).toEqual([1, 1]);
      });
    });

    it('reports its size', async () => {
      const empty = await store.size();
      await write(Array.from({ length: 3000 }, (_, i) => anEvent({ properties: { noise: uuidOf(i * 7919) } })));
      expect(await store.size()).toBeGreaterThan(empty + 10_000);
    });

    it('rejects work after it was closed, and closes twice', async () => {
      await store.close();
      await store.close();
      await expect(store.query('select 1', [])).rejects.toThrow(/closed/);
      await expect(write([anEvent()])).rejects.toThrow(/closed/);
    });

    it('finishes what runs before it closes', async () => {
      const running = write([anEvent()]);
      const asking = count();
      await reopen();
      await running;
      expect([0, 1]).toContain(await asking);
      expect(await count()).toBe(1);
    });
  });
}
