import { describe, expect, it } from 'vitest';
import { MAX_USUAL_COLUMNS, usualProperties } from './usual-properties.ts';

const sample = (count: number, properties: (at: number) => Record<string, string | number | boolean | null | object>) =>
  usualProperties(Array.from({ length: count }, (_, at) => properties(at)) as Parameters<typeof usualProperties>[0]);

describe('the properties that events usually have', () => {
  it('are those with few, short values, of the product before those of SDKs', () => {
    expect(
      sample(1000, (at) => ({ $screen_width: at % 3, plan: at % 2 ? 'free' : 'pro', isNew: at % 2 === 0 })),
    ).toEqual(['plan', 'isNew', '$screen_width']);
  });

  it('come in the order of how many events have them', () => {
    expect(sample(1000, (at) => ({ ...(at % 3 ? {} : { rare: at % 2 }), frequent: at % 2 }))).toEqual([
      'frequent',
      'rare',
    ]);
  });

  it.each([
    ['an id', (at: number) => ({ order: `o${at}` })],
    ['a constant', () => ({ version: '1.2.3' })],
    ['a long text', (at: number) => ({ text: `${'x'.repeat(40)}${at % 2}` })],
    ['an object', (at: number) => ({ $set: { plan: at % 2 } })],
    ['null', () => ({ nothing: null })],
    ['one with a column of its own', (at: number) => ({ $browser: `b${at % 2}` })],
    ['one that few events have', (at: number) => (at < 9 ? { seldom: at % 2 } : {})],
    ['one with a name that is too long', (at: number) => ({ ['k'.repeat(201)]: at % 2 })],
  ])('are not %s', (_, properties) => {
    expect(sample(1000, properties as Parameters<typeof sample>[1])).toEqual([]);
  });

  it('are limited in number', () => {
    const many = (at: number) => Object.fromEntries(Array.from({ length: 30 }, (_, key) => [`key${key}`, at % 2]));
    expect(sample(100, many)).toHaveLength(MAX_USUAL_COLUMNS);
  });

  it('are none without events', () => {
    expect(usualProperties([])).toEqual([]);
  });
});
