import { describe, expect, it } from 'vitest';
import { readShareSettings } from './share-settings.ts';
import { readVisitorQuestion } from './visitor-question.ts';

const ALL = readShareSettings({ allowDates: true, allowFilters: true });
const filters = (given: unknown): string => JSON.stringify(given);

describe('the question of a visitor', () => {
  it('has dates of the list, and filters about sessions', () => {
    const given = filters([
      { key: 'country', value: 'DE' },
      { key: 'browser', operator: 'is_not', value: 'Chrome', type: 'hogql', label: 'x' },
      { key: 'utm_source', operator: 'is_set', value: 'left out' },
    ]);
    expect(readVisitorQuestion({ dateFrom: '-30d', filters: given }, ALL)).toEqual({
      dateFrom: '-30d',
      filters: [
        { key: 'country', operator: 'exact', value: 'DE' },
        { key: 'browser', operator: 'is_not', value: 'Chrome' },
        { key: 'utm_source', operator: 'is_set' },
      ],
    });
    expect(readVisitorQuestion({ dateFrom: '-31d', filters: '' }, ALL)).toEqual({ dateFrom: null, filters: [] });
  });

  it('has nothing that the link does not allow', () => {
    const query = { dateFrom: '-30d', filters: filters([{ key: 'country', value: 'DE' }]) };
    expect(readVisitorQuestion(query, readShareSettings({}))).toEqual({ dateFrom: null, filters: [] });
    expect(readVisitorQuestion({ ...query, filters: 'no JSON' }, readShareSettings({})).filters).toEqual([]);
  });

  it.each([
    ['a part of a value', [{ key: 'path', operator: 'icontains', value: 'ann' }]],
    ['a pattern', [{ key: 'path', operator: 'regex', value: '.*' }]],
    ['an address, which pages hide', [{ key: 'path', value: '/u/ann@example.org' }]],
    ['the same, encoded', [{ key: 'path', value: '/u/ann%40example.org' }]],
    ['several values', [{ key: 'path', value: ['/a', '/b'] }]],
    ['no value', [{ key: 'path' }]],
    ['too many', Array.from({ length: 11 }, () => ({ key: 'path', value: '/' }))],
    ['no list', { key: 'path' }],
    ['no filters', [1]],
  ])('cannot filter by %s', (_, given) => {
    expect(() => readVisitorQuestion({ dateFrom: undefined, filters: filters(given) }, ALL)).toThrow(
      expect.objectContaining({ kind: 'invalid' }),
    );
  });

  it('cannot be broken JSON', () => {
    expect(() => readVisitorQuestion({ dateFrom: undefined, filters: '[{' }, ALL)).toThrow(/as JSON/);
  });
});
