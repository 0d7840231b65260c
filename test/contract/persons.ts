import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/core/json/json.ts';
import type { Person } from '../../src/core/persons/person.ts';
import type { HistoryEntry, PersonChanges } from '../../src/core/persons/person-changes.ts';
import { NO_CHANGES } from '../../src/stores/ingest/no-changes.ts';
import type { PersonCursor, PersonScan, Prefilter, StoredPerson } from '../../src/stores/metadata/persons.ts';
import type { MetadataSetup } from './event-records.ts';
import { uuidOf } from './events.ts';

/** Beyond 32 bits, as today's times are. */
const NOW = 1_768_478_400_000;
const ALL = { limit: 100, offset: 0 };

interface Given {
  n: number;
  projectId?: number;
  createdAt?: number;
  properties?: JsonObject;
  ids?: string[];
}

const aPerson = ({ n, projectId = 1, createdAt = NOW + n, properties = {} }: Given): Person => ({
  projectId,
  uuid: uuidOf(n),
  createdAt,
  properties,
  isIdentified: n % 2 === 1,
  version: n,
});

/** What every metadata store tells of persons, and how it changes them. */
export function describePersonStore(name: string, open: () => Promise<MetadataSetup>): void {
  describe(`persons: ${name}`, () => {
    let setup: MetadataSetup;
    beforeEach(async () => {
      setup = await open();
    });
    afterEach(() => setup.remove());

    let position = 0;
    const apply = (persons: Partial<PersonChanges>): Promise<void> => {
      const changes = { ...NO_CHANGES.persons, ...persons };
      return setup.ingest.transaction((store) =>
        store.apply({ ...NO_CHANGES, persons: changes, position: ++position }),
      );
    };
    const add = (given: readonly Given[], history: HistoryEntry[] = []): Promise<void> =>
      apply({
        persons: given.map((one) => ({ person: aPerson(one), isNew: true, mergedInto: null })),
        ops: given.flatMap(({ n, projectId = 1, ids = [`id ${n}`] }) =>
          ids.map((distinctId) => ({ op: 'add_id' as const, projectId, distinctId, personUuid: uuidOf(n) })),
        ),
        history,
      });
    const persons = () => setup.metadata.persons;
    const found = async (uuid: string, projectId = 1): Promise<StoredPerson> => {
      const person = await persons().get(projectId, { uuid });
      if (!person) throw new Error(`no person ${uuid}`);
      return person;
    };
    const numbers = (list: readonly StoredPerson[]) => list.map(({ version }) => version);
    const numbersOf = async (ids: Promise<number[]>) => numbers(await persons().listByIds(1, await ids));

    const versions = async (slice: PersonScan) => {
      const ids = slice.persons.map(({ id }) => id);
      const all = await persons().listByIds(1, ids);
      expect(all.map(({ id }) => id)).toEqual(ids);
      return numbers(all);
    };

    it('finds a person by id, uuid and distinct id, in its project only', async () => {
      const properties = { email: 'ada@example.org', deep: { list: [1, null, 'é'] } };
      await add([{ n: 1, properties, ids: ['a', 'b'] }, { n: 2 }]);
      const person = await found(uuidOf(1));
      expect(person).toEqual({ id: person.id, ...aPerson({ n: 1, properties }) });
      expect(await persons().get(1, { id: person.id })).toEqual(person);
      expect(await persons().getByDistinctId(1, 'b')).toEqual(person);
      expect(await persons().get(2, { id: person.id })).toBeNull();
      expect(await persons().get(2, { uuid: person.uuid })).toBeNull();
      expect(await persons().getByDistinctId(2, 'b')).toBeNull();
      expect(await persons().getByDistinctId(1, 'B')).toBeNull();
    });

    it('lists the newest first, and those of one moment by uuid', async () => {
      await add([
        { n: 1, createdAt: NOW },
        { n: 4, createdAt: NOW + 1 },
        { n: 3, createdAt: NOW + 1 },
        { n: 2, createdAt: NOW + 9 },
        { n: 9, projectId: 2 },
      ]);
      expect(await numbersOf(persons().listIds(1, ALL))).toEqual([2, 3, 4, 1]);
      expect(await numbersOf(persons().listIds(1, { limit: 2, offset: 1 }))).toEqual([3, 4]);
      expect(await persons().listIds(1, { limit: 2, offset: 4 })).toEqual([]);
    });

    it('knows the sizes of persons, and ends a scan where they become many bytes', async () => {
      const text = 'x'.repeat(3 * 1024 * 1024);
      await add([0, 1, 2, 3].map((n) => ({ n, createdAt: NOW - n, properties: n === 3 ? {} : { text } })));
      const ids = await persons().listIds(1, ALL);
      const sizes = await persons().listSizes(1, [...ids].reverse());
      expect(sizes).toEqual(ids.map((id, n) => ({ id, bytes: n === 3 ? 2 : text.length + 11 })));
      expect(await persons().listSizes(2, ids)).toEqual([]);
      const scan = await persons().scan(1, null, 10, []);
      expect(scan.persons.map(({ id }) => id)).toEqual(ids.slice(0, 2));
      expect((await persons().scan(1, scan.cursor, 10, [])).persons.map(({ id }) => id)).toEqual(ids.slice(2));
    });

    it('finds persons by the JSON text of their e-mail, newest first', async () => {
      const emails = ['a@x', 'b@x', 5, null, true, 'a@x', 'q"\\é\n@x', { a: 1 }, ['l']];
      await add(emails.map((email, n) => ({ n, properties: { email } })));
      await add([{ n: 90 }, { n: 91, projectId: 2, properties: { email: 'a@x' } }]);
      for (const email of emails) {
        const same = emails.flatMap((other, n) => (JSON.stringify(other) === JSON.stringify(email) ? [n] : []));
        expect(await numbersOf(persons().listIdsByEmails(1, [JSON.stringify(email)], ALL))).toEqual(same.reverse());
      }
      expect(await numbersOf(persons().listIdsByEmails(1, ['"a@x"', '"b@x"'], { limit: 1, offset: 1 }))).toEqual([1]);
      expect(await persons().listIdsByEmails(1, ['"A@x"', "' or 1=1 --"], ALL)).toEqual([]);
      expect(await persons().listIdsByEmails(1, [], ALL)).toEqual([]);
    });

    it('scans the list in batches, each person once, and reports the end', async () => {
      const times = [5, 5, 5, 5, 3, 3, 9, 1, 5, 3];
      await add(times.map((at, n) => ({ n, createdAt: NOW + at })));
      const whole = await numbersOf(persons().listIds(1, ALL));
      for (const size of [1, 2, 3, 4, 10, 11]) {
        const seen: number[] = [];
        for (let after: PersonCursor | null = null; ; ) {
          const slice: PersonScan = await persons().scan(1, after, size, []);
          seen.push(
            ...numbers(
              await persons().listByIds(
                1,
                slice.persons.map(({ id }) => id),
              ),
            ),
          );
          expect(slice.persons.length).toBeLessThanOrEqual(size);
          if (slice.cursor === null) break;
          after = slice.cursor;
        }
        expect(seen).toEqual(whole);
      }
    });

    it.each<[string, Prefilter[][], number[]]>([
      ['text in the properties', [[{ kind: 'text', text: '"plan":"pro"' }]], [2, 1]],
      ['letters as they are', [[{ kind: 'text', text: '"plan":"PRO"' }]], []],
      ['a part of the e-mail, whatever its case', [[{ kind: 'email', part: 'example' }]], [3, 1]],
      ['e-mails beyond ASCII, which pass', [[{ kind: 'email', part: 'nowhere' }]], [3]],
      [
        'one of several',
        [
          [
            { kind: 'email', part: 'nowhere' },
            { kind: 'text', text: '"plan":' },
          ],
        ],
        [3, 2, 1],
      ],
      ['all of several', [[{ kind: 'email', part: 'ada' }], [{ kind: 'text', text: 'pro' }]], [1]],
      ['wild cards, which are plain letters', [[{ kind: 'text', text: 'p%o' }]], []],
    ])('omits persons without %s from a slice', async (_name, clues, expected) => {
      await add([
        { n: 1, properties: { email: 'Ada@Example.org', plan: 'pro' } },
        { n: 2, properties: { plan: 'pro' } },
        { n: 3, properties: { email: 'é@EXAMPLE.org' } },
        { n: 4, properties: { email: null } },
      ]);
      for (const keys of [undefined, [], ['email'], ['email', 'plan']]) {
        const slice = await persons().scan(1, null, 10, clues, keys);
        expect(await versions(slice)).toEqual(expected);
        expect(slice.cursor).toBeNull();
      }
    });

    it('returns only the given properties', async () => {
      const properties = { email: 'é@x', $a: [1], 'b.c': null, 'q"': 1, deep: { email: 'no', $a: 0 } };
      await add([{ n: 1, properties }, { n: 2 }]);
      const sketch = async (...keys: string[]) =>
        (await persons().scan(1, null, 10, [], keys)).persons.map((person) => person.properties);
      expect(await sketch()).toEqual([{}, {}]);
      expect(await sketch('email')).toEqual([{}, { email: 'é@x' }]);
      expect(await sketch('$a', 'b.c', 'b')).toEqual([{}, { $a: [1], 'b.c': null }]);
      // A key that cannot be named safely brings all of them.
      expect((await sketch('q"'))[1]).toEqual(properties);
      expect((await persons().scan(1, null, 10, [])).persons[1]?.properties).toEqual(properties);
    });

    it('finds one person by id', async () => {
      await add([{ n: 1 }, { n: 2 }]);
      const { id } = await found(uuidOf(1));
      expect(await versions(await persons().scan(1, null, 10, [[{ kind: 'person', id }]]))).toEqual([1]);
      expect(await persons().listByIds(2, [id])).toEqual([]);
      expect((await persons().scan(1, null, 1, [[{ kind: 'person', id }]])).persons).toEqual([]);
    });

    it('lists distinct ids in the order they were added', async () => {
      await add([
        { n: 1, ids: ['z', 'a', 'm'] },
        { n: 2, ids: [] },
        { n: 3, ids: ['k'] },
      ]);
      const [one, two, three] = await Promise.all([1, 2, 3].map((n) => found(uuidOf(n))));
      const ids = [one, two, three].map((person) => person?.id ?? 0);
      expect([...(await persons().listDistinctIds(ids, 10)).values()]).toEqual([['z', 'a', 'm'], [], ['k']]);
      expect([...(await persons().listDistinctIds(ids, 2)).values()]).toEqual([['z', 'a'], [], ['k']]);
      const first = await persons().listDistinctIdsAfter(ids[0] ?? 0, 0, 2);
      expect(first.map(({ distinctId }) => distinctId)).toEqual(['z', 'a']);
      const rest = await persons().listDistinctIdsAfter(ids[0] ?? 0, first.at(-1)?.id ?? 0, 2);
      expect(rest.map(({ distinctId }) => distinctId)).toEqual(['m']);
    });

    it('writes a person with its history and its properties, and finds it by its new e-mail', async () => {
      const entry = { projectId: 1, personUuid: uuidOf(1), at: NOW, eventUuid: 'event' };
      const first: HistoryEntry = { ...entry, key: 'email', before: undefined, after: 'old@x' };
      await add([{ n: 1, properties: { email: 'old@x' } }, { n: 2 }], [first]);
      const person = await found(uuidOf(1));
      const next = { ...person, properties: { email: 'new@x', n: null }, version: 2 };
      const change: HistoryEntry = { ...entry, key: 'email', before: 'old@x', after: 'new@x', at: NOW + 5 };
      const added: HistoryEntry = { ...entry, key: 'n', before: undefined, after: null, at: NOW + 5 };
      const sighting = { projectId: 1, kind: 'person' as const, groupTypeIndex: -1, propertyType: null, at: NOW };
      await setup.metadata.transaction((store) =>
        store.persons.update({
          person: next,
          history: [change, added],
          properties: [{ ...sighting, id: 'definition', name: 'n' }],
        }),
      );
      expect(await found(uuidOf(1))).toEqual(next);
      expect(await persons().listIdsByEmails(1, ['"old@x"'], ALL)).toEqual([]);
      expect(await persons().listIdsByEmails(1, ['"new@x"'], ALL)).toEqual([next.id]);
      expect(await persons().listHistory(1, uuidOf(1))).toEqual([first, change, added]);
      expect(await persons().listHistory(2, uuidOf(1))).toEqual([]);
      const defined = await setup.metadata.definitions.listProperties(1, { kind: 'person', groupTypeIndex: -1 });
      expect(defined.map((one) => [one.id, one.name])).toEqual([['definition', 'n']]);
    });

    it('writes nothing of a change whose transaction failed', async () => {
      await add([{ n: 1, properties: { a: 1 } }]);
      const person = await found(uuidOf(1));
      const attempt = setup.metadata.transaction(async (store) => {
        await store.persons.update({ person: { ...person, properties: { a: 2 } }, history: [], properties: [] });
        throw new Error('power cut');
      });
      await expect(attempt).rejects.toThrow('power cut');
      expect(await found(uuidOf(1))).toEqual(person);
    });

    it('returns a person as it was before a merge', async () => {
      await add([{ n: 1, properties: { a: 1 } }, { n: 2 }]);
      const [source, target] = [aPerson({ n: 1, properties: { a: 1 } }), aPerson({ n: 2 })];
      await apply({
        ops: [
          {
            op: 'merge',
            projectId: 1,
            kind: 'identify',
            source,
            target,
            targetUuid: target.uuid,
            at: NOW,
            eventUuid: 'event',
          },
        ],
      });
      expect(await persons().getBeforeMerge(1, source.uuid)).toEqual(source);
      expect(await persons().getBeforeMerge(1, target.uuid)).toBeNull();
      expect(await persons().getBeforeMerge(2, source.uuid)).toBeNull();
    });
  });
}
