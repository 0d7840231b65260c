import { describe, expect, it } from 'vitest';
import { type CriteriaGroup, isFilledIn, readCriteria, writeCriteria } from './criteria.ts';

const plan = { type: 'person', key: 'plan', operator: 'exact', value: ['pro'] } as const;
const visit = { type: 'behavioral', value: 'performed_event', key: 'visit', time_value: 7, time_interval: 'day' };
const group: CriteriaGroup = {
  properties: [{ ...plan, value: ['pro'] }],
  behaviors: [{ event: 'visit', negated: true, times: 3, within: 30, interval: 'day' }],
  cohorts: [{ id: 4, negated: false }],
};

describe('criteria of a cohort', () => {
  it('are the same after writing and reading', () => {
    const other: CriteriaGroup = { properties: [], behaviors: [], cohorts: [{ id: 9, negated: true }] };
    expect(readCriteria(writeCriteria([group, other]))).toEqual([group, other]);
    expect(readCriteria({})).toEqual([]);
  });
  it('are one group for AND, and one group each for OR', () => {
    const of = (type: string) => readCriteria({ properties: { type, values: [plan, visit] } })?.length;
    expect([of('AND'), of('OR')]).toEqual([1, 2]);
  });
  it.each([
    [
      'groups joined by AND',
      {
        type: 'AND',
        values: [
          { type: 'OR', values: [plan] },
          { type: 'OR', values: [plan] },
        ],
      },
    ],
    ['nested groups', { type: 'OR', values: [{ type: 'AND', values: [{ type: 'AND', values: [plan] }] }] }],
    ['a sequence of events', { type: 'AND', values: [{ ...visit, value: 'performed_event_sequence' }] }],
    ['filters on the event', { type: 'AND', values: [{ ...visit, event_filters: [] }] }],
    ['numbers, which the form would turn into strings', { type: 'AND', values: [{ ...plan, value: 5 }] }],
  ])('are edited as JSON for %s', (_, properties) => {
    expect(readCriteria({ properties })).toBeNull();
  });
  it('are complete when every criterion is filled in', () => {
    expect(isFilledIn([group])).toBe(true);
    expect(isFilledIn([group, { properties: [], behaviors: [], cohorts: [] }])).toBe(false);
    expect(isFilledIn([{ ...group, cohorts: [{ id: 0, negated: false }] }])).toBe(false);
  });
});
