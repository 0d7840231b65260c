import { describe, expect, it } from 'vitest';
import { environmentFor, readExport, requireSize } from './export-file.ts';
import { choose, optionsFor, type Result } from './percentages.ts';
import { inSections } from './sections.ts';

describe('the export of another product', () => {
  it('is read with its environments', () => {
    const unleash = { featureEnvironments: ['b', 'a', 'b', 5, null].map((environment) => ({ environment })) };
    const launchdarkly = { items: [{ environments: { test: {}, production: {} } }, { environments: null }, 7] };
    expect(readExport('f', JSON.stringify(unleash)).environments).toEqual({ unleash: ['a', 'b'], launchdarkly: [] });
    expect(readExport('f', JSON.stringify(launchdarkly)).environments).toEqual({
      unleash: [],
      launchdarkly: ['production', 'test'],
    });
  });

  it('is read in the environment that was chosen, in production, or in the first', () => {
    expect(environmentFor(['production', 'test'], 'test')).toBe('test');
    expect(environmentFor(['development', 'production'], 'test')).toBe('production');
    expect(environmentFor(['development', 'staging'], 'production')).toBe('development');
    expect(environmentFor([], 'production')).toBe('production');
  });

  it.each([
    [' \n', 'f is empty.'],
    ['{"a":', 'f is not JSON: '],
    ['PK\u0003\u0004', 'f is not JSON: it looks like a ZIP archive. Export it as JSON.'],
    ['---\nflags:', 'f is not JSON: it looks like YAML. Export it as JSON.'],
    ['null', 'f is null. An export is a JSON object'],
    ['"text"', 'f is a string. An export is a JSON object'],
  ])('is refused with the reason: %j', (text, message) => {
    expect(() => readExport('f', text)).toThrow(message);
  });

  it('has a limit of size', () => {
    expect(() => requireSize('f', 20_000_001)).toThrow('The limit is 20 MB: export fewer flags at a time.');
    requireSize('f', 20_000_000);
  });
});

const aResult = (key: string, more: Partial<Result> = {}): Result => ({
  key,
  id: null,
  outcome: 'equal',
  action: 'create',
  can_keep_people: false,
  can_accept: false,
  ...more,
});

describe('what is kept of flags with percentages', () => {
  const half = aResult('half', { can_keep_people: true, can_accept: true });
  const third = aResult('third', { can_keep_people: true, can_accept: true });
  const child = aResult('child', { can_accept: true });
  const results = [half, third, child, aResult('plain')];

  it('are the people, unless something else is chosen', () => {
    expect(optionsFor({}, results)).toEqual({ keep_people: true, accept: [] });
    const choices = choose({}, results, half, 'percentage');
    expect(optionsFor(choices, results)).toEqual({ keep_people: true, accept: ['half'] });
    const less = choose(choices, results, third, 'nothing');
    expect(optionsFor(less, results)).toEqual({ keep_people: [], accept: ['half'] });
    expect(optionsFor({ third: 'nothing' }, results)).toEqual({ keep_people: ['half'], accept: [] });
  });

  it('is asked anew of flags that depend on others when the others change', () => {
    const choices = choose(choose({}, results, half, 'percentage'), results, child, 'percentage');
    expect(choices).toEqual({ half: 'percentage', child: 'percentage' });
    expect(choose(choices, results, half, 'people')).toEqual({ half: 'people' });
  });
});

it('lists flags by what happens to them', () => {
  const results = [
    aResult('a', { action: null }),
    aResult('b', { action: 'none' }),
    aResult('c'),
    aResult('d', { action: 'update' }),
  ];
  expect(inSections(results).map(({ key }) => key)).toEqual(['c', 'd', 'b', 'a']);
});
