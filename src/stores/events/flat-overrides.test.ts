import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { PersonOverride } from './event-store.ts';
import { affectedBy, FlatOverrides } from './flat-overrides.ts';

type Known = ReadonlyMap<string, PersonOverride>;

const anOverride: fc.Arbitrary<PersonOverride> = fc.record({
  projectId: fc.constant(1),
  from: fc.constantFrom(...'abcdef'),
  to: fc.constantFrom(...'abcdef'),
});
const batches = fc.array(fc.array(anOverride, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 8 });

/** What is known after a batch, of which only the given overrides were read. */
function written(known: Known, batch: readonly PersonOverride[], read: readonly PersonOverride[]): Known {
  const flat = new FlatOverrides(read);
  for (const override of batch) flat.add(override);
  const after = new Map(known);
  for (const change of flat.changes()) {
    if (change.from === change.to) after.delete(change.from);
    else after.set(change.from, change);
  }
  return after;
}

const shown = (known: Known): string[] => [...known.values()].map(({ from, to }) => `${from}>${to}`).sort();

it('gives the same as if all overrides were known, and none leads to another', () => {
  fc.assert(
    fc.property(batches, (given) => {
      let [some, all]: [Known, Known] = [new Map(), new Map()];
      for (const batch of given) {
        const { ids, moved } = affectedBy(batch);
        const affected = [...some.values()].filter(({ from, to }) => ids.includes(from) || moved.includes(to));
        some = written(some, batch, affected);
        all = written(all, batch, [...all.values()]);
        expect(shown(some)).toEqual(shown(all));
        for (const { to } of some.values()) expect(some.has(to)).toBe(false);
      }
    }),
  );
});

it('does not ask for those that a person took over before', () => {
  const to = 'kept';
  const merged = [
    { projectId: 1, from: 'x', to },
    { projectId: 1, from: 'y', to },
  ];
  expect(affectedBy(merged)).toEqual({ ids: ['x', 'kept', 'y'], moved: ['x', 'y'] });
});
