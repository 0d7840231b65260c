import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '../../../core/json/json.ts';
import { applyProperties } from '../../../core/persons/apply-properties.ts';
import type { HistoryEntry } from '../../../core/persons/person-changes.ts';
import { PropertyHistory } from './property-history.ts';

const entry = (key: string, before: Json | undefined, after: Json | undefined, at: number): HistoryEntry => ({
  projectId: 1,
  personUuid: 'p',
  eventUuid: 'e',
  key,
  before,
  after,
  at,
});

describe('properties at a time', () => {
  it('are the result of the last change so far', () => {
    const history = new PropertyHistory({ a: 3, b: 1 }, [
      entry('a', undefined, 1, 10),
      entry('b', 0, 1, 15),
      entry('a', 1, undefined, 20),
      entry('a', undefined, 3, 30),
    ]);
    expect([9, 10, 19, 20, 29, 30].map((at) => history.propertiesAt(at))).toEqual([
      { b: 0 },
      { a: 1, b: 0 },
      { a: 1, b: 1 },
      { b: 1 },
      { b: 1 },
      { a: 3, b: 1 },
    ]);
  });

  it('include null values and properties that never changed', () => {
    const history = new PropertyHistory({ old: 'x', a: null }, [entry('a', undefined, null, 10)]);
    expect([history.propertiesAt(9), history.propertiesAt(10)]).toEqual([{ old: 'x' }, { old: 'x', a: null }]);
    expect([history.has('a'), history.has('old')]).toEqual([true, false]);
    expect(new PropertyHistory({}, []).valueAt('toString', 1)).toBeUndefined();
  });

  it('follow the time of changes, not their order of arrival', () => {
    const history = new PropertyHistory({ a: 'late' }, [
      entry('a', undefined, 'early', 20),
      entry('a', 'early', 'late', 10),
    ]);
    expect([5, 10, 20].map((at) => history.valueAt('a', at))).toEqual([undefined, 'late', 'early']);
  });

  it('equal the state at that time after any sequence of changes', () => {
    const update = fc.record({
      set: fc.dictionary(fc.constantFrom('a', 'b', 'constructor'), fc.constantFrom<Json>(1, 2, null, [1])),
      unset: fc.subarray(['a', 'b']),
      wait: fc.nat(3),
    });
    fc.assert(
      fc.property(
        fc.array(update, { maxLength: 12 }),
        fc.constantFrom<JsonObject>({}, { a: 0, z: 1 }),
        (updates, start) => {
          let properties = start;
          let at = 100;
          const entries: HistoryEntry[] = [];
          const states = new Map<number, JsonObject>([[at, properties]]);
          for (const { wait, ...given } of updates) {
            at += wait;
            const applied = applyProperties(properties, given);
            properties = applied.properties;
            entries.push(...applied.changes.map((one) => entry(one.key, one.before, one.after, at)));
            states.set(at, properties);
          }
          const history = new PropertyHistory(properties, entries);
          // Nothing is known from before the first change at the very first moment.
          for (const [time, state] of states) expect(history.propertiesAt(time)).toEqual(state);
        },
      ),
    );
  });
});
