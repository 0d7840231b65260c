import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../json/json.ts';
import { applyProperties, type PropertyUpdate } from './apply-properties.ts';

describe('applyProperties', () => {
  it.each<[string, JsonObject, PropertyUpdate, JsonObject]>([
    ['set_once fills gaps', { a: 1 }, { setOnce: { a: 2, b: 2 } }, { a: 1, b: 2 }],
    ['null is no gap', { a: null }, { setOnce: { a: 2 } }, { a: null }],
    ['set overwrites', { a: 1 }, { set: { a: 2 } }, { a: 2 }],
    ['set beats set_once', {}, { set: { a: 'set' }, setOnce: { a: 'once' } }, { a: 'set' }],
    ['set to null beats set_once', {}, { set: { a: null }, setOnce: { a: 'once' } }, { a: null }],
    [
      'unset by list, last',
      { a: 1, b: 1 },
      { set: { a: 2, c: 1 }, setOnce: { d: 1 }, unset: ['a', 'c', 'd', 5] },
      { b: 1 },
    ],
    ['unset by keys', { a: 1, b: 2 }, { unset: { a: 'anything' } }, { b: 2 }],
    [
      'inherited names are ordinary',
      {},
      { setOnce: { toString: 1 }, set: { constructor: 2 }, unset: ['valueOf'] },
      { toString: 1, constructor: 2 },
    ],
  ])('%s', (_name, current, update, expected) => {
    expect(applyProperties(current, update).properties).toEqual(expected);
  });

  it('returns one change for each key', () => {
    const update = { set: { a: 2, same: { x: [1] } }, setOnce: { a: 0, n: 1 }, unset: ['gone', 'never'] };
    expect(applyProperties({ a: 1, same: { x: [1] }, gone: 'g' }, update).changes).toEqual([
      { key: 'n', before: undefined, after: 1 },
      { key: 'a', before: 1, after: 2 },
      { key: 'gone', before: 'g', after: undefined },
    ]);
  });

  it('returns the same object where nothing changes', () => {
    const current = { a: 1, l: [1, { b: 2 }] };
    const result = applyProperties(current, { set: { a: 1, l: [1, { b: 2 }] }, setOnce: { a: 5 }, unset: ['x'] });
    expect(result.properties).toBe(current);
    expect(result.changes).toEqual([]);
  });

  const key = fc.constantFrom('a', 'b', 'c', 'toString');
  const object = fc
    .dictionary(key, fc.jsonValue({ maxDepth: 1 }))
    .map((value) => JSON.parse(JSON.stringify(value)) as JsonObject);
  const updates = fc.record({ set: object, setOnce: object, unset: fc.array(key, { maxLength: 2 }) });

  it('applied twice is applied once', () => {
    fc.assert(
      fc.property(object, updates, (current, update) => {
        const once = applyProperties(current, update).properties;
        const twice = applyProperties(once, update);
        expect(twice.properties).toEqual(once);
        expect(twice.changes).toEqual([]);
      }),
    );
  });

  it('does not change its input, and its changes lead from before to after', () => {
    fc.assert(
      fc.property(object, updates, (current, update) => {
        const copy = structuredClone(current);
        const { properties, changes } = applyProperties(current, update);
        expect(current).toEqual(copy);
        const replayed: JsonObject = { ...current };
        for (const change of changes) {
          if (change.after === undefined) delete replayed[change.key];
          else replayed[change.key] = change.after;
        }
        expect(replayed).toEqual(properties);
        expect(new Set(changes.map((change) => change.key)).size).toBe(changes.length);
      }),
    );
  });
});
