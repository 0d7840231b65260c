import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Event } from '../../../core/events/event.ts';
import type { Json, JsonObject } from '../../../core/json/json.ts';
import type { Person } from '../../../core/persons/person.ts';
import { PersonUpdates } from '../../../core/persons/person-updates.ts';
import { type MergedPair, planUndo } from './plan-undo.ts';

const uuidOf = (n: number): string => `00000000-0000-4000-8000-${n.toString(16).padStart(12, '0')}`;

const aPerson = (over: Partial<Person> = {}): Person => ({
  projectId: 1,
  uuid: uuidOf(1),
  createdAt: 1000,
  properties: {},
  isIdentified: false,
  version: 3,
  ...over,
});

const ALONE = { earlier: [], later: [] };

/** What is true of a person, without the count of writes. */
const facts = ({ version: _, ...person }: Person) => person;

let events = 0;
const anEvent = (over: Partial<Event>): Event => ({
  projectId: 1,
  uuid: uuidOf(0xe000 + ++events),
  event: '$merge_dangerously',
  distinctId: 't',
  timestamp: 9000,
  receivedAt: 9000,
  properties: {},
  elementsChain: '',
  person: 'full',
  ...over,
});

/** Merges persons into a target, one after the other, by the rules that events go by. */
function mergeAll(target: Person, sources: readonly Person[], saying: JsonObject = {}) {
  const ids = sources.map((person, i) => ({ projectId: 1, distinctId: `s${i}`, personUuid: person.uuid }));
  const book = new PersonUpdates({
    persons: [target, ...sources],
    distinctIds: [{ projectId: 1, distinctId: 't', personUuid: target.uuid }, ...ids],
    isTaken: () => false,
  });
  for (const { distinctId } of ids) book.handle(anEvent({ properties: { alias: distinctId, ...saying } }));
  const { ops, persons } = book.changes();
  const merges = ops.flatMap((op): MergedPair[] => (op.op === 'merge' ? [op] : []));
  const survivor = persons.find(({ mergedInto }) => mergedInto === null)?.person ?? target;
  return { merges, survivor };
}

const keys = fc.constantFrom('a', 'b', 'c', 'email', '$browser', 'toString');
const values = fc.oneof(fc.integer({ min: 0, max: 3 }), fc.constant(null), fc.constant<Json>({ deep: [1] }));
const properties = fc.dictionary(keys, values, { maxKeys: 5 });
const persons = fc.record({
  createdAt: fc.integer({ min: 1, max: 100 }),
  properties,
  isIdentified: fc.boolean(),
  version: fc.nat(50),
});

describe('merge, then undo', () => {
  it('cancels out, in whatever order several merges are undone', () => {
    fc.assert(
      fc.property(
        persons,
        fc.array(persons, { minLength: 1, maxLength: 5 }),
        fc.array(fc.nat(100), { minLength: 5, maxLength: 5 }),
        (one, others, picks) => {
          const target = aPerson(one);
          const sources = others.map((other, i) => aPerson({ ...other, uuid: uuidOf(i + 2) }));
          const { merges, survivor } = mergeAll(target, sources);
          let standing = merges;
          let now = survivor;
          for (const pick of picks.slice(0, merges.length)) {
            const at = pick % standing.length;
            const undone = standing[at];
            if (!undone) throw new Error('nothing to undo');
            const plan = planUndo(undone, now, { earlier: standing.slice(0, at), later: standing.slice(at + 1) });
            const original = sources.find(({ uuid }) => uuid === undone.source.uuid) ?? target;
            expect(plan.source).toEqual(original);
            expect(plan.target.version).toBeGreaterThan(now.version);
            now = plan.target;
            const targets = [...plan.rebased.earlier, ...plan.rebased.later];
            standing = standing
              .filter((merge) => merge !== undone)
              .map((merge, i) => ({ ...merge, target: targets[i] ?? merge.target }));
          }
          expect(facts(now)).toEqual(facts(target));
        },
      ),
    );
  });

  it('leaves the target as if only the others had been merged', () => {
    fc.assert(
      fc.property(persons, persons, persons, persons, (one, first, second, third) => {
        const target = aPerson(one);
        const sources = [first, second, third].map((other, i) => aPerson({ ...other, uuid: uuidOf(i + 2) }));
        const { merges, survivor } = mergeAll(target, sources);
        const [, undone, last] = merges;
        if (!undone || !last) throw new Error('nothing to undo');
        const { target: now } = planUndo(undone, survivor, { earlier: merges.slice(0, 1), later: [last] });
        const without = mergeAll(
          target,
          [sources[0], sources[2]].filter((source) => source !== undefined),
        );
        expect(facts(now)).toEqual(facts(without.survivor));
      }),
    );
  });
});

describe('a change since the merge', () => {
  const source = aPerson({ uuid: uuidOf(2), createdAt: 500, properties: { plan: 'free', city: 'Rome', age: 3 } });
  const target = aPerson({ properties: { name: 'Ada', age: 4 } });

  it('stays with the survivor, whoever had the property first', () => {
    const { merges, survivor } = mergeAll(target, [source]);
    const later = {
      ...survivor,
      version: survivor.version + 1,
      properties: { ...survivor.properties, plan: 'pro', x: 1 },
    };
    const plan = planUndo(merges[0] as MergedPair, later, ALONE);
    expect(plan.target.properties).toEqual({ name: 'Ada', age: 4, plan: 'pro', x: 1 });
    expect(plan.source.properties).toEqual({ plan: 'free', city: 'Rome', age: 3 });
    expect([plan.target.createdAt, plan.source.createdAt]).toEqual([1000, 500]);
    expect(plan.removedKeys).toEqual(['city']);
    // Somebody wrote to the survivor: that it is identified may be their word.
    expect(plan.target.isIdentified).toBe(true);
  });

  it('includes changes by the merging event', () => {
    const { merges, survivor } = mergeAll(target, [source], { $set: { email: 'ada@example.org', plan: 'pro' } });
    const plan = planUndo(merges[0] as MergedPair, survivor, ALONE);
    expect(plan.target.properties).toEqual({ name: 'Ada', age: 4, email: 'ada@example.org', plan: 'pro' });
    expect(plan.target.isIdentified).toBe(false);
  });

  it('is filled from later merges, and removed when those are undone', () => {
    const other = aPerson({ uuid: uuidOf(3), properties: { city: 'Oslo' } });
    const { merges, survivor } = mergeAll(target, [source, other]);
    const [first, second] = merges as [MergedPair, MergedPair];
    const plan = planUndo(first, survivor, { earlier: [], later: [second] });
    expect(plan.target.properties).toEqual({ name: 'Ada', age: 4, city: 'Oslo' });
    expect(plan.refilled).toEqual([{ key: 'city', before: undefined, after: 'Oslo' }]);
    const rebased = { ...second, target: plan.rebased.later[0] as Person };
    expect(planUndo(rebased, plan.target, ALONE).target.properties).toEqual({ name: 'Ada', age: 4 });
  });
});
