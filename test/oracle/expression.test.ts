/** Random expressions on random events: the SQL of DuckDB against the oracle. */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseExpression } from '../../src/core/expressions/parse-expression.ts';
import { duckdbDialect } from '../../src/stores/duckdb/dialect.ts';
import { openEventStore } from '../../src/stores/duckdb/event-store.ts';
import type { EventStore } from '../../src/stores/events/event-store.ts';
import { anEvent } from '../contract/events.ts';
import { makeTempDir } from '../contract/temp-dir.ts';
import { evaluateExpressions } from '../support/evaluate-expressions.ts';
import { CASE_TIME } from '../support/expression-cases.ts';
import { anExpression, anExpressionEvent, isValid } from '../support/random-expressions.ts';
import { expressionText } from './expression.ts';

describe('expressions against the oracle', () => {
  const dir = makeTempDir();
  let events: EventStore;
  beforeAll(async () => {
    events = await openEventStore(dir.path('events.duckdb'));
  });
  afterAll(async () => {
    await events.close();
    dir.remove();
  });

  it.each(['UTC', 'Europe/Berlin'])('have its values in %s', async (timezone) => {
    const time = { ...CASE_TIME, timezone };
    // One set of events for many expressions: writing events takes longest.
    const all = fc.sample(anExpressionEvent, { numRuns: 60, seed: 17 }).sort((a, b) => a.timestamp - b.timestamp);
    const projectId = timezone === 'UTC' ? 1 : 2;
    const rows = all.map((event) => anEvent({ projectId, ...event }));
    await events.write({ events: rows, overrides: [], position: projectId });
    await fc.assert(
      fc.asyncProperty(fc.array(anExpression, { minLength: 10, maxLength: 20 }), async (given) => {
        const expressions = given.filter(isValid);
        fc.pre(expressions.length > 0);
        const found = await evaluateExpressions({ events, dialect: duckdbDialect }, projectId, expressions, time);
        for (const [i, text] of expressions.entries()) {
          const expected = all.map(expressionText(parseExpression(text), time));
          expect({ text, values: found.map((row) => row[i]) }).toEqual({ text, values: expected });
        }
      }),
      { numRuns: 12 },
    );
  });
});
