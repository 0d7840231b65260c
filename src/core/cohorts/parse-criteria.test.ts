import { describe, expect, it } from 'vitest';
import { negationsArePaired } from '../../features/cohorts/rules/negations.ts';
import type { Json } from '../json/json.ts';
import { hasBehaviour, referencedCohorts } from './criteria.ts';
import { filtersFromGroups } from './legacy-groups.ts';
import { parseCriteria } from './parse-criteria.ts';

const email = { key: 'email', type: 'person', value: '@x.io', operator: 'icontains' };
const emailParsed = {
  kind: 'person',
  filter: { kind: 'property', owner: 'person', key: 'email', operator: 'icontains', values: ['@x.io'] },
};
const visit = { type: 'behavioral', value: 'performed_event', key: 'visit', time_value: 7, time_interval: 'day' };
const visitParsed = {
  kind: 'behaviour',
  negated: false,
  behaviour: {
    kind: 'performed_event',
    performed: { kind: 'event', event: 'visit', filter: { kind: 'and', filters: [] } },
    within: { months: 0, ms: 7 * 86_400_000 },
  },
};
const parse = (...values: unknown[]) => parseCriteria({ properties: { type: 'AND', values } });
const detailOf = (read: () => unknown): string => {
  try {
    read();
  } catch (error) {
    const { message, attr } = error as { message: string; attr: string };
    return `${attr}: ${message}`;
  }
  return 'no error';
};

describe('parsing criteria', () => {
  it('reads groups of items and of groups', () => {
    expect(parse(email, visit)).toEqual({ kind: 'and', criteria: [emailParsed, visitParsed] });
    const properties = {
      type: 'OR',
      values: [
        { type: 'AND', values: [email] },
        { type: 'OR', values: [visit] },
      ],
    };
    expect(parseCriteria({ properties })).toEqual({
      kind: 'or',
      criteria: [
        { kind: 'and', criteria: [emailParsed] },
        { kind: 'or', criteria: [visitParsed] },
      ],
    });
  });

  it.each([
    ['an empty object', {}],
    ['an empty group', { type: 'OR', values: [] }],
    ['empty groups', { type: 'AND', values: [{ type: 'OR', values: [] }] }],
    ['an empty list', []],
  ])('reads %s as no criteria', (_name, properties) => {
    expect(parseCriteria({ properties })).toBeNull();
  });

  it('leaves out empty groups beside others', () => {
    const properties = {
      type: 'OR',
      values: [
        { type: 'OR', values: [] },
        { type: 'AND', values: [email] },
      ],
    };
    expect(parseCriteria({ properties })).toEqual({ kind: 'or', criteria: [{ kind: 'and', criteria: [emailParsed] }] });
  });

  it('inverts the operator of negated properties, and keeps the negation of others', () => {
    expect(parse({ ...email, negation: true })).toEqual({
      kind: 'and',
      criteria: [{ kind: 'person', filter: { ...emailParsed.filter, operator: 'not_icontains' } }],
    });
    expect(parse({ ...visit, negation: true })).toEqual({ kind: 'and', criteria: [{ ...visitParsed, negated: true }] });
  });

  it.each([
    [{ type: 'cohort', key: 'id', value: 5 }, false],
    [{ type: 'cohort', key: 'id', value: '5', operator: 'not_in' }, true],
    [{ type: 'precalculated-cohort', key: 'id', value: [5], negation: true }, true],
  ])('reads the cohort %j', (item, negated) => {
    const criteria = parse(item);
    expect(criteria).toEqual({ kind: 'and', criteria: [{ kind: 'cohort', id: 5, negated }] });
    expect(referencedCohorts(criteria)).toEqual([5]);
  });

  it('reads every kind of behaviour with its own fields', () => {
    const rest = {
      operator: 'lte',
      operator_value: '2',
      seq_event: 'buy',
      seq_event_type: 'events',
      seq_time_value: 1,
      seq_time_interval: 'hour',
      min_periods: 2,
      total_periods: 3,
    };
    const read = (value: string) => {
      const criteria = parse({ ...visit, ...rest, value });
      expect(hasBehaviour(criteria)).toBe(true);
      return (criteria as unknown as { criteria: { behaviour: object }[] }).criteria[0]?.behaviour;
    };
    const common = { performed: visitParsed.behaviour.performed, within: visitParsed.behaviour.within };
    const hour = { months: 0, ms: 3_600_000 };
    const count = { operator: 'lte', value: 2 };
    const next = { ...common.performed, event: 'buy' };
    const expected: Record<string, object> = {
      performed_event: {},
      performed_event_first_time: {},
      performed_event_multiple: { count },
      performed_event_sequence: { next, nextWithin: hour },
      performed_event_regularly: { count, periods: { min: 2, total: 3 } },
      stopped_performing_event: { recent: hour },
      restarted_performing_event: { recent: hour },
    };
    for (const [kind, own] of Object.entries(expected)) expect(read(kind)).toEqual({ kind, ...common, ...own });
  });

  const tooDeep = (): Json => {
    let group: Json = { type: 'AND', values: [] };
    for (let i = 0; i < 50; i++) group = { type: 'AND', values: [group] };
    return group;
  };

  it.each<[string, unknown, string]>([
    ['no filters', undefined, "filters: Filters must be a dictionary with a 'properties' key."],
    ['no properties', {}, "filters: Filters must be a dictionary with a 'properties' key."],
    ['a list', [], "filters: Filters must be a dictionary with a 'properties' key."],
    ['a text for a group', { properties: 'x' }, 'filters: properties is a group'],
    ['a strange group', { properties: { type: 'XOR', values: [] } }, 'filters: PropertyGroup is unparsable'],
    ['no values', { properties: { type: 'OR' } }, 'filters: PropertyGroup is unparsable'],
    [
      'groups beside items',
      { properties: [email, { type: 'OR', values: [] }] },
      'filters: Property list cannot contain',
    ],
    ['deep nesting', { properties: tooDeep() }, 'filters: Groups are nested more than 20'],
    ['too many', { properties: Array(201).fill(email) }, 'filters: A cohort has at most 200'],
  ])('rejects %s', (_name, filters, detail) => {
    expect(detailOf(() => parseCriteria(filters))).toContain(detail);
  });

  it.each<[string, unknown, string]>([
    ['a text', 'x', 'Criteria are objects'],
    ['a property of events', { ...email, type: 'event' }, 'of type person, cohort and behavioral'],
    ['an unknown operator', { ...email, operator: 'like' }, 'its operator is unknown'],
    ['a property without a value', { key: 'email', type: 'person' }, 'lacks a value'],
    ['a cohort without an id', { type: 'cohort', value: 'x' }, 'Invalid Cohort ID in filter'],
    ['an unknown kind', { ...visit, value: 'slept' }, 'such as performed_event, not "slept"'],
    [
      'something else than events',
      { ...visit, event_type: 'pages' },
      'event_type is "events" or "actions", not "pages"',
    ],
    ['an action by its name', { ...visit, event_type: 'actions' }, 'need the number of an action as key, not "visit"'],
    ['no event', { ...visit, key: '' }, 'need the name of an event as key'],
    ['no time', { ...visit, time_value: null }, 'time_value is a whole number above 0, not null'],
    ['a time of nothing', { ...visit, time_value: 0 }, 'time_value is a whole number above 0, not 0'],
    ['a strange interval', { ...visit, time_interval: 'decade' }, 'time_interval is one of minute, hour'],
    ['a strange count', { ...visit, value: 'performed_event_multiple', operator: 'about' }, 'operator is one of gte'],
    ['no count', { ...visit, value: 'performed_event_multiple' }, 'operator_value is a whole number'],
    ['no second event', { ...visit, value: 'performed_event_sequence' }, 'need the name of an event as seq_event'],
    [
      'more periods than there are',
      { ...visit, value: 'performed_event_regularly', operator_value: 1, min_periods: 3, total_periods: 2 },
      'min_periods (3) cannot be more than total_periods (2)',
    ],
    [
      'periods without end',
      { ...visit, value: 'performed_event_regularly', operator_value: 1, min_periods: 3, total_periods: 1e6 },
      'total_periods is at most 366',
    ],
    [
      'a stop before the start',
      { ...visit, value: 'stopped_performing_event', seq_time_value: 8, seq_time_interval: 'day' },
      'cannot exceed that of time_value',
    ],
  ])('rejects %s', (_name, item, detail) => {
    expect(detailOf(() => parse(item))).toContain(detail);
  });
});

describe('negations', () => {
  const no = { ...visit, negation: true };
  it.each<[boolean, Json]>([
    [true, { type: 'AND', values: [visit] }],
    [true, { type: 'OR', values: [] }],
    [true, {}],
    [true, { type: 'AND', values: [visit, no] }],
    [false, { type: 'AND', values: [no] }],
    [false, { type: 'OR', values: [visit, no] }],
    [false, [no]],
    [
      true,
      {
        type: 'AND',
        values: [
          { type: 'AND', values: [no] },
          { type: 'OR', values: [visit] },
        ],
      },
    ],
    [
      false,
      {
        type: 'OR',
        values: [
          { type: 'AND', values: [no] },
          { type: 'AND', values: [visit] },
        ],
      },
    ],
    [
      true,
      {
        type: 'OR',
        values: [
          { type: 'AND', values: [no, visit] },
          { type: 'AND', values: [visit] },
        ],
      },
    ],
  ])('are paired: %s, in %j', (expected, properties) => {
    expect(negationsArePaired(properties)).toBe(expected);
  });
});

describe('the old form', () => {
  it('is an OR of groups, whose properties are those of persons', () => {
    const groups: Json[] = [
      { properties: [{ key: 'plan', value: 'pro', type: 'event' }, email] },
      { properties: { plan: 'free', email__icontains: '@y.io' } },
      { event_id: 'visit', days: '7' },
      { event_id: 'buy', count: 2, count_operator: 'gte' },
      { action_id: 3 },
      {},
      'x',
    ];
    const group = (...values: Json[]) => ({ type: 'AND', values });
    const visit = { type: 'behavioral', event_type: 'events', time_interval: 'day' };
    expect(filtersFromGroups(groups)).toEqual({
      properties: {
        type: 'OR',
        values: [
          group({ key: 'plan', value: 'pro', type: 'person' }, email),
          group(
            { key: 'plan', value: 'free', type: 'person', operator: 'exact' },
            { key: 'email', value: '@y.io', type: 'person', operator: 'icontains' },
          ),
          group({ ...visit, key: 'visit', value: 'performed_event', time_value: '7' }),
          group({
            ...visit,
            key: 'buy',
            value: 'performed_event_multiple',
            time_value: 365,
            operator: 'gte',
            operator_value: 2,
          }),
          group({ ...visit, key: '3', event_type: 'actions', value: 'performed_event', time_value: 365 }),
          group(),
          group(),
        ],
      },
    });
  });

  it('reads as criteria', () => {
    const criteria = parseCriteria(filtersFromGroups([{ properties: [{ key: 'plan', value: 'pro' }] }, {}]));
    expect(criteria).toMatchObject({ kind: 'or', criteria: [{ kind: 'and', criteria: [{ kind: 'person' }] }] });
    expect(parseCriteria(filtersFromGroups([]))).toBeNull();
  });
});
