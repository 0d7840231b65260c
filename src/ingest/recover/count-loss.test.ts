import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { countMissingEvents, countMissingMetadata, countMissingRequests } from './count-loss.ts';

const sum = (counts: Record<string, number>): number =>
  Object.values(counts).reduce((total, count) => total + count, 0);

describe('an event store that is behind', () => {
  it.each([
    ['nothing was lost', { stored: 5, duplicate: 2 }, { stored: 5 }, 0, 0, { stored: 5, duplicate: 2 }],
    ['some were', { stored: 9, duplicate: 2 }, { stored: 5 }, 0, 4, { stored: 5, duplicate: 2, lost: 4 }],
    ['all are in the log', { stored: 9 }, { stored: 5 }, 4, 0, { stored: 5 }],
    ['some are in the log', { stored: 9 }, { stored: 5 }, 3, 1, { stored: 5, lost: 1 }],
    ['lost before, too', { stored: 7, lost: 2 }, { stored: 5, lost: 2 }, 0, 2, { stored: 5, lost: 4 }],
    ['the file is of an earlier version', { stored: 9 }, null, 0, null, { stored: 9 }],
  ])('%s', (_name, metadata, events, replayed, lost, counts) => {
    expect(countMissingEvents(metadata, events, replayed)).toEqual({ events: lost, counts });
  });

  it('every accepted event is still counted once', () => {
    const counts = fc.record({ stored: fc.nat(1000), duplicate: fc.nat(1000), 'dropped:x': fc.nat(1000) });
    fc.assert(
      fc.property(counts, counts, fc.nat(500), (earlier, later, inLog) => {
        const metadata = Object.fromEntries(
          Object.entries(earlier).map(([fate, n]) => [fate, n + later[fate as keyof typeof later]]),
        );
        const replayed = Math.min(inLog, sum(later));
        expect(sum(countMissingEvents(metadata, earlier, replayed).counts) + replayed).toBe(sum(metadata));
      }),
    );
  });
});

it('metadata that is behind takes over what the event store has counted', () => {
  expect(countMissingMetadata({ stored: 5 }, { stored: 9, duplicate: 1 })).toEqual({
    events: 4,
    counts: { stored: 9, duplicate: 1 },
  });
});

it.each([
  [{ accepted: 10, pending: 3 }, 0, { stored: 7 }],
  [{ accepted: 12, pending: 3 }, 2, { stored: 7, lost: 2 }],
])('requests that are neither processed nor in the log: %o', (log, lost, counts) => {
  expect(countMissingRequests({ stored: 7 }, log)).toEqual({ events: lost, counts });
});
