import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { anEvent } from '../../../test/contract/events.ts';
import { makeTempDir } from '../../../test/contract/temp-dir.ts';
import { evaluateExpressions } from '../../../test/support/evaluate-expressions.ts';
import {
  CASE_PROPERTIES,
  CASE_TIME,
  CASE_TIMESTAMP,
  EXPRESSION_CASES,
} from '../../../test/support/expression-cases.ts';
import { hostileProblems } from '../../../test/support/hostile-expressions.ts';
import { duckdbDialect } from '../../stores/duckdb/dialect.ts';
import { openEventStore } from '../../stores/duckdb/event-store.ts';
import type { EventStore } from '../../stores/events/event-store.ts';

describe('expressions as SQL', () => {
  const dir = makeTempDir();
  let events: EventStore;
  beforeAll(async () => {
    events = await openEventStore(dir.path('events.duckdb'));
    const event = anEvent({
      projectId: 1,
      event: 'purchase',
      distinctId: 'ada',
      properties: CASE_PROPERTIES,
      timestamp: CASE_TIMESTAMP,
    });
    await events.write({ events: [event], overrides: [], position: 1 });
  });
  afterAll(async () => {
    await events.close();
    dir.remove();
  });

  const evaluate = async (expression: string, timezone = 'UTC') => {
    const time = { ...CASE_TIME, timezone };
    const [row] = await evaluateExpressions({ events, dialect: duckdbDialect }, 1, [expression], time);
    return row?.[0];
  };

  it.each(EXPRESSION_CASES)('%s', async (expression, expected) => {
    expect(await evaluate(expression)).toBe(expected);
  });

  it('are refused or evaluated, however hostile', async () => {
    expect(await hostileProblems({ events, dialect: duckdbDialect }, 1, CASE_TIME)).toEqual([]);
  });

  it.each([
    ['toDate(timestamp)', '2024-03-11'],
    ['toHour(timestamp)', '7'],
    ['timestamp', '2024-03-11 07:45:30'],
    ['toStartOfWeek(timestamp)', '2024-03-10'],
    ["timestamp > '2024-03-11 07:45:00'", 'true'],
    ["timestamp > '2024-03-11 07:46:00'", 'false'],
    ["dateDiff('day', '2024-03-11', timestamp)", '0'],
  ])('%s in the time zone of the project', async (expression, expected) => {
    expect(await evaluate(expression, 'Asia/Tokyo')).toBe(expected);
  });
});
