import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import type { Json } from '../core/json/json.ts';
import { randomIds } from '../lib/ids.ts';
import type { MetadataStore } from '../stores/metadata/metadata-store.ts';
import { type ActivityEntry, changesBetween, recordActivity } from './record-activity.ts';

describe('changes between two states', () => {
  it.each<[string, Record<string, Json>, Record<string, Json>, unknown[]]>([
    ['nothing', { name: 'a' }, { name: 'a' }, []],
    ['a value', { name: 'a' }, { name: 'b' }, [['changed', 'name', 'a', 'b']]],
    ['a value that came', { name: null }, { name: 'b' }, [['created', 'name', null, 'b']]],
    ['a field that came', {}, { name: 'b' }, [['created', 'name', null, 'b']]],
    ['a value that went', { name: 'a' }, { name: null }, [['deleted', 'name', 'a', null]]],
    ['a field that went', { name: 'a' }, {}, [['deleted', 'name', 'a', null]]],
    ['false and null are not the same', { on: false }, { on: null }, [['deleted', 'on', false, null]]],
    ['lists are compared by what they hold', { list: [1, { a: 1 }] }, { list: [1, { a: 1 }] }, []],
    ['lists that differ', { list: [1] }, { list: [1, 2] }, [['changed', 'list', [1], [1, 2]]]],
    ['names that every object inherits', {}, { constructor: 1 }, [['created', 'constructor', null, 1]]],
  ])('%s', (_name, before, after, expected) => {
    const changes = changesBetween('Team', before, after);
    expect(changes.map((change) => [change.action, change.field, change.before, change.after])).toEqual(expected);
    expect(changes.every((change) => change.type === 'Team')).toBe(true);
  });

  it('are the same fields in both directions, with before and after exchanged', () => {
    const state = fc.dictionary(fc.string(), fc.jsonValue()) as fc.Arbitrary<Record<string, Json>>;
    fc.assert(
      fc.property(state, state, (one, other) => {
        const there = changesBetween('T', one, other).map(({ field, before, after }) => [field, before, after]);
        const back = changesBetween('T', other, one).map(({ field, before, after }) => [field, after, before]);
        expect(new Set(back.map((change) => JSON.stringify(change)))).toEqual(
          new Set(there.map((change) => JSON.stringify(change))),
        );
      }),
      { seed: 4 },
    );
  });
});

describe('writing an entry', () => {
  const ENTRY: ActivityEntry = {
    organizationId: 'org',
    projectId: 1,
    userId: 7,
    activity: 'created',
    scope: 'Team',
    itemId: '1',
    name: 'Default project',
    changes: null,
  };
  const written = async (entry: ActivityEntry): Promise<unknown[]> => {
    const append = vi.fn(async () => {});
    const ids = { ...randomIds, orderedUuid: (now: number) => `id at ${now}` };
    await recordActivity(
      { clock: { now: () => 1000 }, ids },
      { activity: { create: append }, audit: { append: async () => undefined } } as unknown as MetadataStore,
      entry,
    );
    return append.mock.calls.flat();
  };

  it('stores who, what, when and the details', async () => {
    const { name, changes, ...rest } = ENTRY;
    const detail = { changes, trigger: null, name, short_id: null };
    expect(await written(ENTRY)).toEqual([{ ...rest, id: 'id at 1000', detail, createdAt: 1000 }]);
  });

  it('does not record an update without changes', async () => {
    expect(await written({ ...ENTRY, activity: 'updated', changes: [] })).toEqual([]);
    expect(await written({ ...ENTRY, activity: 'updated', changes: null })).toEqual([]);
    expect(await written({ ...ENTRY, activity: 'deleted', changes: [] })).toHaveLength(1);
  });
});
