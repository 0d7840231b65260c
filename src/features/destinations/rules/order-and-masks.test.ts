import fc from 'fast-check';
import { expect, it } from 'vitest';
import { lanesOf } from './lanes.ts';
import { applyMask, type Mask } from './masking.ts';

const event = fc.record({ distinctId: fc.constantFrom('a', 'b', 'c', 'd'), personId: fc.constantFrom('1', '2', '3') });

it('puts each event into one lane, those of a distinct id into the same one and in their order', () => {
  fc.assert(
    fc.property(fc.array(event), (given) => {
      const events = given.map((one, n) => ({ ...one, n }));
      const lanes = lanesOf(events);
      expect(lanes.flat().sort((a, b) => a.n - b.n)).toEqual(events);
      for (const lane of lanes) expect(lane.map(({ n }) => n)).toEqual(lane.map(({ n }) => n).sort((a, b) => a - b));
      for (const id of ['a', 'b', 'c', 'd'])
        expect(lanes.filter((lane) => lane.some(({ distinctId }) => distinctId === id)).length).toBeLessThanOrEqual(1);
    }),
  );
});

it('keeps the events of a person together, where their distinct ids stay with them', () => {
  const events = [
    { distinctId: 'anonymous', personId: '1' },
    { distinctId: 'other', personId: '2' },
    { distinctId: 'ada', personId: '1' },
  ];
  expect(lanesOf(events).map((lane) => lane.length)).toEqual([2, 1]);
});

const sentAt = (times: readonly number[], threshold: number | null): number[] => {
  let mask: Mask | undefined;
  return times.filter((at) => {
    const next = applyMask({ hash: '', ttl: 60, threshold }, mask, 'h', at);
    mask = next.mask;
    return next.isSent;
  });
};

it('masks what is alike for a time, or up to a number', () => {
  expect(sentAt([0, 1, 59_999, 60_000, 60_001], null)).toEqual([0, 60_000]);
  expect(sentAt([0, 1, 2, 3, 4, 5], 3)).toEqual([0, 2, 5]);
  expect(sentAt([0, 1, 60_000, 60_001], 2)).toEqual([0, 1, 60_000, 60_001]);
});
