import { describe, expect, it } from 'vitest';
import type { LiveEvent } from '../../api/events.ts';
import { add, boundsOf, countPerSecond, MAX_LIVE, merge, olderThan, originOf } from './event-list.ts';

const at = (second: number, id = String(second)): LiveEvent => ({
  id,
  event: 'e',
  distinct_id: 'd',
  timestamp: new Date(second * 1000).toISOString(),
  properties: {},
});
const ids = (events: readonly LiveEvent[]): string[] => events.map(({ id }) => id);

describe('the list of live events', () => {
  it('has the newest event on top, and each event once', () => {
    expect(ids(add([at(2), at(1)], [at(3), at(2), at(4), at(4)]))).toEqual(['4', '3', '2', '1']);
  });
  it('is the same array when nothing is new', () => {
    const shown = [at(1)];
    expect(add(shown, [at(1)])).toBe(shown);
  });
  it('has a maximum length', () => {
    const many = Array.from({ length: MAX_LIVE + 50 }, (_, index) => at(index));
    expect(add([], many)).toHaveLength(MAX_LIVE);
    expect(ids(add([], many))[0]).toBe(String(MAX_LIVE + 49));
    expect(add([], many, false)).toHaveLength(MAX_LIVE + 50);
  });
  it('continues after the last event, and skips those of the same millisecond that are shown', () => {
    expect(olderThan([at(5), at(3, 'a'), at(3, 'b')])).toEqual({ before: '1970-01-01T00:00:03.001Z', offset: 2 });
    expect(olderThan([])).toBeNull();
  });
  it.each([
    [{ from: 'all', to: null }, {}],
    [{ from: '-24h', to: null }, { after: '24h' }],
    [{ from: 'dStart', to: null }, { after: '2026-11-15T22:59:59.999Z' }],
    [
      { from: '2026-10-01', to: '2026-10-25' },
      { after: '2026-09-30T21:59:59.999Z', before: '2026-10-25T23:00:00.000Z' },
    ],
    [
      { from: '-1wStart', to: '-1wEnd' },
      { after: '2026-11-07T22:59:59.999Z', before: '2026-11-14T23:00:00.000Z' },
    ],
  ])('has the bounds of %j in the time zone of the project', (range, bounds) => {
    expect(boundsOf(range, '2026-11-16', 'Europe/Berlin')).toEqual(bounds);
  });
  it('merges listed and streamed events by time', () => {
    expect(ids(merge([at(5), at(3)], [at(4), at(3), at(1)]))).toEqual(['5', '4', '3', '1']);
  });
});

it('counts arrivals per second, oldest first', () => {
  expect(countPerSecond([9900, 9100, 8500, 100], 10_000, 3)).toEqual([0, 1, 2]);
});

it.each([
  [{ $current_url: 'https://a.test/', $lib: 'web' }, 'https://a.test/'],
  [{ $screen_name: 'Home', $lib: 'posthog-ios' }, 'Home'],
  [{ $lib: 'posthog-node' }, 'posthog-node'],
  [{ $current_url: { not: 'text' } }, ''],
  [{}, ''],
])('an event with %j has the origin %j', (properties, origin) => {
  expect(originOf({ properties })).toBe(origin);
});
