import { expect, it } from 'vitest';
import { NO_FILTER } from '../../../core/filters/property-filter.ts';
import { type ExposureQuestion, exposureCode } from '../rules/experiment-question.ts';
import { ExposureTotals } from './exposure-totals.ts';

const at = (time: string): number => Date.parse(`2024-06-${time}Z`);
const QUESTION: ExposureQuestion = {
  flagKey: 'checkout',
  event: null,
  variants: ['control', 'test'],
  range: { from: at('10T00:00:00'), until: at('20T00:00:00') },
  actor: { kind: 'person' },
  severalVariants: 'exclude',
  filter: NO_FILTER,
  // Days begin at half past six in the evening, UTC.
  timezone: 'Asia/Kolkata',
  phaseStarts: [0, at('11T00:00:00')],
};

it('counts by day, also where a day begins within an hour, by phase and by part', () => {
  const exposed: [since: number, variant: number, part: number, several: number][] = [
    [at('10T18:29:59'), 0, 0, 0],
    [at('10T18:30:00'), 0, 3, 0],
    [at('10T18:10:00'), 1, 0, 0],
    [at('10T18:45:00'), 0, 0, 0],
    [at('12T02:00:00'), 1, 3, 2],
    [Number.NaN, -1, 0, 1],
  ];
  const totals = new ExposureTotals(QUESTION);
  for (const part of [exposed.slice(0, 2), exposed.slice(2)])
    totals.add({
      actors: part.length,
      since: Float64Array.from(part, ([since]) => since),
      code: Int32Array.from(part, ([, variant, value]) => (variant < 0 ? 0 : exposureCode(variant, value))),
      several: Uint8Array.from(part, ([, , , several]) => several),
    });
  expect(totals.multiple).toEqual({ sameId: 1, mergedIds: 1 });
  expect(totals.counts()).toEqual({
    byVariant: { control: 3, test: 2 },
    days: [
      { day: at('09T18:30:00'), variant: 'control', count: 1 },
      { day: at('09T18:30:00'), variant: 'test', count: 1 },
      { day: at('10T18:30:00'), variant: 'control', count: 2 },
      { day: at('11T18:30:00'), variant: 'test', count: 1 },
    ],
    phases: [
      { control: 3, test: 1 },
      { control: 0, test: 1 },
    ],
    parts: { 0: { control: 2, test: 1 }, 3: { control: 1, test: 1 } },
  });
});
