import { describe, expect, it } from 'vitest';
import { type CriteriaGroup, isWhole, readCriteria, writeCriteria } from './criteria.ts';

const plan = { type: 'person', key: 'plan', operator: 'exact', value: ['pro'] } as const;
const visit = { type: 'behavioral', value: 'performed_event', key: 'visit', time_value: 7, time_interval: 'day' };
const group: CriteriaGroup = {
  properties: [{ ...plan, value: ['pro'] }],
  deeds: [{ event: 'visit', negated: true, times: 3, within: 30, interval: 'day' }],
  cohorts: [{ id: 4, negated: false }],
};

describe('criteria of a cohort in a form', () => {
  it('come back as they were written', () => {
    const other: CriteriaGroup = { properties: [], deeds: [], cohorts: [{ id: 9, negated: true }] };
    expect(readCriteria(writeCriteria([group, other]))).toEqual([group, other]);
    expect(readCriteria({})).toEqual([]);
  });
  it('are one group where all must hold, and one each where any is enough', () => {
    const of = (type: string) => readCriteria({ properties: { type, values: [plan, visit] } })?.length;
    expect([of('AND'), of('OR')]).toEqual([1, 2]);
  });
  it.each([
    [
      'groups that must all hold',
      {
        type: 'AND',
        values: [
          { type: 'OR', values: [plan] },
          { type: 'OR', values: [plan] },
        ],
      },
    ],
    ['deeper groups', { type: 'OR', values: [{ type: 'AND', values: [{ type: 'AND', values: [plan] }] }] }],
    ['a sequence of events', { type: 'AND', values: [{ ...visit, value: 'performed_event_sequence' }] }],
    ['filters on the event', { type: 'AND', values: [{ ...visit, event_filters: [] }] }],
    ['numbers, which the form would make texts of', { type: 'AND', values: [{ ...plan, value: 5 }] }],
  ])('leave %s to the JSON', (_, properties) => {
    expect(readCriteria({ properties })).toBeNull();
  });
  it('are whole when every line says something', () => {
    expect(isWhole([group])).toBe(true);
    expect(isWhole([group, { properties: [], deeds: [], cohorts: [] }])).toBe(false);
    expect(isWhole([{ ...group, cohorts: [{ id: 0, negated: false }] }])).toBe(false);
  });
});
