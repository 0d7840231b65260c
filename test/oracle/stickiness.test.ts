import { describe, expect, it } from 'vitest';
import { readStickinessQuestion } from '../../src/features/insights/stickiness/rules/read-stickiness.ts';
import { context, worldFromLines } from '../support/world-from-lines.ts';
import { answerStickiness } from './stickiness.ts';

const VISITS = { events: [{ id: 'visit' }] };

describe('stickiness', () => {
  it('counts the intervals in which persons were active', () => {
    const world = worldFromLines(`
      ann visit 05-01 10:00
      ann visit 05-01 11:00
      ann visit 05-03 10:00
      bob visit 05-02 10:00
      cat visit 05-04 00:00
    `);
    const question = readStickinessQuestion({ ...VISITS, date_from: '2024-05-01', date_to: '2024-05-03' }, context());
    expect(answerStickiness(question, world)).toMatchObject([
      { data: [1, 1, 0], days: [1, 2, 3], labels: ['1 day', '2 days', '3 days'], count: 2 },
    ]);
  });
});
