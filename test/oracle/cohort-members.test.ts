import { describe, expect, it } from 'vitest';
import type { Criteria } from '../../src/core/cohorts/criteria.ts';
import { parseCriteria } from '../../src/core/cohorts/parse-criteria.ts';
import { isMember, type PersonEvent } from './cohort-members.ts';

const NOW = Date.parse('2024-03-31T12:00:00Z');
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

const around = { now: NOW, search: () => null, isIn: (id: number) => (id === 1 ? true : id === 2 ? false : undefined) };
const criteria = (...values: unknown[]): Criteria => parseCriteria({ properties: { type: 'AND', values } });
/** `visit@-3` happened three hours ago. */
const events = (text: string): PersonEvent[] =>
  text
    .split(' ')
    .filter((part) => part !== '')
    .map((part) => {
      const [event = '', hours] = part.split('@');
      return { event, timestamp: Math.round(NOW + Number(hours) * HOUR), properties: {} };
    });
const isIn = (asked: Criteria, done: string, properties = {}): boolean =>
  isMember(asked, { properties, events: events(done) }, around);

const visit = { type: 'behavioral', key: 'visit', event_type: 'events', time_value: 3, time_interval: 'hour' };
const multiple = { ...visit, value: 'performed_event_multiple' };
const first = { ...visit, value: 'performed_event_first_time' };
const sequence = {
  ...visit,
  value: 'performed_event_sequence',
  seq_event: 'buy',
  seq_event_type: 'events',
  seq_time_value: 30,
  seq_time_interval: 'minute',
};
const regularly = { ...visit, value: 'performed_event_regularly', operator: 'gte', operator_value: 1 };
const stopped = { ...visit, value: 'stopped_performing_event', seq_time_value: 1, seq_time_interval: 'hour' };
const restarted = { ...stopped, value: 'restarted_performing_event' };

describe('behaviour', () => {
  it.each<[string, object, string, boolean]>([
    ['within the time', { value: 'performed_event' }, 'visit@-1', true],
    ['not at its very beginning', { value: 'performed_event' }, 'visit@-3', false],
    ['just after its beginning', { value: 'performed_event' }, 'visit@-2.9999', true],
    ['not at this very moment', { value: 'performed_event' }, 'visit@0', false],
    ['nor in the future', { value: 'performed_event' }, 'visit@1', false],
    ['not something else', { value: 'performed_event' }, 'buy@-1', false],

    ['as often', { ...multiple, operator_value: 2 }, 'visit@-1 visit@-2', true],
    ['counting only within the time', { ...multiple, operator_value: 2 }, 'visit@-1 visit@-3', false],
    ['more often', { ...multiple, operator: 'gt', operator_value: 1 }, 'visit@-1 visit@-2', true],
    ['at least as often', { ...multiple, operator: 'gte', operator_value: 2 }, 'visit@-1', false],
    ['less often', { ...multiple, operator: 'lt', operator_value: 2 }, 'visit@-1', true],
    ['at most as often', { ...multiple, operator: 'lte', operator_value: 2 }, 'visit@-1', true],
    ['at most as often, but at all', { ...multiple, operator: 'lte', operator_value: 2 }, 'visit@-4', false],

    ['for the first time', first, 'visit@-1 visit@-2', true],
    ['for the first time, at the beginning', first, 'visit@-3', true],
    ['but not for the first time', first, 'visit@-1 visit@-300', false],
    ['for the first time, now', first, 'visit@0', false],

    ['one after the other', sequence, 'visit@-1 buy@-0.5', true],
    ['one long after the other', sequence, 'visit@-1 buy@-0.49', false],
    ['the other way round', sequence, 'buy@-1 visit@-0.9', false],
    ['both at once', sequence, 'buy@-1 visit@-1', false],
    ['a later one of several', sequence, 'visit@-2.9 visit@-1 buy@-0.8', true],
    ['one before the time', sequence, 'visit@-3 buy@-2.9', false],

    ['in enough periods', { ...regularly, min_periods: 2, total_periods: 3 }, 'visit@-1 visit@-8', true],
    ['in too few periods', { ...regularly, min_periods: 3, total_periods: 3 }, 'visit@-1 visit@-8', false],
    ['at the end of a period', { ...regularly, min_periods: 2, total_periods: 2 }, 'visit@-1 visit@-3', true],
    ['before all periods', { ...regularly, min_periods: 1, total_periods: 2 }, 'visit@-6', false],
    ['rarely, but at all', { ...regularly, operator: 'lte', min_periods: 2, total_periods: 2 }, 'visit@-7', false],
    ['rarely', { ...regularly, operator: 'lte', min_periods: 2, total_periods: 2 }, 'visit@-1', true],

    ['and then no more', stopped, 'visit@-2', true],
    ['until the last moment of then', stopped, 'visit@-1', true],
    ['also lately', stopped, 'visit@-2 visit@-0.5', false],
    ['also now', stopped, 'visit@-2 visit@0', false],
    ['only long ago', stopped, 'visit@-3', false],

    ['long ago and again', restarted, 'visit@-3 visit@0', true],
    ['all the time', restarted, 'visit@-3 visit@-2 visit@-0.5', false],
    ['also at the last moment between', restarted, 'visit@-3 visit@-1 visit@-0.5', false],
    ['only lately', restarted, 'visit@-0.5', false],
    ['only long ago', restarted, 'visit@-3', false],
  ])('%s', (_name, item, done, expected) => {
    expect(isIn(criteria({ ...visit, ...item }), done)).toBe(expected);
    expect(isIn(criteria({ ...visit, ...item, negation: true }), done)).toBe(!expected);
  });

  it('counts months by the calendar', () => {
    const item = { ...visit, value: 'performed_event', time_value: 1, time_interval: 'month' };
    const at = (iso: string) => ({ event: 'visit', timestamp: Date.parse(iso), properties: {} });
    const found = ['2024-02-29T12:00:00Z', '2024-02-29T12:00:01Z'].map((time) =>
      isMember(criteria(item), { properties: {}, events: [at(time)] }, around),
    );
    expect(found).toEqual([false, true]);
  });

  it('can filter events by their properties', () => {
    const item = { ...visit, value: 'performed_event', event_filters: [{ key: 'plan', value: 'pro', type: 'event' }] };
    const done = (plan: string) => [{ event: 'visit', timestamp: NOW - HOUR, properties: { plan } }];
    const found = ['pro', 'free'].map((plan) =>
      isMember(criteria(item), { properties: {}, events: done(plan) }, around),
    );
    expect(found).toEqual([true, false]);
  });
});

describe('members', () => {
  const pro = { key: 'plan', value: 'pro', type: 'person' };
  it.each<[string, Criteria, boolean]>([
    ['nobody, without criteria', null, false],
    ['those with a property', criteria(pro), true],
    ['those without', criteria({ ...pro, negation: true }), false],
    ['those in another cohort', criteria({ type: 'cohort', value: 1 }), true],
    ['those not in another cohort', criteria({ type: 'cohort', value: 2, negation: true }), true],
    ['nobody of a cohort that is not there', criteria({ type: 'cohort', value: 3 }), false],
    ['nor its opposite', criteria({ type: 'cohort', value: 3, negation: true }), false],
    ['all of them', criteria(pro, { type: 'cohort', value: 2 }), false],
    ['any of them', parseCriteria({ properties: { type: 'OR', values: [pro, { type: 'cohort', value: 2 }] } }), true],
  ])('are %s', (_name, asked, expected) => {
    expect(isIn(asked, '', { plan: 'pro' })).toBe(expected);
  });
});
