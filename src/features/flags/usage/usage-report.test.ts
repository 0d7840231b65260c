import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DAY_MS, HOUR_MS } from '../../../core/time/units.ts';
import { type Use, usageSeries, usageSources } from './usage-report.ts';

const DAY = Date.UTC(2026, 0, 10);
const use = (more: Partial<Use>): Use => ({
  start: DAY,
  source: 'posthog-js/1.130',
  value: 'true',
  origin: 'server',
  count: 1,
  ...more,
});

describe('series of uses', () => {
  it('have a value for each day, the most frequent label first', () => {
    const uses = [
      use({ start: DAY, value: 'a', count: 2 }),
      use({ start: DAY + DAY_MS + HOUR_MS, value: 'b', count: 5 }),
      use({ start: DAY + 2 * DAY_MS, value: 'a', count: 1 }),
    ];
    expect(usageSeries(uses, 'value', { from: DAY, to: DAY + 3 * DAY_MS, interval: 'day' })).toEqual([
      { label: 'b', days: ['2026-01-10', '2026-01-11', '2026-01-12'], data: [0, 5, 0] },
      { label: 'a', days: ['2026-01-10', '2026-01-11', '2026-01-12'], data: [2, 0, 1] },
    ]);
  });

  it('have times for hours', () => {
    const [series] = usageSeries([use({ start: DAY + HOUR_MS })], 'source', {
      from: DAY,
      to: DAY + 2 * HOUR_MS,
      interval: 'hour',
    });
    expect(series).toEqual({
      label: 'posthog-js/1.130',
      days: ['2026-01-10T00:00:00.000Z', '2026-01-10T01:00:00.000Z'],
      data: [0, 1],
    });
  });

  it('add up to what was counted in the range, whatever they are grouped by', () => {
    const uses = fc.array(
      fc.record({
        start: fc.integer({ min: 0, max: 20 * 24 }).map((hour) => DAY + hour * HOUR_MS),
        source: fc.constantFrom('posthog-js/1.1', 'posthog-node/5.0', 'other'),
        value: fc.constantFrom('true', 'false', 'test'),
        origin: fc.constantFrom('server' as const, 'sdk' as const),
        count: fc.integer({ min: 1, max: 1000 }),
      }),
    );
    fc.assert(
      fc.property(uses, fc.constantFrom('value' as const, 'source' as const, 'origin' as const), (all, by) => {
        const [from, to] = [DAY + 2 * DAY_MS, DAY + 12 * DAY_MS];
        const expected = all
          .filter(({ start }) => start >= from && start < to)
          .reduce((sum, { count }) => sum + count, 0);
        const series = usageSeries(all, by, { from, to, interval: 'day' });
        expect(series.flatMap(({ data }) => data).reduce((sum, count) => sum + count, 0)).toBe(expected);
      }),
    );
  });
});

it('sources are listed by SDK and version', () => {
  const uses = [
    use({ source: 'posthog-js/1.130', count: 2 }),
    use({ source: 'posthog-js/1.131', count: 3, start: DAY + DAY_MS }),
    use({ source: 'other' }),
  ];
  expect(usageSources(uses)).toEqual([
    {
      name: 'posthog-js',
      versions: [
        { version: '1.131', last_seen_at: DAY + DAY_MS, count: 3 },
        { version: '1.130', last_seen_at: DAY, count: 2 },
      ],
    },
    { name: 'other', versions: [{ version: null, last_seen_at: DAY, count: 1 }] },
  ]);
});
