import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DefinitionHistory, MAX_KNOWN_VERSIONS } from './definition-history.ts';

const parts = (content: Record<string, string>): Map<string, string> => new Map(Object.entries(content));

describe('the history of definitions', () => {
  it('tells what changed since a version', () => {
    const history = new DefinitionHistory(5, parts({ a: '1', b: '1' }));
    history.update(6, parts({ a: '2', b: '1' }));
    history.update(7, parts({ a: '2', c: '1' }));
    expect(history.changesSince(5)).toEqual({ put: parts({ a: '2', c: '1' }), drop: ['b'] });
    expect(history.changesSince(6)).toEqual({ put: parts({ c: '1' }), drop: ['b'] });
    expect(history.changesSince(7)).toEqual({ put: parts({}), drop: [] });
    expect(history.everything).toEqual({ put: parts({ a: '2', c: '1' }), drop: [] });
  });

  it.each([4, 8, -1, Number.NaN, Number.POSITIVE_INFINITY])('does not know version %s', (version) => {
    const history = new DefinitionHistory(5, parts({ a: '1' }));
    history.update(7, parts({}));
    expect(history.changesSince(version)).toBeNull();
  });

  it('forgets what is too old, and keeps what is not', () => {
    const history = new DefinitionHistory(1, parts({ a: '1' }));
    history.update(2, parts({}));
    history.update(MAX_KNOWN_VERSIONS + 1, parts({ b: '1' }));
    expect(history.changesSince(1)).toEqual({ put: parts({ b: '1' }), drop: ['a'] });
    history.update(MAX_KNOWN_VERSIONS + 2, parts({ b: '1' }));
    expect(history.changesSince(1)).toBeNull();
    expect(history.changesSince(2)).toEqual({ put: parts({ b: '1' }), drop: [] });
  });

  it('brings a copy of any known version up to date', () => {
    const content = fc.dictionary(fc.constantFrom('a', 'b', 'c', 'd'), fc.constantFrom('1', '2', '3'));
    const steps = fc.array(fc.record({ content, gap: fc.integer({ min: 1, max: 700 }) }), { maxLength: 12 });
    fc.assert(
      fc.property(content, steps, (first, changes) => {
        const history = new DefinitionHistory(1, parts(first));
        const copies = new Map([[1, parts(first)]]);
        for (const { content: next, gap } of changes) {
          history.update(history.version + gap, parts(next));
          copies.set(history.version, parts(next));
        }
        const last = copies.get(history.version);
        for (const [version, copy] of copies) {
          const change = history.changesSince(version);
          if (history.version - version > MAX_KNOWN_VERSIONS) expect(change).toBeNull();
          if (change === null) continue;
          for (const name of change.drop) copy.delete(name);
          for (const [name, text] of change.put) copy.set(name, text);
          expect(copy).toEqual(last);
        }
      }),
    );
  });
});
