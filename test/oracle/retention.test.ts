import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/core/json/json.ts';
import {
  readRetentionPeopleQuestion,
  readRetentionQuestion,
} from '../../src/features/insights/retention/rules/read-retention.ts';
import { at, context, worldFromLines } from '../support/world-from-lines.ts';
import { answerRetention, retentionPeople } from './retention.ts';

const TARGET = { target_entity: { id: 'visit', type: 'events' } };

describe('retention', () => {
  const world = worldFromLines(`
    ann visit 04-01 10:00
    ann visit 05-01 10:00
    ann pay 05-02 10:00
    bob visit 05-01 10:00 os=mac
    bob visit 05-02 10:00 os=win
    bob pay 05-03 10:00
    cat visit 05-03 10:00
  `);
  const fields = { ...TARGET, returning_entity: { id: 'pay' }, date_to: '2024-05-03', total_intervals: 3 };
  const rows = (over: JsonObject = {}) =>
    answerRetention(readRetentionQuestion({ ...fields, ...over }, context()), world).map(({ label, counts }) => [
      label,
      counts,
    ]);

  it('counts who started, and who came back', () => {
    expect(rows()).toEqual([
      ['Day 0', [2, 1, 1]],
      ['Day 1', [1, 1]],
      ['Day 2', [1]],
    ]);
  });

  it('of first times reads all past events', () => {
    expect(rows({ retention_type: 'retention_first_time' })).toEqual([
      ['Day 0', [1, 0, 1]],
      ['Day 1', [0, 0]],
      ['Day 2', [1]],
    ]);
  });

  it('only has the first cohort in a line graph', () => {
    expect(rows({ display: 'ActionsLineGraph' })).toEqual([
      ['Day 0', [2, 1, 1]],
      ['Day 1', [0, 0]],
      ['Day 2', [0]],
    ]);
  });

  it('is broken down by the values at the start', () => {
    expect(rows({ breakdowns: [{ property: 'os', type: 'event' }] })).toEqual([
      ['', [2, 1, 0]],
      ['mac', [1, 0, 1]],
      ['win', [1, 1, 0]],
    ]);
  });

  it('finds the persons, those who came back most often first', () => {
    const people = (over: JsonObject) =>
      retentionPeople(readRetentionPeopleQuestion({ ...fields, ...over }, context()), world);
    expect(people({})).toEqual([
      { actor: 'ann', appearances: [1, 1, 0] },
      { actor: 'bob', appearances: [1, 0, 1] },
    ]);
    expect(people({ selected_interval: 1 })).toEqual([{ actor: 'bob', appearances: [1, 1] }]);
    expect(people({ breakdowns: [{ property: 'os' }], breakdown_values: ['win'] })).toEqual([
      { actor: 'bob', appearances: [1, 1, 0] },
    ]);
  });

  it('counts months from the same day of each', () => {
    const question = readRetentionQuestion(
      { ...TARGET, period: 'Month', total_intervals: 2, date_to: '2024-05-20' },
      context(),
    );
    expect(answerRetention(question, world).map(({ date }) => date)).toEqual([at('04-20 00:00'), at('05-20 00:00')]);
  });
});
