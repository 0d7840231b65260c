import { describe, expect, it } from 'vitest';
import type { Json } from '../json/json.ts';
import { HOT_PROPERTIES, hotProperties, isHotProperty, propertyText } from './hot-properties.ts';

describe('hot properties', () => {
  it('picks them in the order of the list', () => {
    const picked = hotProperties({ $lib: 'web', $current_url: 'https://a.example/', plan: 'pro' });
    expect(picked).toEqual(['https://a.example/', ...Array(13).fill(null), 'web']);
    expect(picked).toHaveLength(HOT_PROPERTIES.length);
  });

  it('takes nothing from a prototype', () => {
    const properties: Record<string, Json> = Object.create({ $browser: 'inherited' });
    expect(hotProperties(properties).every((value) => value === null)).toBe(true);
  });

  it.each<[Json, string | null]>([
    ['', ''],
    ['Chrome', 'Chrome'],
    [null, null],
    [0, '0'],
    [-0, '0'],
    [1.5, '1.5'],
    [1e21, '1e21'],
    [1e-7, '1e-7'],
    [true, 'true'],
    [[1, 'a'], '[1,"a"]'],
    [{ a: null }, '{"a":null}'],
    [[1e21, '1e+21'], '[1e21,"1e+21"]'],
    [['\u001b', '\\u001b'], '["\\u001B","\\\\u001b"]'],
  ])('writes %j as %j', (value, text) => {
    expect(propertyText(value)).toBe(text);
  });

  it('knows which keys are hot', () => {
    expect(['$browser', 'plan', 'constructor'].map(isHotProperty)).toEqual([true, false, false]);
  });
});
