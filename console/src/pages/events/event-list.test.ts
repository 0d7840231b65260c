import { describe, expect, it } from 'vitest';
import type { LiveEvent } from '../../api/events.ts';
import { add, countPerSecond, MAX_SHOWN, merge, originOf } from './event-list.ts';

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
    const many = Array.from({ length: MAX_SHOWN + 50 }, (_, index) => at(index));
    expect(add([], many)).toHaveLength(MAX_SHOWN);
    expect(ids(add([], many))[0]).toBe(String(MAX_SHOWN + 49));
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
