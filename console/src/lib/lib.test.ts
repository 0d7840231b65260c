import { describe, expect, it } from 'vitest';
import { describeFilter, filtersToQuery, isComplete, type PropertyFilter, withOperator } from './filters.ts';
import { matchPath, safePath } from './paths.ts';

describe('matchPath', () => {
  it.each([
    ['/project/:project/live', '/project/1/live', { project: '1' }],
    ['/project/:project/live', '/project/1/live/', { project: '1' }],
    ['/project/:project/person/:person', '/project/1/person/a%2Fb%20c', { project: '1', person: 'a/b c' }],
    ['/project/:project/person/:person', '/project/1/person/%E0%A4%A', { project: '1', person: '%E0%A4%A' }],
    ['/project/:project/live', '/project/1', null],
    ['/login', '/setup', null],
  ])('reads %s from %s', (pattern, path, params) => {
    expect(matchPath(pattern, path)).toEqual(params);
  });
});

describe('safePath', () => {
  it.each([
    ['/project/1/live?event=x', '/project/1/live?event=x'],
    ['//evil.example.org', null],
    ['/\\evil.example.org', null],
    ['https://evil.example.org', null],
    ['javascript:alert(1)', null],
    [null, null],
  ])('of %j is %j', (text, path) => {
    expect(safePath(text)).toBe(path);
  });
});

describe('property filters', () => {
  const filter: PropertyFilter = { type: 'event', key: 'plan', operator: 'exact', value: ['pro', 'team'] };
  it('are described with labels', () => {
    expect(describeFilter(filter)).toBe('plan equals pro or team');
    expect(describeFilter({ ...filter, operator: 'is_set', value: '' })).toBe('plan is set');
    expect(describeFilter({ ...filter, key: '$current_url', operator: 'icontains', value: '/a' })).toBe(
      'Current URL contains /a',
    );
  });
  it('keep the values that the new operator can take', () => {
    expect(withOperator(filter, 'icontains').value).toBe('pro');
    expect(withOperator({ ...filter, operator: 'gt', value: '5' }, 'is_not').value).toEqual(['5']);
    expect(withOperator(filter, 'is_not_set').value).toBe('');
  });
  it('are only sent when complete', () => {
    const half = { ...filter, value: [] };
    expect([isComplete(filter), isComplete(half), isComplete({ ...half, key: '' })]).toEqual([true, false, false]);
    expect(filtersToQuery([half])).toBeUndefined();
    expect(filtersToQuery([half, filter])).toBe(JSON.stringify([filter]));
  });
});
