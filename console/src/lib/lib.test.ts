import { describe, expect, it } from 'vitest';
import { isComplete, type PropertyFilter, sentenceOf, toQuery, withOperator } from './filters.ts';
import {
  formatAgo,
  formatBytes,
  formatCompact,
  formatDuration,
  formatMoment,
  formatShare,
  knownZone,
} from './format.ts';
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

describe('moments', () => {
  it('are shown in the zone of the project, across daylight saving', () => {
    expect(formatMoment('2026-01-15T12:04:59Z', 'Europe/Berlin')).toBe('15 Jan 2026, 13:04:59');
    expect(formatMoment('2026-07-15T12:04:59Z', 'Europe/Berlin')).toBe('15 Jul 2026, 14:04:59');
    expect(formatMoment('2026-01-15T20:00:00Z', 'Asia/Tokyo')).toBe('16 Jan 2026, 05:00:00');
  });
  it('are shown in UTC where the browser does not know the zone, and as nothing where they are none', () => {
    expect([knownZone('Mars/Olympus'), formatMoment('2026-01-15T12:00:00Z', 'Mars/Olympus')]).toEqual([
      'UTC',
      '15 Jan 2026, 12:00:00',
    ]);
    expect(formatMoment('soon', 'UTC')).toBe('–');
  });
  it.each([
    [0, 'now'],
    [-59_000, '59 seconds ago'],
    [-60_000, '1 minute ago'],
    [-86_400_000, 'yesterday'],
    [-400 * 86_400_000, 'last year'],
    [7_200_000, 'in 2 hours'],
  ])('%d ms from now are %s', (difference, words) => {
    const now = Date.parse('2026-01-15T12:00:00Z');
    expect(formatAgo(now + difference, now)).toBe(words);
  });
});

describe('numbers', () => {
  it.each([
    [0, '0 B'],
    [999, '999 B'],
    [1000, '1.0 kB'],
    [81_300_000_000, '81.3 GB'],
    [271_000_000_000, '271 GB'],
  ])('%d bytes are %s', (bytes, words) => expect(formatBytes(bytes)).toBe(words));
  it.each([
    [0, '0 ms'],
    [850, '850 ms'],
    [12_000, '12 s'],
    [60_000, '1 min'],
    [185_000, '3 min 5 s'],
    [360_000_000, '4 d 4 h'],
  ])('%d ms are %s', (ms, words) => expect(formatDuration(ms)).toBe(words));
  it('are short where there is little room', () => {
    expect([formatCompact(9999), formatCompact(12_345), formatShare(0.1234), formatShare(0.5)]).toEqual([
      '9,999',
      '12.3K',
      '12.3 %',
      '50 %',
    ]);
  });
});

describe('property filters', () => {
  const filter: PropertyFilter = { type: 'event', key: 'plan', operator: 'exact', value: ['pro', 'team'] };
  it('read as sentences', () => {
    expect(sentenceOf(filter)).toBe('plan is pro or team');
    expect(sentenceOf({ ...filter, operator: 'is_set', value: '' })).toBe('plan is set');
  });
  it('keep what the next operator can take', () => {
    expect(withOperator(filter, 'icontains').value).toBe('pro');
    expect(withOperator({ ...filter, operator: 'gt', value: '5' }, 'is_not').value).toEqual(['5']);
    expect(withOperator(filter, 'is_not_set').value).toBe('');
  });
  it('are asked only when they are whole', () => {
    const half = { ...filter, value: [] };
    expect([isComplete(filter), isComplete(half), isComplete({ ...half, key: '' })]).toEqual([true, false, false]);
    expect(toQuery([half])).toBeUndefined();
    expect(toQuery([half, filter])).toBe(JSON.stringify([filter]));
  });
});
