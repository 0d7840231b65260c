import fc from 'fast-check';
import { expect, it } from 'vitest';
import { PersonCache } from './person-cache.ts';

const person = (n: number) => ({ id: n, properties: { n } });

it('finds by project and distinct id, and deletes by person', () => {
  const memory = new PersonCache();
  memory.set(1, 'a', 'uuid-a', person(1), 10);
  memory.set(2, 'a', 'uuid-b', person(2), 10);
  expect(memory.get(1, 'a')).toEqual(person(1));
  expect(memory.get(2, 'a')).toEqual(person(2));
  expect(memory.get(1, 'b')).toBeUndefined();
  memory.invalidate(['uuid-a', 'unknown']);
  expect(memory.get(1, 'a')).toBeUndefined();
  expect(memory.get(2, 'a')).toEqual(person(2));
  memory.invalidateAll();
  expect(memory.get(2, 'a')).toBeUndefined();
});

it('evicts the oldest entries when full, and never stores very large ones', () => {
  const memory = new PersonCache(1000);
  for (let n = 0; n < 5; n++) memory.set(1, `id-${n}`, `uuid-${n}`, person(n), 100);
  expect([0, 1, 2, 3, 4].map((n) => memory.get(1, `id-${n}`)?.id)).toEqual([undefined, 1, 2, 3, 4]);
  memory.set(1, 'large', 'uuid-large', person(9), 20_000);
  expect(memory.get(1, 'large')).toBeUndefined();
  expect(memory.get(1, 'id-4')).toEqual(person(4));
});

it('evicts in the order of reading, whichever were invalidated or read again in between', () => {
  const memory = new PersonCache(1000);
  const read = (n: number): void => memory.set(1, `id-${n}`, `uuid-${n}`, person(n), 100);
  const known = (): number[] => Array.from({ length: 10 }, (_, n) => n).filter((n) => memory.get(1, `id-${n}`));
  for (const n of [0, 1, 2, 3]) read(n);
  // The oldest, one in the middle, the newest.
  memory.invalidate(['uuid-0', 'uuid-2', 'uuid-3']);
  for (const n of [4, 5, 1, 6]) read(n);
  expect(known()).toEqual([1, 4, 5, 6]);
  read(7);
  expect(known()).toEqual([1, 5, 6, 7]);
  for (const n of [8, 9]) read(n);
  expect(known()).toEqual([6, 7, 8, 9]);
  memory.invalidateAll();
  for (const n of [3, 4]) read(n);
  expect(known()).toEqual([3, 4]);
});

/** Persons with several ids each, read and changed in any order: what is found is what was read since the last change. */
it('never returns an entry that changed since it was read', () => {
  const step = fc.record({
    kind: fc.constantFrom('read', 'change', 'merge'),
    id: fc.integer({ min: 0, max: 8 }),
    other: fc.integer({ min: 0, max: 2 }),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const memory = new PersonCache(1500);
      const owner = Array.from({ length: 9 }, (_, id) => id % 3);
      const version = [0, 0, 0];
      for (const { kind, id, other } of steps) {
        const mine = owner[id] ?? 0;
        const found = memory.get(1, `id-${id}`);
        if (found !== undefined) expect(found).toEqual({ id: mine, properties: { version: version[mine] } });
        if (kind === 'read')
          memory.set(1, `id-${id}`, `uuid-${mine}`, { id: mine, properties: { version: version[mine] ?? 0 } }, 50);
        if (kind === 'merge') {
          for (const [at, one] of owner.entries()) if (one === mine) owner[at] = other;
          memory.invalidate([`uuid-${mine}`, `uuid-${other}`]);
        }
        if (kind === 'change') {
          version[mine] = (version[mine] ?? 0) + 1;
          memory.invalidate([`uuid-${mine}`]);
        }
      }
    }),
  );
});
