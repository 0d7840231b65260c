/** Expressions mean the same in ClickHouse as in DuckDB. */
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { clickhouseDialect } from '../../../src/stores/clickhouse/dialect.ts';
import { openClickHouseEventStore } from '../../../src/stores/clickhouse/event-store.ts';
import type { EventStore } from '../../../src/stores/events/event-store.ts';
import { anEvent } from '../../contract/events.ts';
import { makeDatabase, type TestDatabase, TIMEOUTS } from '../../support/clickhouse.ts';
import { describeWithClickHouse } from '../../support/describe-clickhouse.ts';
import { evaluateExpressions } from '../../support/evaluate-expressions.ts';
import { CASE_PROPERTIES, CASE_TIME, CASE_TIMESTAMP, EXPRESSION_CASES } from '../../support/expression-cases.ts';

vi.setConfig(TIMEOUTS);

/** Statements take long where the engine is emulated. */
const BATCH_SIZE = 50;

await describeWithClickHouse('expressions in ClickHouse', (server) => {
  let database: TestDatabase;
  let events: EventStore;
  beforeAll(async () => {
    database = await makeDatabase(server);
    events = await openClickHouseEventStore(database.options);
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
    await database.drop();
  });

  it('have the values of the table', async () => {
    const found: [string, string | null | undefined][] = [];
    for (let from = 0; from < EXPRESSION_CASES.length; from += BATCH_SIZE) {
      const texts = EXPRESSION_CASES.slice(from, from + BATCH_SIZE).map(([text]) => text);
      const [row] = await evaluateExpressions({ events, dialect: clickhouseDialect }, 1, texts, CASE_TIME);
      found.push(...texts.map((text, i): [string, string | null | undefined] => [text, row?.[i]]));
    }
    expect(found).toEqual(EXPRESSION_CASES);
  });

  it('use the time zone of the project', async () => {
    const texts = ['toDate(timestamp)', 'toHour(timestamp)', 'timestamp', 'toStartOfWeek(timestamp)'];
    const time = { ...CASE_TIME, timezone: 'Asia/Tokyo' };
    const [row] = await evaluateExpressions({ events, dialect: clickhouseDialect }, 1, texts, time);
    expect(row).toEqual(['2024-03-11', '7', '2024-03-11 07:45:30', '2024-03-10']);
  });
});
