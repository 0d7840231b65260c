import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/core/json/json.ts';
import type { Group, IngestChanges } from '../../src/stores/ingest/ingest-store.ts';
import { NO_CHANGES } from '../../src/stores/ingest/no-changes.ts';
import type { GroupCursor, StoredGroup } from '../../src/stores/metadata/groups.ts';
import type { MetadataSetup } from './event-records.ts';

const aGroup = (key: string, createdAt: number, properties: JsonObject = {}, over: Partial<Group> = {}): Group => ({
  projectId: 1,
  typeIndex: 0,
  key,
  properties,
  createdAt,
  version: 1,
  ...over,
});

/** What every metadata store does with groups and group types. */
export function describeGroups(name: string, open: () => Promise<MetadataSetup>): void {
  describe(`groups: ${name}`, () => {
    let setup: MetadataSetup;
    beforeEach(async () => {
      setup = await open();
    });
    afterEach(() => setup.remove());

    let position = 0;
    const write = (changes: Partial<IngestChanges>): Promise<void> =>
      setup.ingest.transaction((store) => store.apply({ ...NO_CHANGES, ...changes, position: ++position }));
    const list = (over: Partial<Parameters<typeof setup.metadata.groups.list>[2]> = {}) =>
      setup.metadata.groups.list(1, 0, { search: undefined, from: undefined, limit: 100, ...over });
    const keys = (groups: readonly StoredGroup[]): string[] => groups.map(({ key }) => key);

    it('lists group types by index, with their display names', async () => {
      const type = (projectId: number, index: number, typeName: string) => ({ projectId, index, name: typeName });
      await write({ groupTypes: [type(1, 1, 'team'), type(1, 0, 'company'), type(2, 0, 'school')] });
      const { groups } = setup.metadata;
      await groups.updateType(1, 1, { nameSingular: 'Team', namePlural: 'Teams' });
      await groups.updateType(1, 1, { nameSingular: 'Squad' });
      await groups.updateType(1, 1, {});
      await groups.updateType(1, 4, { nameSingular: 'Nothing' });
      expect(await groups.listTypes(1)).toEqual([
        { index: 0, name: 'company', nameSingular: null, namePlural: null },
        { index: 1, name: 'team', nameSingular: 'Squad', namePlural: 'Teams' },
      ]);
      expect((await groups.listTypes(2)).map((one) => one.name)).toEqual(['school']);
      expect(await groups.listTypes(3)).toEqual([]);
    });

    it('deletes groups by key, of every type but only of the project', async () => {
      const other = aGroup('acme', 1, {}, { projectId: 2 });
      await write({ groups: [aGroup('acme', 1), aGroup('acme', 1, {}, { typeIndex: 4 }), aGroup('acme 2', 1), other] });
      const { groups } = setup.metadata;
      expect([await groups.delete(1, []), await groups.delete(1, ['acme', 'Acme'])]).toEqual([0, 2]);
      expect([keys(await list()), await groups.get(1, 4, 'acme')]).toEqual([['acme 2'], null]);
      expect(await groups.get(2, 0, 'acme')).not.toBeNull();
    });

    it('finds a group by type and key, in its project only', async () => {
      await write({ groups: [aGroup('acme', 5, { plan: 'pro' })] });
      const { groups } = setup.metadata;
      expect(await groups.get(1, 0, 'acme')).toEqual({
        typeIndex: 0,
        key: 'acme',
        properties: { plan: 'pro' },
        createdAt: 5,
      });
      expect(await groups.get(1, 1, 'acme')).toBeNull();
      expect(await groups.get(2, 0, 'acme')).toBeNull();
      expect(await groups.get(1, 0, 'ACME')).toBeNull();
    });

    it('finds a part of a key or of a property', async () => {
      await write({
        groups: [aGroup('Acme', 3, { city: 'Köln' }), aGroup('a%c', 2, { note: 'x_y' }), aGroup('other', 1)],
      });
      for (const [search, found] of [
        ['aCM', ['Acme']],
        ['köl', ['Acme']],
        ['%', ['a%c']],
        ['_', ['a%c']],
        ['', ['Acme', 'a%c', 'other']],
        ['x'.repeat(100_000), []],
      ] as const) {
        expect(keys(await list({ search }))).toEqual(found);
      }
    });

    it('pages in both directions without missing or repeating a group', async () => {
      const some = fc.uniqueArray(fc.tuple(fc.integer({ min: 0, max: 3 }), fc.string({ maxLength: 3 })), {
        selector: ([, key]) => key,
        maxLength: 12,
      });
      const byPlace = (a: GroupCursor, b: GroupCursor): number =>
        b.createdAt - a.createdAt || Buffer.compare(Buffer.from(a.key), Buffer.from(b.key));
      let typeIndex = 0;
      await fc.assert(
        fc.asyncProperty(some, fc.integer({ min: 1, max: 4 }), async (made, limit) => {
          typeIndex++;
          const all = made.map(([createdAt, key]) => aGroup(key, createdAt, {}, { typeIndex }));
          await write({ groups: all });
          const page = (from?: { direction: 'behind' | 'before'; cursor: GroupCursor }) =>
            setup.metadata.groups.list(1, typeIndex, { search: undefined, from, limit });
          const wanted = keys(all.sort(byPlace));
          const forwards: StoredGroup[] = [];
          for (let next = await page(); next.length > 0; ) {
            forwards.push(...next);
            next = await page({ direction: 'behind', cursor: forwards.at(-1) as StoredGroup });
          }
          expect(keys(forwards)).toEqual(wanted);
          const last = forwards.at(-1);
          if (!last) return;
          const backwards: StoredGroup[] = [last];
          for (let before = await page({ direction: 'before', cursor: last }); before.length > 0; ) {
            backwards.unshift(...before);
            before = await page({ direction: 'before', cursor: before[0] as StoredGroup });
          }
          expect(keys(backwards)).toEqual(wanted);
        }),
        { numRuns: 50 },
      );
    });

    it('counts properties and values of the newest groups', async () => {
      await write({
        groups: [
          aGroup('a', 1, { plan: 'old', '$odd."key"': 1 }),
          aGroup('b', 2, { plan: 'pro', size: 5, ok: true, none: null }),
          aGroup('c', 3, { plan: 'pro', size: 5, list: [1, 'x'], '$odd."key"': { b: 'q"' } }),
          aGroup('d', 4, { plan: 'elsewhere' }, { typeIndex: 1 }),
        ],
      });
      const { groups } = setup.metadata;
      expect(await groups.countProperties(1, 0, 100)).toEqual([
        { name: 'plan', count: 3 },
        { name: '$odd."key"', count: 2 },
        { name: 'size', count: 2 },
        { name: 'list', count: 1 },
        { name: 'none', count: 1 },
        { name: 'ok', count: 1 },
      ]);
      expect(await groups.countProperties(2, 0, 100)).toEqual([]);
      const values = async (property: string, among = 100) =>
        (await groups.countValues(1, 0, property, among)).map(({ value, count }) => [JSON.parse(value), count]).sort();
      expect(await values('plan')).toEqual([
        ['old', 1],
        ['pro', 2],
      ]);
      expect(await values('plan', 2)).toEqual([['pro', 2]]);
      expect(await values('size')).toEqual([[5, 2]]);
      expect(await values('ok')).toEqual([[true, 1]]);
      expect(await values('none')).toEqual([[null, 1]]);
      expect(await values('list')).toEqual([[[1, 'x'], 1]]);
      expect(await values('$odd."key"')).toEqual([
        [1, 1],
        [{ b: 'q"' }, 1],
      ]);
      expect(await values('nothing')).toEqual([]);
    });
  });
}
