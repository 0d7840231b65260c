import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/core/json/json.ts';
import { readCorrelationQuestion } from '../../src/features/insights/correlation/rules/read-correlation.ts';
import { context, worldFromLines } from '../support/world-from-lines.ts';
import { answerCorrelation } from './correlation.ts';

describe('correlation', () => {
  const lines = (who: string, ...events: string[]) =>
    events.map((event, hour) => `${who} ${event} 05-01 1${hour}:00`).join('\n');
  const world = worldFromLines(
    [
      lines('ann', 'cart', 'coupon', 'order'),
      lines('bob', 'cart', 'coupon', 'order', 'regret'),
      lines('cat', 'cart', 'fault'),
      lines('dan', 'cart', 'fault', 'coupon'),
    ].join('\n'),
    {
      persons: ['ann', 'bob', 'cat', 'dan'].map((uuid, id) => ({
        id,
        uuid,
        createdAt: 0,
        properties: { plan: id < 2 ? 'pro' : 'free' },
        distinctIds: [uuid],
      })),
    },
  );
  const ask = (over: JsonObject = {}) => {
    const events = ['cart', 'order'].map((id, order) => ({ id, order }));
    return answerCorrelation(readCorrelationQuestion({ events, date_from: '2024-05-01', ...over }, context()), world);
  };

  it('compares the events of those who converted and those who did not', () => {
    expect(ask().events.map(({ name, success, failure, oddsRatio }) => [name, success, failure, oddsRatio])).toEqual([
      ['coupon', 2, 1, 3],
      ['fault', 0, 2, 1 / 9],
    ]);
    expect(ask({ funnel_correlation_exclude_event_names: ['coupon'] }).events.map(({ name }) => name)).toEqual([
      'fault',
    ]);
  });

  it('compares their properties', () => {
    const named = { funnel_correlation_type: 'properties', funnel_correlation_names: ['plan'] };
    expect(ask(named).events.map(({ name, oddsRatio }) => [name, oddsRatio])).toEqual([
      ['plan::pro', 9],
      ['plan::free', 1 / 9],
    ]);
  });

  it('is empty if everybody converted, or nobody', () => {
    expect(ask({ properties: [{ key: 'plan', value: 'pro', type: 'person' }] })).toEqual({
      events: [],
      isSkewed: true,
    });
    expect(ask({ events: [] })).toEqual({ events: [], isSkewed: false });
  });
});
