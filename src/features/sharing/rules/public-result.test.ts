import { describe, expect, it } from 'vitest';
import { listsPersons, maskAddresses, publicFilters, publicResult } from './public-result.ts';

describe('what strangers see of an answer', () => {
  it('is names and numbers, at any depth', () => {
    const item = {
      action: { id: 'seen', name: 'seen', order: 0, properties: [{ key: 'email', value: 'marker@example.org' }] },
      label: 'seen - marker@example.org',
      data: [1, 2],
      days: ['2026-01-01', '2026-01-02'],
      filter: { properties: ['marker'] },
      persons_urls: [{ url: '/api/projects/1/persons/', filter: {} }],
    };
    expect(publicResult([item])).toEqual([
      { action: { name: 'seen', order: 0 }, label: 'seen - •••', data: [1, 2], days: ['2026-01-01', '2026-01-02'] },
    ]);
    expect(publicResult([[{ name: 'a', count: 3, people: ['x'], converted_people_url: '/x' }]])).toEqual([
      [{ name: 'a', count: 3 }],
    ]);
  });

  it('is what a chart needs of a question, without filters or expressions', () => {
    const filters = {
      insight: 'TRENDS',
      display: 'ActionsLineGraph',
      date_from: '-7d',
      properties: [{ key: 'email', value: 'marker' }],
      breakdown: "if(properties.x = 'marker', 1, 2)",
      breakdown_type: 'hogql',
      events: [{ id: 'seen', math: 'dau', properties: [{ key: 'a', value: 'marker' }], math_hogql: 'marker' }],
    };
    expect(publicFilters(filters)).toEqual({
      insight: 'TRENDS',
      display: 'ActionsLineGraph',
      date_from: '-7d',
      breakdown_type: 'hogql',
      breakdown: 'expression',
      events: [{ id: 'seen', math: 'dau' }],
    });
  });

  it.each([
    ['/users/ann@example.org/edit', '/users/•••/edit'],
    ['/?mail=ann%40example.org&x=1', '/?mail=•••&x=1'],
    ['ann@example.org::Chrome', '•••::Chrome'],
    ['@cairn/core and a@b', '@cairn/core and a@b'],
  ])('has no address: %s', (text, masked) => {
    expect(maskAddresses({ rows: [[text, 1]] })).toEqual({ rows: [[masked, 1]] });
  });

  it.each([
    [{ breakdown: 'email' }, true],
    [{ breakdown: '$browser' }, false],
    [{ breakdown: 'name', breakdown_type: 'event' }, false],
    [{ breakdown: 'name', breakdown_type: 'person' }, true],
    [{ breakdowns: [{ property: 'Distinct_ID' }] }, true],
    [{ breakdown: ['$os', '$ip'] }, true],
    [{}, false],
  ])('is not a list of persons: %j', (filters, lists) => {
    expect(listsPersons(filters)).toBe(lists);
  });
});
