import { expect, it } from 'vitest';
import type { FunnelStep } from '../answers.ts';
import { stepFigures } from './step-figures.ts';

const step = (count: number, time: number | null = null): FunnelStep => ({
  action_id: 'a',
  name: 'a',
  order: 0,
  count,
  average_conversion_time: time,
  median_conversion_time: time,
  converted_people_url: '',
  dropped_people_url: null,
});

it('compares a step with the first and with the one before', () => {
  const group = { value: null, steps: [step(200), step(50, 60), step(10)] };
  expect(stepFigures(group, 0)).toMatchObject({ count: 200, share: 1, fromBefore: null, dropped: null });
  expect(stepFigures(group, 1)).toMatchObject({ share: 0.25, fromBefore: 0.25, dropped: 150, average: 60 });
  expect(stepFigures(group, 2)).toMatchObject({ share: 0.05, fromBefore: 0.2, dropped: 40 });
});

it('has no shares without users', () => {
  const group = { value: 'x', steps: [step(0), step(0)] };
  expect(stepFigures(group, 1)).toMatchObject({ share: 0, fromBefore: null, dropped: 0 });
});
